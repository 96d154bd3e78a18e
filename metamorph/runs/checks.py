"""How variants are checked before anyone sees them: the reparse, and javac where asked."""

import sys
from functools import lru_cache

from metamorph.java.javac import Javac, NoJdkError, javac
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


def is_sound(variation: Variation, settings: Settings) -> bool:
    """Whether the check that was asked for, if any, finds no fault; else a broken row."""
    return settings.check == "none" or checked(variation, settings) is not None


def compile_fault(file: SourceFile, data: bytes, settings: Settings) -> str:
    """`javac CODE` where javac finds an error in the new text that the file did not have."""
    compiler = _compiler(settings.classpath) if settings.check == "javac" else None
    fault = compiler.new_error(file, data) if compiler else None
    return f"javac {fault.code}" if fault else ""


def ready(settings: Settings) -> None:
    """Start what the check needs, or tell on stderr that there is none."""
    if note := lack(settings):
        print(f"metamorph: {note}", file=sys.stderr, flush=True)


def lack(settings: Settings) -> str:
    """What the check that was asked for lacks here, in a sentence, or ""."""
    if settings.check != "javac" or _compiler(settings.classpath):
        return ""
    return (
        "--check javac: no JDK found, only the syntax of variants is checked; install a JDK "
        "(17 or newer) or set JAVA_HOME to compile them"
    )


@lru_cache(maxsize=1)
def _compiler(classpath: str) -> Javac | None:
    try:
        return javac(classpath)
    except NoJdkError:
        return None
