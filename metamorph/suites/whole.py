"""A folder that is there whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metamorph.errors import UserError


@contextmanager
def whole(out: Path) -> Iterator[Path]:
    """A folder to write into, beside `out`, that takes its place where all went well.

    `out` must be missing or empty. Whatever goes wrong, a full disk too, leaves nothing behind;
    what a killed process leaves has another name. Raises UserError for faults of the disk.
    """
    place = out.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.exists() and any(place.iterdir()):
            raise UserError(f"{out}: not empty; give another folder")
        draft = Path(tempfile.mkdtemp(prefix=f".{place.name}.unfinished-", dir=place.parent))
    except (FileExistsError, NotADirectoryError) as error:
        raise UserError(f"{out}: not a folder; give another one") from error
    except OSError as error:
        raise _unwritten(out, error) from error
    try:
        yield draft
        _finish(draft, place)
    except OSError as error:
        raise _unwritten(out, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _unwritten(out: Path, error: OSError) -> UserError:
    return UserError(f"{out}: {error.strerror or error}; nothing was written there")


def _finish(draft: Path, place: Path) -> None:
    """Give the folder its name, and the rights that a new one has."""
    mask = os.umask(0)
    os.umask(mask)
    draft.chmod(0o777 & ~mask)
    if place.exists():
        place.rmdir()
    os.rename(draft, place)
