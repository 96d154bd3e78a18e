"""code2vec's official checkpoints on disk: as released, and as imported into one file."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from metamorph.errors import UserError
from metamorph.models.checkpoints import FORMAT, find_checkpoint, is_checkpoint
from metamorph.models.plain_pickles import read_pickles
from metamorph.models.tensor_bundle import Bundle, index_of, read_bundle
from metamorph.models.tensor_files import halved, map_tensors, write_tensors
from metamorph.models.vocabularies import Vocabulary, vocabulary_from, vocabulary_of
from metamorph.models.weights import hash_of, read_facts

Array = npt.NDArray[Any]
_Kind = TypeVar("_Kind")

KIND = "code2vec"
_DICTIONARIES = "dictionaries.bin"
_VARIABLES = {
    "tokens": "model/WORDS_VOCAB",
    "paths": "model/PATHS_VOCAB",
    "targets": "model/TARGET_WORDS_VOCAB",
    "transform": "model/TRANSFORM",
    "attention": "model/ATTENTION",
}
_WORDS = ("tokens", "targets", "paths")
_STEP = 1 << 16


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The tables and vocabularies of a network, and what tells it from others.

    tables: tokens, paths, targets, transform and attention; words: those of the first three,
    whose row 0 stands for what is unknown and for padding.
    """

    path: Path
    sha256: str
    tables: Mapping[str, Array]
    words: Mapping[str, Vocabulary]


def read_official(rest: str) -> Checkpoint:
    """The checkpoint that a user's words mean; UserError where it is faulty."""
    path = Path(rest)
    imported = path.is_file() and not is_checkpoint(rest)
    return read_imported(path) if imported else read_released(rest)


def read_released(rest: str, verify: bool = False) -> Checkpoint:
    """The checkpoint of a folder or prefix, with `dictionaries.bin` beside it.

    Raises UserError where a file is missing or faulty, or the files do not fit each other; with
    `verify` the tables' bytes are compared with their checksums too.
    """
    prefix = find_checkpoint(rest)
    bundle = read_bundle(prefix)
    if verify:
        bundle.verify()
    dictionaries = prefix.with_name(_DICTIONARIES)
    if not dictionaries.is_file():
        raise UserError(f"{dictionaries}: missing; it belongs beside the checkpoint {prefix.name}")
    tables = {name: _table(bundle, variable) for name, variable in _VARIABLES.items()}
    words = dict(zip(_WORDS, _vocabularies(dictionaries), strict=True))
    return _fitting(Checkpoint(prefix, _hash(bundle, dictionaries), tables, words))


def read_imported(path: Path) -> Checkpoint:
    """The checkpoint in a file that `write_imported` wrote."""
    kind = read_facts(path).get("kind")
    if kind != KIND:
        raise UserError(f"{path}: holds a {kind} model, not {KIND}")
    tensors = map_tensors(path)
    try:
        tables = {name: tensors[name] for name in _VARIABLES}
        words = {name: vocabulary_from(tensors, name) for name in _WORDS}
    except (KeyError, IndexError, ValueError) as error:
        raise UserError(f"{path}: not a whole imported checkpoint: lacks {error}") from None
    return _fitting(Checkpoint(path, hash_of(path), tables, words))


def write_imported(checkpoint: Checkpoint, path: Path, precision: str) -> None:
    """Write all of a checkpoint into one file, which is mapped into memory when it is used."""
    tensors: dict[str, Array] = dict(checkpoint.tables)
    if precision == "float16":
        tensors |= {name: halved(tensors[name]) for name in _WORDS}
    for name, words in checkpoint.words.items():
        tensors |= words.arrays(name)
    facts = {"kind": KIND, "format": FORMAT, "source": checkpoint.sha256, "precision": precision}
    write_tensors(path, tensors, facts)


