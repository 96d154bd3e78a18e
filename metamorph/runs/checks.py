"""How variants are checked before anyone sees them: the reparse, and javac where asked."""

from metamorph.java.javac import javac
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree
from metamorph.java.variants import BrokenVariantError, reparse
from metamorph.runs.rows import BROKEN
from metamorph.runs.settings import Settings
from metamorph.runs.variations import Variation


def checked(variation: Variation, settings: Settings) -> Tree | None:
    """The variant's method, parsed; None and a broken row where the check finds a fault."""
    variant, row = variation.variant, variation.row
    assert variant is not None
    try:
        tree = reparse(variant, check=settings.check != "none")
    except BrokenVariantError as error:
        row.status, row.reason = BROKEN, str(error)
        return None
    if settings.check == "javac":
        fault = compile_fault(variant.original.file, variant.data, settings)
        if fault:
            row.status, row.reason = BROKEN, fault
            return None
    return tree


def compile_fault(file: SourceFile, data: bytes, settings: Settings) -> str:
    """`javac CODE` where javac finds an error in the new text that the file did not have."""
    if settings.check != "javac":
        return ""
    fault = javac(settings.classpath).new_error(file, data)
    return f"javac {fault.code}" if fault else ""


def ready(settings: Settings) -> None:
    """Start what the check needs; raises UserError where that is missing."""
    if settings.check == "javac":
        javac(settings.classpath)
