"""Answers that were computed elsewhere, in a file of JSON lines, gzipped or not."""

import gzip
import hashlib
import json
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import numpy.typing as npt

from metamorph.errors import UserError
from metamorph.models.options import Options, only
from metamorph.models.protocol import Example, Prediction
from metamorph.models.records import BadAnswerError, prediction
from metamorph.tasks import Task
from metamorph.tasks import load as load_task

NOT_RECORDED = "not-recorded"

_LONGEST_LINE = 64 * 1024 * 1024
_Keys = npt.NDArray[np.uint64]
_Offsets = npt.NDArray[np.int64]


def content_key(code: str, repeat: int = 0) -> str:
    """What tells a program from all others: the SHA-256 of its code, in hex.

    With `#1`, `#2` ... where the same program is asked again.
    """
    digest = hashlib.sha256(code.encode("utf-8", "surrogateescape")).hexdigest()
    return f"{digest}#{repeat}" if repeat else digest


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the file: its number, where it begins, and the object on it."""

    number: int
    offset: int
    record: Mapping[str, object]
    id: str


class Answers:
    """The answers in a file, found by id: 16 bytes of memory each, the lines stay on disk.

    Raises UserError where a line is no answer, or two lines answer one id differently.
    """

    def __init__(self, path: Path, task: Task) -> None:
        self.path = path
        self._task = task
        self._stream = _opened(path)
        self._lock = threading.Lock()
        self.sha256 = _digest(self._stream)
        self._keys, self._offsets = self._index()

    def get(self, id: str) -> Mapping[str, object] | None:
        """The object that answers this id."""
        key = np.uint64(_key(id))
        first = int(np.searchsorted(self._keys, key))
        last = int(np.searchsorted(self._keys, key, side="right"))
        for offset in self._offsets[first:last].tolist():
            record = self._at(offset)
            if _id(record) == id:
                return record
        return None

    def __len__(self) -> int:
        return len(self._keys)

    def _at(self, offset: int) -> Mapping[str, object]:
        with self._lock:
            self._stream.seek(offset)
            line = self._stream.readline()
        return cast(Mapping[str, object], json.loads(line))

    def _index(self) -> tuple[_Keys, _Offsets]:
        """Keys and offsets of all ids, sorted by key; equal answers to one id are kept once."""
        rows = np.fromiter(self._rows(), np.dtype([("key", np.uint64), ("at", np.int64)]))
        rows.sort(order=("key", "at"))
        keys, offsets = np.ascontiguousarray(rows["key"]), np.ascontiguousarray(rows["at"])
        kept = np.ones(len(keys), dtype=np.bool_)
        for index in (np.flatnonzero(keys[1:] == keys[:-1]) + 1).tolist():
            kept[index] = not self._repeats(int(offsets[index - 1]), int(offsets[index]))
        return keys[kept], offsets[kept]

    def _rows(self) -> Iterator[tuple[int, int]]:
        for line in self._lines():
            try:
                prediction("", line.record, self._task)
            except BadAnswerError as error:
                raise self._fault(line.number, str(error)) from None
            yield _key(line.id), line.offset

    def _lines(self) -> Iterator[_Line]:
        self._stream.seek(0)
        offset, number = 0, 0
        while text := self._stream.readline(_LONGEST_LINE):
            number += 1
            if text.strip():
                record = self._parsed(number, text)
                yield _Line(number, offset, record, _id(record))
            offset += len(text)

    def _parsed(self, number: int, text: bytes) -> Mapping[str, object]:
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            raise self._fault(number, "not JSON") from None
        if not isinstance(record, dict) or not _id(record):
            raise self._fault(number, 'no object with an "id" or "sha256"')
        return record

    def _repeats(self, one: int, other: int) -> bool:
        """Whether two lines say the same of one id; two ids may share a key, though hardly."""
        before, after = self._at(one), self._at(other)
        id = _id(before)
        if id != _id(after):
            return False
        if prediction("", before, self._task) != prediction("", after, self._task):
            raise UserError(f"{self.path}: two different answers to {id}; keep one of them")
        return True

    def _fault(self, number: int, fault: str) -> UserError:
        return UserError(
            f"{self.path}:{number}: {fault}; a line has an id, and a label, candidates or an error"
        )


class Recorded:
    """Answers by the content of what a model is told; a program without one has no answer."""

    def __init__(self, name: str, answers: Answers, task: Task) -> None:
        self.name = name
        self.answers = answers
        self._task = task
        self.identity = {"kind": "recorded", "sha256": answers.sha256}

    def label(self, method_name: str) -> str:
        """In the form of the task."""
        return self._task.label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """Look each program up."""
        return [self._predict(example) for example in batch]

    def _predict(self, example: Example) -> Prediction:
        code = self._task.code(example.tree, example.node)
        record = self.answers.get(content_key(code, example.repeat))
        if record is None:
            return Prediction(example.id, None, error=NOT_RECORDED)
        return prediction(example.id, record, self._task)


def load(rest: str, options: Options) -> Recorded:
    """The answers in the file `rest`."""
    if not rest:
        raise UserError("model recorded: names no file; give --model recorded:FILE")
    only(options, "recorded")
    task = load_task(options.task)
    return Recorded(f"recorded:{rest}", Answers(Path(rest), task), task)


def _opened(path: Path) -> BinaryIO:
    """The file, to be read at any place; what is gzipped is unpacked into a temporary file."""
    try:
        stream = path.open("rb")
        if stream.read(2) != b"\x1f\x8b":
            stream.seek(0)
            return stream
        stream.close()
        unpacked = tempfile.TemporaryFile()  # noqa: SIM115
        with gzip.open(path) as packed:
            shutil.copyfileobj(packed, unpacked, 1 << 20)
    except (OSError, EOFError) as error:
        fault = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path}: cannot be read ({fault}); give a JSONL file") from error
    unpacked.seek(0)
    return cast(BinaryIO, unpacked)


def _digest(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    while block := stream.read(1 << 20):
        digest.update(block)
    return digest.hexdigest()


def _key(id: str) -> int:
    digest = hashlib.blake2b(id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _id(record: Mapping[str, object]) -> str:
    """The id that an object answers, "" if it names none."""
    id = record.get("id") or record.get("sha256")
    return id.lower() if isinstance(id, str) else ""