def check_numbers(checkpoint: Checkpoint) -> None:
    """UserError where a table holds what is no finite number."""
    for name, table in checkpoint.tables.items():
        for start in range(0, len(table), _STEP):
            if not np.isfinite(table[start : start + _STEP]).all():
                raise UserError(
                    f"{checkpoint.path}: {_VARIABLES[name]} holds NaN or infinite numbers"
                )


def _table(bundle: Bundle, name: str) -> Array:
    table = bundle.tensor(name)
    if table.ndim != 2 or table.dtype != np.float32:
        shape = "x".join(map(str, table.shape))
        raise UserError(f"{bundle.prefix}: {name} is {table.dtype} {shape}, not a float32 matrix")
    return table


def _vocabularies(path: Path) -> Iterator[Vocabulary]:
    """Those of tokens, targets and paths: three pickles each, and in this order."""
    pickles = read_pickles(path, 9)
    for what in _WORDS:
        rows = _typed(next(pickles), dict, path)
        words = _typed(next(pickles), dict, path)
        size = _typed(next(pickles), int, path)
        if not size or not len(rows) == len(words) == size:
            fault = f"{len(rows)} and {len(words)} words, told as {size}"
            raise UserError(f"{path}: the dictionaries of {what} contradict each other: {fault}")
        yield _vocabulary(path, what, rows, words)


def _vocabulary(path: Path, what: str, rows: dict[Any, Any], words: dict[Any, Any]) -> Vocabulary:
    """Words by their rows, which follow each other from the first row after the special words."""
    first = min((row for row in words if type(row) is int), default=0)
    if first != 1:
        raise UserError(
            f"{path}: the {what} begin at row {first}, not 1; only checkpoints that keep one row"
            " for unknown words and padding together are supported, as the released ones do"
        )
    ordered = [words.get(row) for row in range(1, len(words) + 1)]
    known = [word for word in ordered if type(word) is str]
    if len(known) < len(ordered) or any(rows.get(word) != row for row, word in enumerate(known, 1)):
        raise UserError(f"{path}: the dictionaries of {what} contradict each other")
    try:
        return vocabulary_of(known, first)
    except ValueError as error:
        raise UserError(f"{path}: the words of {what} cannot be read ({error})") from None


def _typed(value: Any, kind: type[_Kind], path: Path) -> _Kind:
    if type(value) is not kind:
        fault = f"holds a {type(value).__name__} in place of a {kind.__name__}"
        raise UserError(f"{path}: not code2vec's dictionaries: {fault}")
    return value


def _fitting(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint, if its tables have the sizes of each other and of the vocabularies."""
    for name, found in checkpoint.tables.items():
        if found.ndim != 2:
            raise UserError(f"{checkpoint.path}: {_VARIABLES[name]} is no matrix")
    for name, words in checkpoint.words.items():
        rows = len(checkpoint.tables[name])
        if rows != words.first + len(words):
            raise UserError(
                f"{checkpoint.path}: {_VARIABLES[name]} has {rows} rows, its vocabulary"
                f" {words.first + len(words)} words"
            )
    tokens, targets, paths = (checkpoint.tables[name].shape[1] for name in _WORDS)
    width = 2 * tokens + paths
    for name, shape in (("transform", (width, targets)), ("attention", (targets, 1))):
        real = checkpoint.tables[name].shape
        if real != shape:
            raise UserError(
                f"{checkpoint.path}: {_VARIABLES[name]} is {_times(real)}, not {_times(shape)}"
                " as the other tables ask"
            )
    return checkpoint


def _times(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _hash(bundle: Bundle, dictionaries: Path) -> str:
    """Of the index, which holds each tensor's checksum, the shards' sizes and the dictionaries."""
    digest = hashlib.sha256(index_of(bundle.prefix).read_bytes())
    digest.update(",".join(str(len(shard)) for shard in bundle.shards).encode())
    digest.update(hash_of(dictionaries).encode())
    return digest.hexdigest()
