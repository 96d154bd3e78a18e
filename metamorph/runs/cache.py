"""Answers that were paid for once: kept in one SQLite file for all runs."""

import hashlib
import json
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from metamorph.errors import fault_of
from metamorph.models.options import Options
from metamorph.models.protocol import Asked, Example, Model, Prediction, Streaming
from metamorph.runs.parameters import answering
from metamorph.runs.store import SYNC_SECONDS
from metamorph.version import VERSION

NAME = "answers.sqlite"
_SCHEMA = 1
_WAIT = 60.0
"""Seconds to wait while another process writes."""

_PAUSE = 0.02
"""Seconds between two attempts to open what another process opens too."""

_CHUNK = 32
"""Questions put at once to a model that tells its answers all together."""

_BOUND = 500
"""Keys looked up by one statement."""


class _AskedModel(Model, Asked, Protocol):
    """A model whose answers can be kept."""


def folder() -> Path:
    """Where the cache lies: METAMORPH_CACHE, or the user's own cache folder."""
    if named := os.environ.get("METAMORPH_CACHE"):
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("metamorph", appauthor=False)


def remembering(model: Model, options: Options, run: str = "") -> Model:
    """The model behind the cache, if its answers can be kept and the cache can be used.

    run: the id of the run. Behind the address of a model that does not tell its revision there may
    be another one tomorrow: its answers are kept for this run alone.
    """
    if not isinstance(model, Asked) or not (run or _tells_revision(model)):
        return model
    cache = Cache.open(folder())
    return model if cache is None else Remembering(model, options, cache, run)


def _tells_revision(model: Model) -> bool:
    return model.identity.get("revision") != "unknown"


def adaptations(model: Model) -> tuple[str, ...]:
    """What had to be said otherwise for the model's server to answer, as far as it knows."""
    return tuple(getattr(model, "adapted", ()))


