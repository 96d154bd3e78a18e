"""Methods of many projects as one set of arrays, and batches drawn from it."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metamorph.models.numerics import Longs
from metamorph.training.shards import Ints, Shard

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Methods with indexed contexts.

    labels: a name a method; offsets: method i owns the rows offsets[i]:offsets[i + 1] of
    contexts; contexts: rows of (token, path, token) indices.
    """

    labels: list[str]
    offsets: Longs
    contexts: Ints

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> Longs:
        """Number of contexts of each method."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class Batch:
    """Methods put side by side: contexts is (methods, width, 3), mask tells the real rows."""

    members: Longs
    contexts: Ints
    mask: Bools


def fingerprints(shard: Shard) -> npt.NDArray[np.uint64]:
    """One number a method: its label and its contexts, in order."""
    tokens, paths = _hashes(shard.tokens), _hashes(shard.paths)
    rows = shard.contexts
    mixed = tokens[rows[:, 0]] * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= paths[rows[:, 1]] * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed ^= tokens[rows[:, 2]] * np.uint64(0x165667B19E3779F9)
    place = np.arange(len(rows), dtype=np.int64) - np.repeat(
        shard.offsets[:-1], np.diff(shard.offsets)
    )
    mixed *= (2 * place.astype(np.uint64) + np.uint64(1)) * np.uint64(0x2545F4914F6CDD1D)
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    bodies: npt.NDArray[np.uint64] = sums[shard.offsets[1:]] - sums[shard.offsets[:-1]]
    return _hashes(shard.labels) ^ bodies


def select(
    shard: Shard,
    seen: set[int] | None,
    *,
    cap: int | None = None,
    rng: np.random.Generator,
) -> Longs:
    """Methods of a shard worth training on, in order.

    Left out: those without contexts, exact copies of one in `seen` (which grows; None keeps
    copies), and, beyond `cap`, a random rest.
    """
    chosen = np.flatnonzero(np.diff(shard.offsets) > 0)
    if seen is not None:
        chosen = chosen[_unseen(fingerprints(shard)[chosen].tolist(), seen)]
    if cap is not None and len(chosen) > cap:
        chosen = np.sort(rng.choice(chosen, cap, replace=False))
    return chosen


def _unseen(numbers: Sequence[int], seen: set[int]) -> list[int]:
    """The places of the numbers that are not in `seen`, which they then are."""
    places = []
    for place, number in enumerate(numbers):
        if number not in seen:
            seen.add(number)
            places.append(place)
    return places


def gather(
    parts: Sequence[tuple[Shard, Longs]], tokens: Mapping[str, int], paths: Mapping[str, int]
) -> Dataset:
    """The chosen methods of each shard, their strings as indices; unknown ones become 0."""
    labels: list[str] = []
    lengths: list[Longs] = []
    contexts: list[Ints] = []
    for shard, chosen in parts:
        token_index = np.array([tokens.get(token, 0) for token in shard.tokens], dtype=np.int32)
        path_index = np.array([paths.get(path, 0) for path in shard.paths], dtype=np.int32)
        rows = rows_of(shard.offsets, chosen)
        found = shard.contexts[rows]
        columns = (token_index[found[:, 0]], path_index[found[:, 1]], token_index[found[:, 2]])
        contexts.append(np.stack(columns, axis=1))
        lengths.append(np.diff(shard.offsets)[chosen])
        labels.extend(shard.labels[index] for index in chosen.tolist())
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate(lengths))])
    return Dataset(labels, offsets, np.concatenate(contexts))


def rows_of(offsets: Longs, chosen: Longs) -> Longs:
    """The row numbers that the chosen methods own, in their order."""
    starts, lengths = offsets[chosen], np.diff(offsets)[chosen]
    ends = np.cumsum(lengths)
    shift = np.repeat(starts - ends + lengths, lengths)
    rows: Longs = np.arange(int(ends[-1]) if len(ends) else 0, dtype=np.int64) + shift
    return rows


def batches(
    data: Dataset, size: int, width: int, rng: np.random.Generator, *, chunk: int = 40
) -> Iterator[Batch]:
    """One epoch in random order, at most `width` random contexts a method.

    Methods of like length share a batch, so that little of it is padding: the epoch is cut into
    chunks of `chunk` batches that are sorted inside.
    """
    order = rng.permutation(len(data))
    lengths = np.minimum(data.lengths, width)
    plans: list[Longs] = []
    for start in range(0, len(order), size * chunk):
        part = order[start : start + size * chunk]
        part = part[np.argsort(lengths[part], kind="stable")]
        plans.extend(part[at : at + size] for at in range(0, len(part), size))
    for which in rng.permutation(len(plans)).tolist():
        yield pad(data, plans[which], width, rng)


def in_order(data: Dataset, size: int, width: int) -> Iterator[Batch]:
    """Every method once, its first `width` contexts, as at prediction; the shortest first."""
    order = np.argsort(np.minimum(data.lengths, width), kind="stable")
    for start in range(0, len(order), size):
        yield pad(data, order[start : start + size], width, None)


def pad(data: Dataset, members: Longs, width: int, rng: np.random.Generator | None) -> Batch:
    """Put methods side by side: random contexts of each, or without `rng` the first ones."""
    lengths = data.lengths[members]
    longest = int(lengths.max(initial=1))
    place = np.arange(longest, dtype=np.int64)
    mask = place < lengths[:, None]
    rows = np.where(mask, data.offsets[members][:, None] + place, 0)
    if longest > width:
        if rng is not None:
            keys = np.where(mask, rng.random(rows.shape, dtype=np.float32), 2.0)
            picked = np.argpartition(keys, width, axis=1)[:, :width]
            rows = np.take_along_axis(rows, picked, axis=1)
            mask = np.take_along_axis(mask, picked, axis=1)
        else:
            rows, mask = rows[:, :width], mask[:, :width]
    contexts = data.contexts[rows]
    contexts[~mask] = 0
    return Batch(members, contexts, mask)


def _hashes(strings: Sequence[str]) -> npt.NDArray[np.uint64]:
    digests = b"".join(
        hashlib.blake2b(string.encode("utf-8", "surrogateescape"), digest_size=8).digest()
        for string in strings
    )
    return np.frombuffer(digests, dtype=np.uint64)
