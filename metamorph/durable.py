"""Files and folders that are there whole or not at all: after a kill, a full disk, a power cut."""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, TextIO

from metamorph.errors import UserError

_DRAFT = re.compile(r"\..+\.unfinished-[a-z0-9_]{8}", re.S)


@contextmanager
def whole_text(path: Path) -> Iterator[TextIO]:
    """A text file to write, which takes the place of `path` where all went well.

    A link is followed; a device or pipe, which nothing could replace, is written as it is. Halves
    of characters and bytes that are no text are spelt out. Raises OSError, leaving nothing behind.
    """
    aside = _aside(path)
    with (
        open(aside, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file,
        _replacing(path, aside, file),
    ):
        yield file


@contextmanager
def whole_bytes(path: Path) -> Iterator[BinaryIO]:
    """A binary file to write, as `whole_text`."""
    aside = _aside(path)
    with open(aside, "wb") as file, _replacing(path, aside, file):
        yield file


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all; raises OSError."""
    with whole_text(path) as file:
        file.write(text)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; raises OSError."""
    with whole_bytes(path) as file:
        file.write(data)


def _aside(path: Path) -> Path:
    """A name beside the file, or beside what it links to."""
    if path.exists() and not path.is_file():
        return path
    real = Path(os.path.realpath(path))
    return real.with_name(f".{real.name[:200]}.{os.getpid()}")


@contextmanager
def _replacing(path: Path, aside: Path, file: IO[str] | IO[bytes]) -> Iterator[None]:
    """On the way out, put the file where it belongs, or remove it."""
    if aside == path:
        yield
        return
    try:
        yield
        file.flush()
        os.fsync(file.fileno())
        file.close()
        real = os.path.realpath(path)
        os.replace(aside, real)
        sync_folder(Path(real).parent)
    except BaseException:
        with suppress(OSError):
            file.close()
        aside.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Have the disk keep the folder's names, on systems that open folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, as the disk will keep them; raises OSError."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for place in missing:
        sync_folder(place.parent)


@contextmanager
def whole_folder(out: Path, sources: Iterable[str] = ()) -> Iterator[Path]:
    """A folder to write into, beside `out`, that takes its place where all went well.

    `out` must be missing or empty, and lie in no folder that is read. Whatever goes wrong, a full
    disk too, leaves nothing behind; what a killed process leaves has another name. Raises UserError
    for faults of the disk.
    """
    for source in sources:
        refuse_inside(Path(source), out)
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
        draft.chmod(0o777 & ~_mask())
        yield draft
        _finish(draft, place)
    except OSError as error:
        raise _unwritten(out, error) from error
    finally:
        _remove(draft)


def _remove(folder: Path) -> None:
    """As far as that can be done; folders may lie as deep in each other as paths can tell."""
    folders = [str(folder)]
    for each in folders:
        with suppress(OSError), os.scandir(each) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    os.unlink(entry.path)
    for each in reversed(folders):
        with suppress(OSError):
            os.rmdir(each)


def is_draft(name: str) -> bool:
    """Whether a folder of that name is what a killed process left, or another one writes now."""
    return _DRAFT.fullmatch(name) is not None


def refuse_inside(source: Path, out: Path) -> None:
    """Raise UserError where `out` lies in the folder `source`."""
    if source.is_dir() and out.resolve().is_relative_to(source.resolve()):
        raise UserError(f"{out}: lies inside of {source}; give another folder")


def _unwritten(out: Path, error: OSError) -> UserError:
    return UserError(f"{out}: {error.strerror or error}; nothing was written there")


def _mask() -> int:
    """The rights that new files do not have."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _finish(draft: Path, place: Path) -> None:
    """Give the folder its name, once the disk has all that is in it."""
    _sync_file_system(draft)
    if place.exists():
        place.rmdir()
    os.rename(draft, place)
    sync_folder(place.parent)


def _sync_file_system(folder: Path) -> None:
    """Have the disk keep all files of a folder: one call, where each by itself takes for ever."""
    import ctypes

    try:
        sync = ctypes.CDLL(None).syncfs
    except (AttributeError, OSError, TypeError):
        getattr(os, "sync", lambda: None)()
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)
