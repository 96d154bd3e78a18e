"""The folder of a run: begun, gone on with, or refused."""

import errno
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metamorph.durable import make_folder
from metamorph.errors import UserError
from metamorph.runs import manifest as manifests
from metamorph.runs import store
from metamorph.runs.reading import check_version, is_blank, telling_damage

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = ".lock"
_DRAFT = f".{manifests.NAME}."

Opened = tuple[sqlite3.Connection, manifests.Manifest]


class StorageError(RuntimeError):
    """The disk does not take results at the moment; those stored before are safe."""


@contextmanager
def telling_faults() -> Iterator[None]:
    """Turns what the disk says while a run is stored into a StorageError."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        raise StorageError(f"{store.NAME}: {error}") from error
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise StorageError(f"{name}{error.strerror or error}") from error


@contextmanager
def opened(out: Path, fresh: manifests.Manifest, resume: bool) -> Iterator[Opened]:
    """The store and manifest of a run that begins, or with `resume` may go on, in `out`.

    fresh: the manifest of the run that is asked for. The folder is this process' alone
    meanwhile. Raises UserError where the folder holds something else.
    """
    _make(out)
    with _locked(out):
        connection, manifest = _begin(out, fresh) if _is_empty(out) else _go_on(out, fresh, resume)
        try:
            yield connection, manifest
        finally:
            connection.close()


def _make(out: Path) -> None:
    """Make the folder, if need be; raises UserError where that cannot be or is of no use."""
    try:
        make_folder(out)
    except (FileExistsError, NotADirectoryError) as error:
        raise UserError(f"{out}: not a folder; give another --out") from error
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        raise UserError(f"{out}: {error.strerror}; give another --out") from error
    if not os.access(out, os.W_OK | os.X_OK):
        raise UserError(f"{out}: may not be written; give another --out")


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Keeps other runs out of the folder; the lock of a process that is killed is gone."""
    try:
        descriptor = _lock(out)
    except BlockingIOError as error:
        raise UserError(f"{out}: another run is going on there; give another --out") from error
    try:
        yield
    finally:
        os.close(descriptor)


def _lock(out: Path) -> int:
    """The descriptor of a lock on the folder itself, or on a file in it where that cannot be.

    Windows opens no folders, and a network file system may lock nothing but what is open for
    writing.
    """
    try:
        return _lock_opened(os.open(out, os.O_RDONLY))
    except BlockingIOError:
        raise
    except OSError:
        return _lock_opened(os.open(out / LOCK, os.O_RDWR | os.O_CREAT, 0o666))


def _lock_opened(descriptor: int) -> int:
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EAGAIN, errno.EACCES):
            raise BlockingIOError(error.errno, error.strerror) from error
        raise
    return descriptor


def _is_empty(out: Path) -> bool:
    """Whether a run may begin there; what a run left that never began is removed."""
    left = [path for path in out.iterdir() if path.name != LOCK]
    if any(not _may_be_left(path) for path in left) or not is_blank(out):
        return False
    for path in left:
        path.unlink(missing_ok=True)  # SQLite has put away a journal, maybe.
    return True


def _may_be_left(path: Path) -> bool:
    return path.name.startswith((store.NAME, _DRAFT))


def _begin(out: Path, fresh: manifests.Manifest) -> Opened:
    connection = store.create(out)
    manifests.write(out, fresh)
    return connection, fresh


def _go_on(out: Path, fresh: manifests.Manifest, resume: bool) -> Opened:
    if not resume:
        raise UserError(f"{out}: not empty; add --resume to go on there, or give another --out")
    old = manifests.read(out)
    if found := manifests.difference(old, fresh):
        raise UserError(f"{out}: cannot go on: {found}; give another --out")
    with telling_damage(out):
        check_version(out)
        connection = store.reopen(out)
    for draft in out.glob(f"{_DRAFT}*"):
        draft.unlink()
    return connection, old
