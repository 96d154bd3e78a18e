"""Folders behind addresses: their Java files, in the order and with the skips of local ones."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

from metamorph.corpus.remote import Entry, Place
from metamorph.corpus.seen import Seen
from metamorph.corpus.skips import (
    DANGLING,
    MAX_BYTES,
    NOT_A_FILE,
    TOO_LARGE,
    UNREADABLE,
    Skipped,
    within_limit,
)
from metamorph.durable import is_draft
from metamorph.java.source import SourceFile

_AT_ONCE = 32
_BYTES_AT_ONCE = 32 * 1024 * 1024
_UNTOLD = 2 * 1024 * 1024
"""What a file of unknown size is taken for."""

_LINK = "link"


def walk(place: Place, seen: Seen) -> Iterator[SourceFile | Skipped]:
    """The Java files of a folder and of those below it; links to folders are not followed.

    Several files are asked for at once, where the file system can.
    """
    within = "::" in place.address and place.address.partition("::")[0].partition("://")[2]
    archive = type(place.files).__module__.rpartition(".")[2] in ("zip", "tar", "libarchive")
    top = f"{place.address}!" if within or archive else place.address.rstrip("/")
    with ThreadPoolExecutor(_AT_ONCE if place.files.async_impl else 1) as pool:
        for batch in _batches(_files(place, top, seen)):
            yield from pool.map(lambda found: _read(place, *found), batch)


Found = tuple[str, Entry | None]
"""A source's name, and the file that it is; None for a folder that cannot be listed."""


def _files(place: Place, top: str, seen: Seen) -> Iterator[Found]:
    folders = [(top, place.path)]
    while folders:
        name, path = folders.pop()
        key = _key(place, path)
        if not seen.is_new_folder(key):
            continue
        try:
            entries = place.entries(path)
        except OSError:
            yield name, None
            continue
        below = []
        for entry in entries:
            if entry.kind == "directory" and not is_draft(entry.name):
                below.append((f"{name}/{entry.name}", entry.path))
            elif entry.name.endswith(".java") and seen.is_new_file(_key(place, entry.path)):
                yield f"{name}/{entry.name}", entry
        folders += reversed(below)


def _key(place: Place, path: str) -> str:
    return Place(place.files, path, "").key


def _batches(found: Iterable[Found]) -> Iterator[list[Found]]:
    """A few files together, that are held at once."""
    batch: list[Found] = []
    size = 0
    for name, entry in found:
        batch.append((name, entry))
        size += _UNTOLD if entry is None or entry.size is None else entry.size
        if len(batch) >= 2 * _AT_ONCE or size >= _BYTES_AT_ONCE:
            yield batch
            batch, size = [], 0
    yield batch


def _read(place: Place, name: str, entry: Entry | None) -> SourceFile | Skipped:
    if entry is None:
        return Skipped(name, UNREADABLE)
    if entry.kind not in ("file", _LINK):
        return Skipped(name, NOT_A_FILE)
    if entry.size is not None and entry.size > MAX_BYTES:
        return Skipped(name, TOO_LARGE)
    size = None if entry.kind == _LINK else entry.size
    return read_one(place, name, entry.path, size)


def read_one(place: Place, name: str, path: str, size: int | None = None) -> SourceFile | Skipped:
    """One file; raises UnreachableError where the way to it is broken."""
    try:
        return within_limit(name, place.read(path, size, MAX_BYTES + 1))
    except FileNotFoundError:
        return Skipped(name, DANGLING)
    except OSError:
        return Skipped(name, UNREADABLE)
