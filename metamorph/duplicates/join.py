"""All pairs of near-duplicate bags, exactly: a join by rare tokens.

Two sets of similarity t or more share a token among the first few of each, the rarest first, so
pairs that meet there are all candidates (Bayardo et al. 2007; Xiao et al. 2008); bounds by size,
position and number of tokens leave few of them to be compared in full.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.duplicates.fingerprints import Bags, Ints, Keys, Longs, joined, spans
from metamorph.duplicates.thresholds import Thresholds

Doubles = npt.NDArray[np.float64]

_SLACK = 1e-9
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_CHUNK = 4_000_000
"""Entries that are held at a time."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Bags whose tokens are numbered, the rarest first; the smaller rows come before the larger.

    order: which bag each row is.
    """

    order: Longs
    starts: Longs
    tokens: Longs
    counts: Ints
    totals: Longs
    vocabulary: int
    alone: int

    def sizes(self) -> Longs:
        """The number of distinct tokens of each row."""
        return np.diff(self.starts)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of near-duplicates, `first` before `second`, in order, and how alike they are."""

    first: Longs
    second: Longs
    sets: Doubles
    bags: Doubles

    def __len__(self) -> int:
        return len(self.first)


def numbered(bags: Bags) -> Rows:
    """The bags as rows. alone: the tokens with a lower number occur in one row only."""
    sizes = bags.sizes()
    order = np.argsort(sizes, kind="stable")
    bags = bags.chosen(order)
    known, tokens = distinct(bags.keys)
    spread = np.bincount(tokens, minlength=known)
    ranks = np.empty(known, np.int64)
    ranks[np.argsort(spread, kind="stable")] = np.arange(known)
    tokens = ranks[tokens]
    keyed = np.repeat(np.arange(len(bags)), bags.sizes()) * known + tokens
    places = np.argsort(keyed)
    return Rows(
        order,
        bags.starts,
        tokens[places],
        bags.counts[places],
        bags.totals(),
        known,
        int(np.count_nonzero(spread == 1)),
    )


def distinct(keys: Keys) -> tuple[int, Longs]:
    """How many different keys there are, and the number of each: np.unique, but twice as fast.

    The keys go into a table by their upper bits, the last to come stays. Who finds itself or its
    like there has its number; the others go into the next table, by other bits.
    """
    bits = np.uint64(64 - max(1, len(keys).bit_length()))
    table = np.empty(1 << int(64 - bits), np.int32 if len(keys) < 1 << 31 else np.int64)
    numbers = np.empty(len(keys), np.int64)
    left, mixed, count = np.arange(len(keys)), keys, 0
    while len(left):
        mixed = mixed * _FACTOR
        slots = (mixed >> bits).astype(np.int64)
        table[slots] = left
        there = table[slots]
        new = left[there == left]
        numbers[new] = np.arange(count, count + len(new))
        count += len(new)
        same = keys[there] == keys[left]
        numbers[left[same]] = numbers[there[same]]
        left, mixed = left[~same], mixed[~same]
    return count, numbers


def near_pairs(rows: Rows, limits: Thresholds) -> Pairs:
    """The pairs of bags that reach both thresholds."""
    found = [_confirmed(rows, first, second, limits) for first, second in _candidates(rows, limits)]
    none = np.zeros(0, np.int64)
    parts = [np.concatenate([none, *column]) for column in zip(*found, strict=True)]
    if not parts:
        return Pairs(none, none, none.astype(np.float64), none.astype(np.float64))
    first, second, sets, bags = parts
    return in_order(first, second, sets, bags)


def in_order(one: Longs, other: Longs, sets: Doubles, bags: Doubles) -> Pairs:
    """The pairs of bags sorted, the smaller number of each first."""
    first, second = np.minimum(one, other), np.maximum(one, other)
    order = np.lexsort((second, first))
    return Pairs(first[order], second[order], sets[order], bags[order])


def prefix_lengths(sizes: Longs, threshold: float) -> tuple[Longs, Longs]:
    """How many of the rarest tokens to look up, and how many to be found by."""
    probed = sizes - _ceiling(threshold * sizes) + 1
    return probed, sizes - _ceiling(2 * threshold / (1 + threshold) * sizes) + 1


def similarities(rows: Rows, first: Longs, second: Longs) -> tuple[Doubles, Doubles]:
    """Jaccard similarity of the sets and of the multisets of rows; 1 where both are empty."""
    sizes = rows.sizes()
    ends = np.cumsum(sizes[second])
    sets, bags = np.ones(len(first)), np.ones(len(first))
    begin = 0
    while begin < len(first):
        done = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, done + _CHUNK, side="right")))
        part = slice(begin, end)
        sets[part], bags[part] = _compared(rows, first[part], second[part])
        begin = end
    return sets, bags


