"""The store of a run: one SQLite file, a transaction a file, one writer.

Rows are keyed by their place in the corpus, never by the time at which they came, so that two
runs of one study hold the same rows.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from metamorph.errors import UserError
from metamorph.models.protocol import Prediction
from metamorph.runs.rows import FileRow, MethodRow, VariantRow, passes

NAME = "results.sqlite"
VERSION = 3

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
    category TEXT, rank INTEGER, label TEXT, score REAL, candidates TEXT, error TEXT,
    truncated INTEGER, finish_reason TEXT, tokens_in INTEGER, tokens_out INTEGER, text TEXT,
    PRIMARY KEY (file, method, variant)
) WITHOUT ROWID;
CREATE TABLE refusals (
    file INTEGER NOT NULL, method INTEGER NOT NULL, refusal INTEGER NOT NULL,
    transform TEXT NOT NULL, reason TEXT NOT NULL, line INTEGER NOT NULL,
    PRIMARY KEY (file, method, refusal)
) WITHOUT ROWID;
CREATE TABLE spending (
    file INTEGER PRIMARY KEY, asked INTEGER NOT NULL, cached INTEGER NOT NULL,
    told INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL
);
"""

_Row = tuple[object, ...]


def create(folder: Path) -> sqlite3.Connection:
    """An empty store in the run's folder, open for writing."""
    connection = _connect(folder)
    connection.executescript(f"BEGIN; {_SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
    return connection


def reopen(folder: Path) -> sqlite3.Connection:
    """The store of a run that goes on, open for writing."""
    connection = _connect(folder)
    _check_version(connection, folder)
    return connection


def read(folder: Path) -> sqlite3.Connection:
    """The store of a run, for reading only; the run may still be going on."""
    if not (folder / NAME).is_file():
        raise UserError(f"{folder}: holds no {NAME}; give the folder of a metamorph run")
    connection = sqlite3.connect(folder / NAME)
    connection.execute("PRAGMA query_only = 1")
    _check_version(connection, folder)
    return connection


def _connect(folder: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(folder / NAME, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _check_version(connection: sqlite3.Connection, folder: Path) -> None:
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError as error:
        raise UserError(f"{folder / NAME}: not a results file ({error})") from error
    if version != VERSION:
        raise UserError(
            f"{folder / NAME}: written by another version (schema {version}, not {VERSION}); "
            "repeat the run"
        )


def finished(connection: sqlite3.Connection) -> set[int]:
    """The ordinals of the files whose results are stored."""
    return {file for (file,) in connection.execute("SELECT file FROM files")}


def unanswered(connection: sqlite3.Connection) -> list[int]:
    """The files for which asking again may bring an answer that is missing."""
    found = connection.execute(
        "SELECT file, error FROM methods WHERE error != '' UNION "
        "SELECT file, error FROM variants WHERE error != ''"
    )
    return sorted({file for file, error in found if passes(error)})


def forget(connection: sqlite3.Connection, files: Sequence[int]) -> None:
    """Remove the results of these files: all of them or none."""
    connection.execute("BEGIN IMMEDIATE")
    for table in ("files", "methods", "variants", "refusals", "spending"):
        connection.executemany(f"DELETE FROM {table} WHERE file = ?", [(file,) for file in files])
    connection.execute("COMMIT")


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
    """Make one plain file of a finished store, which needs no write access to be read.

    While somebody reads it that is not possible: it stays as it is, and complete all the same.
    """
    with suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = DELETE")


def write(connection: sqlite3.Connection, row: FileRow) -> None:
    """Store a file's results: all of them or none."""
    with_file = (row.ordinal,)
    connection.execute("BEGIN IMMEDIATE")
    try:
        _insert(connection, "files", [_file(row)])
        _insert(connection, "methods", (with_file + _method(m) for m in row.methods))
        _insert(connection, "variants", (with_file + v for v in _variants(row.methods)))
        _insert(connection, "refusals", (with_file + r for r in _refusals(row.methods)))
        _insert(connection, "spending", [with_file + astuple(row.spending)])
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _insert(connection: sqlite3.Connection, table: str, rows: Iterable[_Row]) -> None:
    rows = list(rows)
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _file(row: FileRow) -> _Row:
    about = (row.ordinal, _text(row.path), row.status, row.sha256, row.size, row.line)
    return *about, _text(row.project)


def _method(row: MethodRow) -> _Row:
    about = (row.index, _text(row.name), _text(row.owner), row.line, row.statements, row.blocks)
    expected = None if row.expected is None else _text(row.expected)
    unstable = None if row.unstable is None else int(row.unstable)
    return (*about, expected, *_prediction(row.prediction), unstable, row.varies)


def _variants(methods: Sequence[MethodRow]) -> Iterator[_Row]:
    for method in methods:
        for number, variant in enumerate(method.variants):
            yield (method.index, number, *_variant(variant))


def _variant(row: VariantRow) -> _Row:
    return (
        row.transform,
        row.place,
        json.dumps(row.sites),
        row.line,
        json.dumps(row.names),
        json.dumps(row.edits),
        row.status,
        _text(row.reason),
        row.category,
        row.rank,
        *_prediction(row.prediction),
    )


def _refusals(methods: Sequence[MethodRow]) -> Iterator[_Row]:
    for method in methods:
        for number, refused in enumerate(method.refusals):
            yield method.index, number, refused.transform, refused.reason, refused.line


def _prediction(prediction: Prediction | None) -> _Row:
    """The nine columns of an answer; all are NULL where the model was not asked."""
    if prediction is None:
        return (None,) * 9
    label = None if prediction.label is None else _text(prediction.label)
    candidates = [[_text(name), score] for name, score in prediction.candidates]
    return (
        label,
        prediction.score,
        json.dumps(candidates),
        _text(prediction.error),
        int(prediction.truncated),
        _text(prediction.finish_reason),
        *(prediction.usage or (None, None)),
        _text(prediction.text),
    )


def _text(value: str) -> str:
    """Text that SQLite takes: bytes that were no UTF-8, and halves of characters, are spelt out."""
    return _SURROGATE.sub(_spelt, value)


def _spelt(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


_SURROGATE = re.compile("[\ud800-\udfff]")
