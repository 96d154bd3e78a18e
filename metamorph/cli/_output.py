"""Where a report goes: to stdout, or whole or not at all into a file."""

import io
import sys
from collections.abc import Iterable
from pathlib import Path

from metamorph.cli._endings import printing
from metamorph.durable import whole_text
from metamorph.errors import UserError


def deliver(pieces: Iterable[str], out: Path | None) -> None:
    """Write the pieces; raises UserError where the file cannot be written."""
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
            # Names of files need not be text: they are written as the bytes that they are.
            sys.stdout.reconfigure(errors="surrogateescape")
        with printing():
            sys.stdout.writelines(pieces)
        return
    if out.is_dir():
        raise UserError(f"{out}: is a folder; name a file for --out")
    try:
        with whole_text(out) as file:
            file.writelines(pieces)
    except OSError as error:
        raise UserError(
            f"{out}: cannot be written ({error.strerror}); give another --out"
        ) from error
