"""Every Java source below the paths that a user names, in a fixed order, as bytes."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from metamorph.corpus.archives import is_tar, is_zip, read_tar, read_zip
from metamorph.corpus.jsonl import is_jsonl, read_jsonl
from metamorph.corpus.skips import (
    DANGLING,
    MAX_BYTES,
    NOT_A_FILE,
    TOO_LARGE,
    UNREADABLE,
    Skipped,
    within_limit,
)
from metamorph.corpus.suites import is_suite, read_suite
from metamorph.corpus.unread import Unread
from metamorph.errors import UserError
from metamorph.java.source import SourceFile


@dataclass(slots=True)
class _Seen:
    """Real paths already met: a file or folder behind several links is read once."""

    paths: set[str] = field(default_factory=set)

    def first_time(self, real: str) -> bool:
        if real in self.paths:
            return False
        self.paths.add(real)
        return True


def read_sources(paths: Sequence[str]) -> Iterator[SourceFile | Skipped]:
    """The sources of all paths: Java files, folders, archives, JSONL files, suites.

    Folders are walked in sorted order, links followed, and each file read once, by the first
    name met; archives inside folders are left alone. What cannot be read is `Skipped` with its
    reason. Raises UserError for a path that does not exist or is none of these.
    """
    for source in find_sources(paths):
        yield read_file(source.path) if isinstance(source, Unread) else source


def find_sources(paths: Sequence[str]) -> Iterator[SourceFile | Skipped | Unread]:
    """The same, plain files as `Unread`: `read_file` with their path reads them."""
    seen = _Seen()
    for path in paths:
        yield from _find(path, seen)


def _find(path: str, seen: _Seen) -> Iterator[SourceFile | Skipped | Unread]:
    if not os.path.exists(path):
        raise UserError(
            f"{path}: no such file or folder; name a .java file, a folder or an archive"
        )
    real = os.path.realpath(path)
    if is_suite(path):
        if seen.first_time(real):
            yield from read_suite(path)
    elif os.path.isdir(path):
        yield from _walk(path, real, seen)
    elif path.endswith(".java"):
        if seen.first_time(real):
            yield Unread(path, os.path.getsize(path))
    elif not os.path.isfile(path):
        raise UserError(f"{path}: neither a regular file nor a folder")
    elif not seen.first_time(real):
        return
    elif is_jsonl(path):
        yield from read_jsonl(path)
    elif is_zip(path):
        yield from read_zip(path)
    elif is_tar(path):
        yield from read_tar(path)
    else:
        raise UserError(
            f"{path}: not Java; give a .java file, a folder, a .zip/.jar/.tar.* or .jsonl"
        )


def _walk(top: str, real_top: str, seen: _Seen) -> Iterator[Skipped | Unread]:
    folders = [(top, real_top)]
    while folders:
        folder, real = folders.pop()
        if not seen.first_time(real):
            continue
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            yield Skipped(folder, UNREADABLE)
            continue
        below = []
        for entry in entries:
            place = os.path.realpath(entry.path) if entry.is_symlink() else f"{real}/{entry.name}"
            if os.path.isdir(entry.path):
                below.append((os.path.join(folder, entry.name), place))
            elif entry.name.endswith(".java") and seen.first_time(place):
                yield Unread(os.path.join(folder, entry.name), _size(entry))
        folders += reversed(below)


def _size(entry: os.DirEntry[str]) -> int:
    """The size of what may be a link to nothing."""
    try:
        return entry.stat().st_size
    except OSError:
        return 0


def read_file(path: str) -> SourceFile | Skipped:
    """The file's bytes; a pipe or device is never opened, so nothing can hang."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            return Skipped(path, NOT_A_FILE)
        if status.st_size > MAX_BYTES:
            return Skipped(path, TOO_LARGE)
        return within_limit(path, Path(path).read_bytes())
    except FileNotFoundError:
        return Skipped(path, DANGLING)
    except OSError:
        return Skipped(path, UNREADABLE)
