"""Every Java source below the paths that a user names, in a fixed order, as bytes."""

import os
import stat
from collections.abc import Iterator, Sequence

from metamorph.corpus import remote
from metamorph.corpus.addresses import is_address, on_this_machine, shown
from metamorph.corpus.archives import is_tar, is_zip, read_tar, read_zip
from metamorph.corpus.jsonl import is_jsonl, read_jsonl
from metamorph.corpus.lists import is_list, read_list
from metamorph.corpus.remote_folders import read_one, walk
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
from metamorph.corpus.suites import is_suite, read_suite
from metamorph.corpus.unread import Unread
from metamorph.durable import is_draft
from metamorph.errors import UserError
from metamorph.java.source import SourceFile

_CHUNK = 1 << 20


def read_sources(paths: Sequence[str]) -> Iterator[SourceFile | Skipped]:
    """The sources of all paths and addresses: Java files, folders, archives, JSONL, suites, lists.

    Folders are walked in sorted order, links followed, and each file read once, by the first
    name met; archives inside folders are left alone, and so are folders that a killed command left
    unfinished. What cannot be read is `Skipped` with its reason. Raises UserError for a path that
    does not exist or is none of these.
    """
    for source in find_sources(paths):
        yield read_file(source.path) if isinstance(source, Unread) else source


def find_sources(paths: Sequence[str]) -> Iterator[SourceFile | Skipped | Unread]:
    """The same, plain files as `Unread`: `read_file` with their path reads them."""
    seen = Seen()
    for path in paths:
        for each in read_list(path).paths if is_list(path) else (path,):
            yield from _find(each, seen)


def _find(path: str, seen: Seen) -> Iterator[SourceFile | Skipped | Unread]:
    if is_address(path):
        yield from _find_remote(path, seen)
        return
    path = on_this_machine(path)
    if not os.path.exists(path):
        raise UserError(
            f"{path}: no such file or folder; name a .java file, a folder or an archive"
        )
    real = os.path.realpath(path)
    if is_suite(path):
        if seen.is_new_path(real):
            yield from read_suite(path)
    elif os.path.isdir(path):
        yield from _walk(path, real, seen)
    elif path.endswith(".java"):
        if seen.is_new_path(real):
            yield Unread(path, os.path.getsize(path))
    elif not os.path.isfile(path):
        raise UserError(f"{path}: neither a regular file nor a folder")
    elif not seen.is_new_path(real):
        return
    else:
        yield from _collection(path, path)


def _find_remote(address: str, seen: Seen) -> Iterator[SourceFile | Skipped]:
    there = remote.place(address)
    # A web server would send the whole file to say that it is no folder.
    named = there.name.endswith(".java") or is_jsonl(there.name)
    known = there.is_web and (named or is_zip(there.name) or is_tar(there.name))
    is_folder = not known and there.is_folder()
    if is_folder and not is_suite(address):
        yield from walk(there, seen)
    elif not seen.is_new_path(there.key):
        return
    elif is_folder:
        yield from read_suite(address)
    elif there.name.endswith(".java"):
        yield read_one(there, there.address, there.path)
    else:
        yield from _collection(address, there.name)


def _collection(path: str, name: str) -> Iterator[SourceFile | Skipped]:
    """The sources in a file; name: that by which one knows what it is."""
    if is_jsonl(name):
        return read_jsonl(path, zipped=name.lower().endswith(".gz"))
    if is_zip(name):
        return read_zip(path)
    if is_tar(name):
        return read_tar(path)
    raise UserError(
        f"{shown(path)}: not Java; give a .java file, a folder, a .zip/.jar/.tar.* or .jsonl"
    )


def _walk(top: str, real_top: str, seen: Seen) -> Iterator[Skipped | Unread]:
    folders = [(top, real_top)]
    while folders:
        folder, real = folders.pop()
        if not seen.is_new_folder(real):
            continue
        try:
            names, below, links = _entries(folder)
        except OSError:
            yield Skipped(folder, UNREADABLE)
            continue
        for name in names:
            if name in links:
                new = seen.is_new_link(os.path.realpath(os.path.join(folder, name)), real, name)
            else:
                new = seen.is_new_file(f"{real}/{name}")
            if new:
                path = os.path.join(folder, name)
                yield Unread(path, _size(path))
        for name in reversed(below):
            path = os.path.join(folder, name)
            folders.append((path, os.path.realpath(path) if name in links else f"{real}/{name}"))


def _entries(folder: str) -> tuple[list[str], list[str], set[str]]:
    """The names of Java files and of folders, each sorted, and those that are links.

    Names alone are held, for there are folders of millions of files.
    """
    names, below, links = [], [], set()
    with os.scandir(folder) as scan:
        for entry in scan:
            is_link = entry.is_symlink()
            if os.path.isdir(entry.path) if is_link else entry.is_dir(follow_symlinks=False):
                if not is_draft(entry.name):
                    below.append(entry.name)
            elif entry.name.endswith(".java"):
                names.append(entry.name)
            else:
                continue
            if is_link:
                links.add(entry.name)
    return sorted(names, key=os.fsencode), sorted(below, key=os.fsencode), links


def _size(path: str) -> int:
    """The size of what may be a link to nothing."""
    try:
        return os.stat(path).st_size
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
        return within_limit(path, _read(path, status.st_size))
    except FileNotFoundError:
        return Skipped(path, DANGLING)
    except OSError:
        return Skipped(path, UNREADABLE)


def _read(path: str, size: int) -> bytes:
    """The bytes of a file of that size; in one step, for corpora are small files."""
    opened = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        data = os.read(opened, size + 1)
        while size != len(data) <= MAX_BYTES and (more := os.read(opened, _CHUNK)):
            data += more
        return data
    finally:
        os.close(opened)
