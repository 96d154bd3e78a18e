"""The sets most alike to a given one: an exact search by Jaccard similarity."""

from array import array
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

_FEW = 20_000
"""Entries of the index that are read before it is tried to leave out the common tokens."""

_TRIED = 16


@dataclass(frozen=True, slots=True)
class Rows:
    """Lists of numbers of different lengths: row r is `flat[starts[r] : starts[r + 1]]`."""

    starts: Longs
    flat: Ints

    def lengths(self, rows: Longs) -> Longs:
        """How long these rows are."""
        return self.starts[rows + 1] - self.starts[rows]

    def joined(self, rows: Longs) -> Ints:
        """These rows one after the other."""
        lengths = self.lengths(rows)
        ends = np.cumsum(lengths)
        shifts = np.repeat(self.starts[rows] - ends + lengths, lengths)
        return self.flat[np.arange(len(shifts), dtype=np.int64) + shifts]


def rows(lengths: Iterable[int], flat: Ints) -> Rows:
    """Rows of these lengths."""
    ends = np.cumsum(np.fromiter(lengths, np.int64), dtype=np.int64)
    return Rows(np.concatenate([np.zeros(1, np.int64), ends]), flat)


class Neighbours:
    """A fixed collection of sets, numbered from 0, and for each token the sets that hold it.

    The rarest tokens of the question are looked up first. A set that shares none of them shares
    at most the others, and its similarity is at most their share of the question: where enough
    sets are more alike than that, the long lists of the common tokens need not be read.
    """

    def __init__(self, vocabulary: dict[bytes, int], sets: Rows) -> None:
        self._vocabulary = vocabulary
        self._sets = sets
        self._sizes = np.diff(sets.starts)
        owners = np.repeat(np.arange(len(self._sizes), dtype=np.int32), self._sizes)
        spread = np.bincount(sets.flat, minlength=len(vocabulary))
        self._holders = rows(spread.tolist(), owners[np.argsort(sets.flat, kind="stable")])
        self._spread = spread

    def __len__(self) -> int:
        return len(self._sizes)

    def nearest(self, tokens: Collection[bytes], count: int) -> list[tuple[int, float]]:
        """The sets most alike, with their similarities, best first; of equals the first ones.

        Sets that share nothing are left out. tokens: each once.
        """
        ids = np.array([n for t in tokens if (n := self._vocabulary.get(t)) is not None], np.int64)
        ids = ids[np.lexsort((ids, self._spread[ids]))]
        found = self._by_rare_tokens(ids, len(tokens), count)
        if found is None:
            shared = np.bincount(self._holders.joined(ids), minlength=len(self))
            touched = np.flatnonzero(shared)
            found = touched, self._similarity(shared[touched], touched, len(tokens))
        return _best(*found, count)

    def _by_rare_tokens(self, ids: Longs, size: int, count: int) -> tuple[Longs, Doubles] | None:
        """Sets among which the nearest are, if the rare tokens tell; None if they do not."""
        rare = int(np.searchsorted(np.cumsum(self._spread[ids]), _FEW))
        left = len(ids) - rare
        if not rare or left <= 0:
            return None
        shared = np.bincount(self._holders.joined(ids[:rare]), minlength=len(self))
        touched = np.flatnonzero(shared)
        most = np.minimum(shared[touched] + left, self._sizes[touched])
        highest = self._similarity(most, touched, size)
        limit = self._limit(touched, highest, ids, size, count)
        if limit <= left / size:
            return None
        hopeful = touched[highest >= limit]
        return hopeful, self._compared(hopeful, ids, size)

    def _limit(self, touched: Longs, highest: Doubles, ids: Longs, size: int, count: int) -> float:
        """A similarity that `count` sets have at least."""
        tried = max(_TRIED, 2 * count)
        if len(touched) > tried:
            touched = touched[np.argpartition(-highest, tried)[:tried]]
        if len(touched) < count:
            return 0.0
        return float(np.sort(self._compared(touched, ids, size))[-count])

    def _compared(self, sets: Longs, ids: Longs, size: int) -> Doubles:
        """The similarity of each of these sets."""
        wanted = np.zeros(len(self._spread), dtype=np.bool_)
        wanted[ids] = True
        lengths = self._sets.lengths(sets)
        hits = np.concatenate([[0], np.cumsum(wanted[self._sets.joined(sets)])])
        ends = np.cumsum(lengths)
        return self._similarity(hits[ends] - hits[ends - lengths], sets, size)

    def _similarity(self, shared: Longs, sets: Longs, size: int) -> Doubles:
        similarity: Doubles = shared / (size + self._sizes[sets] - shared)
        return similarity


class Gathering:
    """Sets that are still being gathered, token by token."""

    def __init__(self) -> None:
        self.vocabulary: dict[bytes, int] = {}
        self._lengths = array("q")
        self._flat = array("i")

    def add(self, tokens: Collection[bytes]) -> None:
        """The next set; each token once."""
        known = self.vocabulary
        self._lengths.append(len(tokens))
        self._flat.extend([known.setdefault(token, len(known)) for token in tokens])

    def sets(self) -> Rows:
        """All sets so far."""
        return rows(self._lengths, np.array(self._flat, dtype=np.int32))


def _best(sets: Longs, similarity: Doubles, count: int) -> list[tuple[int, float]]:
    if len(sets) > count:
        least = np.partition(similarity, -count)[-count]
        kept = similarity >= least
        sets, similarity = sets[kept], similarity[kept]
    order = np.lexsort((sets, -similarity))[:count]
    return list(zip(sets[order].tolist(), similarity[order].tolist(), strict=True))