@dataclass(slots=True)
class Cache:
    """Key -> answer, for several threads and processes; a fault turns it off, and is told."""

    path: Path
    connection: sqlite3.Connection | None
    lock: threading.Lock = field(default_factory=threading.Lock)
    synced: float = field(default_factory=time.monotonic)

    @classmethod
    def open(cls, where: Path) -> "Cache | None":
        """The cache in that folder, made if need be; None, with a warning, where it is damaged."""
        path = where / NAME
        try:
            where.mkdir(parents=True, exist_ok=True)
            return cls(path, _connect(path))
        except (OSError, sqlite3.Error) as error:
            _warn(path, error)
            return None

    def count(self) -> int:
        """How many answers are kept."""
        return sum(int(count) for (count,) in self._execute("SELECT COUNT(*) FROM answers", ()))

    def get(self, keys: Sequence[bytes]) -> dict[bytes, Prediction]:
        """The answers that are known, by key."""
        found: dict[bytes, Prediction] = {}
        for start in range(0, len(keys), _BOUND):
            part = keys[start : start + _BOUND]
            marks = ", ".join("?" * len(part))
            query = f"SELECT key, answer FROM answers WHERE key IN ({marks})"
            for key, text in self._execute(query, part):
                with suppress(ValueError, TypeError, KeyError):
                    found[key] = _answer(text)
        return found

    def put(self, answers: Mapping[bytes, Prediction]) -> None:
        """Keep answers, all at once."""
        if answers:
            marks = ", ".join(["(?, ?)"] * len(answers))
            values = [v for key, answer in answers.items() for v in (key, _stored(answer))]
            due = time.monotonic() - self.synced >= SYNC_SECONDS
            if due:
                # This transaction waits for the disk, and for all that came before it.
                self._execute("PRAGMA synchronous = FULL", ())
            self._execute(f"INSERT OR REPLACE INTO answers VALUES {marks}", values)
            if due:
                self._execute("PRAGMA synchronous = NORMAL", ())
                self.synced = time.monotonic()

    def _execute(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        with self.lock:
            if self.connection is None:
                return []
            try:
                return self.connection.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                _warn(self.path, error)
                self.close()
                return []

    def close(self) -> None:
        """Use it no more."""
        with suppress(sqlite3.Error):
            if self.connection is not None:
                self.connection.close()
        self.connection = None


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file; of several processes that make it at once, each waits for the others.

    SQLite itself does not, where two go over to a log ahead of the data: one is refused.
    """
    until = time.monotonic() + _WAIT
    while True:
        try:
            return _opened(path)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(_PAUSE)


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _SCHEMA):
            raise sqlite3.DatabaseError(f"schema {version}, not {_SCHEMA}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT NOT NULL)"
        )
        connection.execute(f"PRAGMA user_version = {_SCHEMA}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _warn(path: Path, error: Exception) -> None:
    fault = error.strerror if isinstance(error, OSError) else str(error)
    print(
        f"metamorph: warning: {path}: cannot be used ({fault}); going on without kept answers",
        file=sys.stderr,
    )


def _stored(answer: Prediction) -> str:
    kept = asdict(answer)
    del kept["id"], kept["cached"]
    return json.dumps(kept)


def _answer(text: str) -> Prediction:
    kept = json.loads(text)
    kept["candidates"] = tuple((name, score) for name, score in kept["candidates"])
    kept["usage"] = kept["usage"] and tuple(kept["usage"])
    return Prediction("", **kept, cached=True)


class Remembering:
    """A model that is asked each question once.

    A question is all that the answer depends on: the model with its revision and address, the
    text, the sampling parameters, the number of the asking, and the version of metamorph, which
    reads the answer. What a model said is kept, be it no answer; faults on the way to it are not.
    """

    def __init__(self, model: _AskedModel, options: Options, cache: Cache, run: str = "") -> None:
        self._model = model
        self._cache = cache
        about = [VERSION, model.name, sorted(model.identity.items()), answering(options)]
        self._about = about if _tells_revision(model) else [*about, run]

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def identity(self) -> Mapping[str, str]:
        """The model's identity."""
        return self._model.identity

    def label(self, method_name: str) -> str:
        """As the model has it."""
        return self._model.label(method_name)

    @property
    def adapted(self) -> tuple[str, ...]:
        """What the model's server had to be asked otherwise."""
        return adaptations(self._model)

    def question(self, example: Example) -> str:
        """What the model is told."""
        return self._model.question(example)

    def key(self, example: Example) -> bytes:
        """The digest of all that the answer depends on."""
        whole = [*self._about, self._model.question(example), example.repeat]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).digest()

    def known(self, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys whose answer is at hand."""
        return set(self._cache.get(keys))

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The kept answers and those to the questions that are left, each asked once."""
        keys = {example.id: self.key(example) for example in batch}
        answers = self._cache.get(list(dict.fromkeys(keys.values())))
        left = {keys[e.id]: e for e in batch if keys[e.id] not in answers}
        asked = {example.id: key for key, example in left.items()}
        for answer in self._asked(list(left.values())):
            if answer.id in asked:
                key = asked[answer.id]
                answers[key] = answer
                if answer.label is not None or answer.finish_reason:
                    self._cache.put({key: answer})
        return list(_to_each(keys, answers, asked))

    def _asked(self, examples: Sequence[Example]) -> Iterator[Prediction]:
        """The answers as they come; what the model raises is told of those it left unanswered."""
        width = len(examples) if isinstance(self._model, Streaming) else _CHUNK
        for start in range(0, len(examples), width or 1):
            chunk = examples[start : start + width]
            missing = {example.id for example in chunk}
            try:
                for answer in self._told(chunk):
                    missing.discard(answer.id)
                    yield answer
            except Exception as error:
                reason = f"model-raised-{fault_of(error)}"
                yield from (Prediction(id, None, error=reason) for id in sorted(missing))

    def _told(self, examples: Sequence[Example]) -> Iterable[Prediction]:
        if isinstance(self._model, Streaming):
            return self._model.answers(examples)
        return self._model.predict(examples)


def _to_each(
    keys: Mapping[str, bytes], answers: Mapping[bytes, Prediction], asked: Mapping[str, bytes]
) -> Iterator[Prediction]:
    """Each example's answer; of several with one question, one was asked."""
    for id, key in keys.items():
        if key in answers:
            answer = answers[key]
            yield replace(answer, id=id, cached=answer.cached or id not in asked)