def _compared(rows: Rows, first: Longs, second: Longs) -> tuple[Doubles, Doubles]:
    """Looks up each token of the second rows in the first."""
    sizes = rows.sizes()
    places, _ = joined(rows.starts, second)
    owners = np.repeat(np.arange(len(first)), sizes[second])
    tokens = rows.tokens[places]
    known, at = _held(rows, first)
    wanted = at[owners] * rows.vocabulary + tokens
    found = np.searchsorted(known[0], wanted)
    hit = found < len(known[0])
    hit[hit] = known[0][found[hit]] == wanted[hit]
    owners = owners[hit]
    common = np.bincount(owners, minlength=len(first))
    least = np.minimum(rows.counts[places[hit]], known[1][found[hit]])
    shared = np.bincount(owners, least, minlength=len(first))
    unions = sizes[first] + sizes[second] - common
    all_of_both = rows.totals[first] + rows.totals[second] - shared
    return _ratio(common, unions), _ratio(shared, all_of_both)


def _held(rows: Rows, first: Longs) -> tuple[tuple[Longs, Ints], Longs]:
    """The entries of the rows, each row once, keyed in ascending order; and which each row is."""
    distinct, at = np.unique(first, return_inverse=True)
    places, starts = joined(rows.starts, distinct)
    owners = np.repeat(np.arange(len(distinct)), np.diff(starts))
    return (owners * rows.vocabulary + rows.tokens[places], rows.counts[places]), at


def _ratio(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Doubles:
    ratio = np.ones(len(part))
    np.divide(part, whole, out=ratio, where=whole != 0)
    return ratio


def reached(limits: Thresholds, sets: Doubles, bags: Doubles) -> npt.NDArray[np.bool_]:
    """Where both similarities reach their thresholds, or exceed them if that is asked for."""
    if limits.strict:
        return (sets > limits.keys) & (bags > limits.bags)
    return (sets >= limits.keys) & (bags >= limits.bags)


def _confirmed(
    rows: Rows, first: Longs, second: Longs, limits: Thresholds
) -> tuple[Longs, Longs, Doubles, Doubles]:
    """The candidates that are near-duplicates, as bags."""
    sets, bags = similarities(rows, first, second)
    kept = reached(limits, sets, bags)
    return rows.order[first[kept]], rows.order[second[kept]], sets[kept], bags[kept]


def _candidates(rows: Rows, limits: Thresholds) -> Iterator[tuple[Longs, Longs]]:
    """Pairs of rows, the larger first, each once; among them all near-duplicates."""
    sizes, count = rows.sizes(), len(rows.order)
    probed, indexed = prefix_lengths(sizes, limits.keys)
    owners, places = _prefixes(rows, probed)
    index_owners, index_places = _prefixes(rows, indexed)
    keyed = rows.tokens[rows.starts[index_owners] + index_places] * count + index_owners
    order = np.argsort(keyed)
    keyed, index_owners, index_places = keyed[order], index_owners[order], index_places[order]
    base = rows.tokens[rows.starts[owners] + places] * count
    smallest = np.searchsorted(sizes, _ceiling(limits.keys * sizes))
    low = np.searchsorted(keyed, base + smallest[owners])
    lengths = np.searchsorted(keyed, base + owners) - low
    for part in _parts(lengths, owners):
        first = np.repeat(owners[part], lengths[part])
        at = spans(low[part], lengths[part])
        second = index_owners[at]
        behind = np.minimum(
            sizes[first] - np.repeat(places[part], lengths[part]),
            sizes[second] - index_places[at],
        )
        kept = behind >= _ceiling(limits.keys / (1 + limits.keys) * (sizes[first] + sizes[second]))
        first, second = first[kept], second[kept]
        one, other = rows.totals[first], rows.totals[second]
        near = np.minimum(one, other) >= limits.bags * np.maximum(one, other) - _SLACK
        pairs = np.unique(first[near] * count + second[near])
        yield pairs // count, pairs % count


def _prefixes(rows: Rows, lengths: Longs) -> tuple[Longs, Longs]:
    """The first so many tokens of each row, as rows and places; those of one row only left out."""
    lengths = np.where(rows.sizes() > 0, lengths, 0)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    places = spans(np.zeros(len(lengths), np.int64), lengths)
    kept = rows.tokens[rows.starts[owners] + places] >= rows.alone
    return owners[kept], places[kept]


def _ceiling(values: npt.NDArray[np.floating[Any]]) -> Longs:
    """Rounded up, but not for the error of a product of doubles."""
    rounded: Longs = np.ceil(values - _SLACK).astype(np.int64)
    return rounded


def _parts(lengths: Longs, owners: Longs) -> Iterator[slice]:
    """Slices of entries that meet about a chunk of others; none cuts through a row's entries."""
    ends = np.cumsum(lengths)
    begin = 0
    while begin < len(owners):
        done = ends[begin - 1] if begin else 0
        last = max(begin, int(np.searchsorted(ends, done + _CHUNK, side="right")) - 1)
        end = int(np.searchsorted(owners, owners[last], side="right"))
        yield slice(begin, end)
        begin = end
