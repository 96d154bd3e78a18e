"""The store of a run as those see it who did not write it: read, checked, or found damaged."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from metamorph.errors import UserError
from metamorph.runs.store import NAME, VERSION

_WAL = f"{NAME}-wal"


@contextmanager
def reading(folder: Path) -> Iterator[sqlite3.Connection]:
    """The store of a run, for reading only; the run may still be going on.

    Raises UserError where there is none or it is damaged, be it seen late.
    """
    with (
        telling_damage(folder),
        readable(folder) as path,
        closing(sqlite3.connect(path)) as connection,
    ):
        connection.execute("PRAGMA query_only = 1")
        yield connection


@contextmanager
def readable(folder: Path) -> Iterator[Path]:
    """The file of a store that can be read: its own, or a copy for the time being.

    What a killed run leaves needs a helper file beside it, for which a full disk has no room, and
    a folder that may not be written no place.
    """
    if _opens(folder):
        yield folder / NAME
        return
    with TemporaryDirectory(prefix="metamorph-") as copy:
        for name in (NAME, _WAL):
            shutil.copyfile(folder / name, Path(copy) / name)
        check_version(Path(copy))
        yield Path(copy) / NAME


def _opens(folder: Path) -> bool:
    """Whether the store can be read where it is; no is said only where a copy may be."""
    try:
        check_version(folder)
    except sqlite3.OperationalError:
        if (folder / _WAL).is_file():
            return False
        raise
    return True


@contextmanager
def telling_damage(*folders: Path) -> Iterator[None]:
    """Turns what SQLite says of a file, one of these folders', into words for the user."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.DatabaseError as error:
        files = " or ".join(str(folder / NAME) for folder in folders)
        raise UserError(
            f"{files}: cannot be read ({error}); repeat the run in another --out"
        ) from error


def check_version(folder: Path) -> None:
    """Raise UserError unless the folder has a store of this version."""
    if not (folder / NAME).is_file():
        raise UserError(f"{folder}: holds no {NAME}; give the folder of a metamorph run")
    with closing(sqlite3.connect(folder / NAME)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        tables = connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    if tables is None:
        raise UserError(f"{folder / NAME}: is empty; repeat the run in another --out")
    if version != VERSION:
        raise UserError(
            f"{folder / NAME}: written by another version (schema {version}, not {VERSION}); "
            "repeat the run"
        )


def is_blank(folder: Path) -> bool:
    """Whether a store is missing, or nothing was ever stored: a run was killed as it began."""
    if not (folder / NAME).is_file():
        return True
    try:
        with closing(sqlite3.connect(folder / NAME)) as connection:
            tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
            return not tables or not connection.execute("SELECT 1 FROM files").fetchall()
    except sqlite3.DatabaseError:
        return False
