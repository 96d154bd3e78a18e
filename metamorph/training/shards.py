"""Shards: the extracted path contexts of one project, as compact arrays in one file."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from metamorph.durable import whole_bytes

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Shard:
    """The methods of one project in one style.

    labels: a name a method; of_file: index into `files` a method; offsets: method i owns the rows
    offsets[i]:offsets[i + 1] of contexts; contexts: rows (token, path, token) of indices into
    `tokens` and `paths`, in the extractor's order.
    """

    project: str
    style: str
    files: list[str]
    labels: list[str]
    of_file: Ints
    offsets: npt.NDArray[np.int64]
    contexts: Ints
    tokens: list[str]
    paths: list[str]

    def __len__(self) -> int:
        return len(self.labels)


class ShardWriter:
    """Collects methods, interning their strings; `shard` makes the value."""

    def __init__(self, project: str, style: str) -> None:
        self._project = project
        self._style = style
        self._files: dict[str, int] = {}
        self._labels: list[str] = []
        self._of_file: list[int] = []
        self._offsets: list[int] = [0]
        self._chunks: list[Ints] = []
        self._tokens: dict[str, int] = {}
        self._paths: dict[str, int] = {}

    def add(self, file: str, label: str, contexts: Iterable[tuple[str, str, str]]) -> None:
        """Add one method; one without contexts is kept, with none."""
        tokens, paths = self._tokens, self._paths
        rows = [
            (
                tokens.setdefault(left, len(tokens)),
                paths.setdefault(path, len(paths)),
                tokens.setdefault(right, len(tokens)),
            )
            for left, path, right in contexts
        ]
        self._labels.append(label)
        self._of_file.append(self._files.setdefault(file, len(self._files)))
        self._offsets.append(self._offsets[-1] + len(rows))
        if rows:
            self._chunks.append(np.array(rows, dtype=np.int32))

    def shard(self) -> Shard:
        """Everything added so far."""
        empty = np.zeros((0, 3), dtype=np.int32)
        return Shard(
            self._project,
            self._style,
            list(self._files),
            self._labels,
            np.array(self._of_file, dtype=np.int32),
            np.array(self._offsets, dtype=np.int64),
            np.concatenate(self._chunks) if self._chunks else empty,
            list(self._tokens),
            list(self._paths),
        )


def save(shard: Shard, path: Path) -> None:
    """Write a shard whole or not at all."""
    with whole_bytes(path) as out:
        np.savez(
            out,
            files=pack(shard.files),
            labels=pack(shard.labels),
            of_file=shard.of_file,
            offsets=shard.offsets,
            contexts=shard.contexts,
            tokens=pack(shard.tokens),
            paths=pack(shard.paths),
        )


def read(path: Path) -> Shard:
    """Read `PROJECT.STYLE.npz`."""
    project, style = path.stem.rsplit(".", 1)
    with np.load(path, allow_pickle=False) as data:
        return Shard(
            project,
            style,
            unpack(data["files"]),
            unpack(data["labels"]),
            data["of_file"],
            data["offsets"],
            data["contexts"],
            unpack(data["tokens"]),
            unpack(data["paths"]),
        )


def of_files(shard: Shard, wanted: Collection[str]) -> Shard:
    """The methods of the wanted files."""
    there = np.array([file in wanted for file in shard.files], np.bool_)
    if there.all():
        return shard
    kept = there[shard.of_file]
    lengths = np.diff(shard.offsets)
    return replace(
        shard,
        labels=[shard.labels[number] for number in np.flatnonzero(kept).tolist()],
        of_file=shard.of_file[kept],
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[kept])]),
        contexts=shard.contexts[np.repeat(kept, lengths)],
    )


def pack(strings: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Strings without line feeds as the bytes of their lines."""
    text = "".join(f"{string}\n" for string in strings)
    return np.frombuffer(text.encode("utf-8", "surrogateescape"), dtype=np.uint8)


def unpack(data: npt.NDArray[np.uint8]) -> list[str]:
    """The strings that `pack` was given."""
    return data.tobytes().decode("utf-8", "surrogateescape").split("\n")[:-1]


def rows_of(shard: Shard) -> Iterator[Ints]:
    """Each method's contexts in turn."""
    offsets = shard.offsets
    for index in range(len(shard)):
        yield shard.contexts[offsets[index] : offsets[index + 1]]
