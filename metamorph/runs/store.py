"""The store of a run: one SQLite file, a transaction a file, one writer.

Rows are keyed by their place in the corpus, never by the time at which they came, so that two
runs of one study hold the same rows.
"""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from metamorph.runs.packing import Packed, Row
from metamorph.runs.rows import passes
from metamorph.runs.shared_disks import is_shared

NAME = "results.sqlite"
VERSION = 4

_WAIT = 600.0
"""Seconds to wait for a report that is being read, where there is no write-ahead log."""

_SCHEMA = """
CREATE TABLE files (
    file INTEGER PRIMARY KEY, path TEXT NOT NULL, status TEXT NOT NULL, sha256 TEXT NOT NULL,
    bytes INTEGER NOT NULL, line INTEGER NOT NULL, project TEXT NOT NULL
);
CREATE TABLE methods (
    file INTEGER NOT NULL, method INTEGER NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL,
    line INTEGER NOT NULL, statements INTEGER NOT NULL, blocks INTEGER NOT NULL, expected TEXT,
    label TEXT, score REAL, candidates TEXT, error TEXT, truncated INTEGER, finish_reason TEXT,
    tokens_in INTEGER, tokens_out INTEGER, text TEXT, unstable INTEGER, varies TEXT NOT NULL,
    PRIMARY KEY (file, method)
) WITHOUT ROWID;
CREATE TABLE variants (
    file INTEGER NOT NULL, method INTEGER NOT NULL, variant INTEGER NOT NULL,
    transform TEXT NOT NULL, place TEXT NOT NULL, sites TEXT NOT NULL, line INTEGER NOT NULL,
    names TEXT NOT NULL, edits TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    category TEXT, rank INTEGER, untouched_before REAL, untouched_after REAL,
    label TEXT, score REAL, candidates TEXT, error TEXT,
    truncated INTEGER, finish_reason TEXT, tokens_in INTEGER, tokens_out INTEGER, text TEXT,
    PRIMARY KEY (file, method, variant)
) WITHOUT ROWID;
CREATE TABLE refusals (
    file INTEGER NOT NULL, method INTEGER NOT NULL, refusal INTEGER NOT NULL,
    transform TEXT NOT NULL, reason TEXT NOT NULL, line INTEGER NOT NULL,
    PRIMARY KEY (file, method, refusal)
) WITHOUT ROWID;
CREATE TABLE copies (
    file INTEGER NOT NULL, method INTEGER NOT NULL, copied TEXT NOT NULL,
    PRIMARY KEY (file, method)
) WITHOUT ROWID;
CREATE TABLE spending (
    file INTEGER PRIMARY KEY, asked INTEGER NOT NULL, cached INTEGER NOT NULL,
    told INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL
);
"""

SYNC_SECONDS = 5.0
"""A power cut takes back the results of this time at most, and no more than 4 MB of them."""

_INDICES = """
CREATE INDEX IF NOT EXISTS methods_errors ON methods (error) WHERE error != '';
CREATE INDEX IF NOT EXISTS variants_errors ON variants (error) WHERE error != '';
"""
"""So that a run that goes on finds what has no answer without reading everything."""


def create(folder: Path) -> sqlite3.Connection:
    """An empty store in the run's folder, open for writing."""
    connection = _connect(folder)
    connection.executescript(
        f"BEGIN; {_SCHEMA} {_INDICES} PRAGMA user_version = {VERSION}; COMMIT;"
    )
    sync(connection)
    return connection


def reopen(folder: Path) -> sqlite3.Connection:
    """The store of a run that goes on, open for writing."""
    connection = _connect(folder)
    connection.executescript(f"BEGIN; {_INDICES} COMMIT;")
    return connection


def _connect(folder: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / NAME, timeout=_WAIT, isolation_level=None)
    # Without the log, what is not on the disk after each transaction may be damaged by a power cut.
    mode, synchronous = ("DELETE", "FULL") if is_shared(folder) else ("WAL", "NORMAL")
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    return connection


