"""Where a report goes: to stdout, or whole or not at all into a file."""

import io
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from metamorph.errors import UserError


def deliver(pieces: Iterable[str], out: Path | None) -> None:
    """Write the pieces; raises UserError where the file cannot be written."""
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
            # Names of files need not be text: they are written as the bytes that they are.
            sys.stdout.reconfigure(errors="surrogateescape")
        for piece in pieces:
            sys.stdout.write(piece)
        return
    if out.is_dir():
        raise UserError(f"{out}: is a folder; name a file for --out")
    # A device or pipe has nothing that could be replaced.
    aside = out if out.exists() and not out.is_file() else _aside(out)
    try:
        with open(aside, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(pieces)
        if aside != out:
            os.replace(aside, os.path.realpath(out))
    except OSError as error:
        raise UserError(
            f"{out}: cannot be written ({error.strerror}); give another --out"
        ) from error
    finally:
        if aside != out:
            with suppress(OSError):
                aside.unlink()


def _aside(out: Path) -> Path:
    """A name beside the file, or beside what it links to."""
    real = Path(os.path.realpath(out))
    return real.with_name(f".{real.name[:200]}.{os.getpid()}")
