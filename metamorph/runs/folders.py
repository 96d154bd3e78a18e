"""The folder of a run: begun, gone on with, or refused."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from metamorph.errors import UserError
from metamorph.runs import manifest as manifests
from metamorph.runs import store

Opened = tuple[sqlite3.Connection, manifests.Manifest]


@contextmanager
def opened(out: Path, fresh: manifests.Manifest, resume: bool) -> Iterator[Opened]:
    """The store and manifest of a run that begins, or with `resume` may go on, in `out`.

    fresh: the manifest of the run that is asked for. The folder is this process' alone
    meanwhile. Raises UserError where the folder holds something else.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise UserError(f"{out}: not a folder; give another --out") from error
    with _locked(out):
        connection, manifest = _begin(out, fresh) if _is_empty(out) else _go_on(out, fresh, resume)
        try:
            yield connection, manifest
        finally:
            connection.close()


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Keeps other runs out of the folder, on systems that lock folders."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(out, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise UserError(f"{out}: another run is going on there; give another --out") from error
        yield
    finally:
        os.close(descriptor)


def _is_empty(out: Path) -> bool:
    """Whether a run may begin there; what a run left that never began is removed."""
    names = [path.name for path in out.iterdir()]
    if any(not name.startswith((store.NAME, f".{manifests.NAME}.")) for name in names):
        return False
    for name in names:
        (out / name).unlink()
    return True


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
    return store.reopen(out), old