def count_files(connection: sqlite3.Connection) -> int:
    """Of how many files the results are stored."""
    (count,) = connection.execute("SELECT COUNT(*) FROM files").fetchone()
    return int(count)


def finished(connection: sqlite3.Connection, files: int) -> bytearray:
    """For each ordinal of so many files a 1 where its results are stored."""
    stored = bytearray(files)
    for (file,) in connection.execute("SELECT file FROM files"):
        stored[file] = 1
    return stored


def unanswered(connection: sqlite3.Connection) -> list[int]:
    """The files for which asking again may bring an answer that is missing."""
    errors = connection.execute(
        "SELECT DISTINCT error FROM methods WHERE error != '' UNION "
        "SELECT DISTINCT error FROM variants WHERE error != ''"
    )
    passing = [error for (error,) in errors if passes(error)]
    marks = ", ".join("?" * len(passing))
    found = connection.execute(
        f"SELECT file FROM methods WHERE error != '' AND error IN ({marks}) UNION "
        f"SELECT file FROM variants WHERE error != '' AND error IN ({marks})",
        passing * 2,
    )
    return [file for (file,) in found]


def forget(connection: sqlite3.Connection, files: Sequence[int]) -> None:
    """Remove the results of these files: all of them or none."""
    with _transaction(connection):
        for table in ("files", "methods", "variants", "refusals", "spending"):
            connection.executemany(
                f"DELETE FROM {table} WHERE file = ?", ((file,) for file in files)
            )


def count_methods(connection: sqlite3.Connection) -> int:
    """How many methods are stored."""
    (count,) = connection.execute("SELECT COUNT(*) FROM methods").fetchone()
    return int(count)


def counts(connection: sqlite3.Connection) -> dict[str, int]:
    """How many rows each table has."""
    tables = ("files", "methods", "variants", "refusals")
    counted = (connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone() for table in tables)
    return {table: int(count) for table, (count,) in zip(tables, counted, strict=True)}


def seal(connection: sqlite3.Connection) -> None:
    """Have the disk keep a finished store, and make one plain file of it if that can be.

    A plain file needs no write access to be read. While somebody reads it, and where the disk is
    full, it stays as it is: two files, complete all the same.
    """
    sync(connection)
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = DELETE")


def sync(connection: sqlite3.Connection) -> None:
    """Have the disk keep all that was written."""
    (usual,) = connection.execute("PRAGMA synchronous").fetchone()
    connection.execute("PRAGMA synchronous = FULL")
    # A transaction that writes something: the version that is there already.
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute(f"PRAGMA synchronous = {usual}")


class Writer:
    """Stores results as they come, and has the disk keep them now and then."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._synced = time.monotonic()

    def write(self, row: Packed) -> bool:
        """Store a file's results, all of them or none; whether they are the first to arrive.

        A task may run twice: what comes second is the same, and is left alone.
        """
        if self._connection.execute(_IS_STORED, (row.ordinal,)).fetchone():
            return False
        write(self._connection, row)
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            sync(self._connection)
            self._synced = time.monotonic()
        return True


_IS_STORED = "SELECT 1 FROM files WHERE file = ?"


def write(connection: sqlite3.Connection, row: Packed) -> None:
    """Store a file's results: all of them or none."""
    with_file = (row.ordinal,)
    with _transaction(connection):
        for table in ("files", "methods", "variants", "refusals", "spending"):
            _insert(connection, table, (with_file + r for r in getattr(row, table)))


def has_copies(connection: sqlite3.Connection) -> bool:
    """Whether the corpus was compared with the training corpus."""
    return connection.execute("SELECT 1 FROM copies LIMIT 1").fetchone() is not None


def write_copies(connection: sqlite3.Connection, rows: Iterable[tuple[int, int, str]]) -> None:
    """Store what each method of the corpus is: all of them or none."""
    with _transaction(connection):
        _insert(connection, "copies", rows)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is written within, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have ended the transaction already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[Row]) -> None:
    rows = list(rows)
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
