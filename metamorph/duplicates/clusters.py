"""Clusters of near-duplicates: equal bags first, then a join of the bags that differ."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from metamorph.duplicates.fingerprints import Bags, Longs, spans
from metamorph.duplicates.join import (
    Pairs,
    Rows,
    near_pairs,
    numbered,
    reached,
    similarities,
)
from metamorph.duplicates.thresholds import Thresholds

Grouping = Literal["closure", "leader"]
Join = Callable[[Rows, Thresholds], Pairs]
_PAIRS = 1_000_000
Pair = tuple[int, int, float, float]
"""Two units, the similarity of their sets and that of their multisets."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Units that are near-duplicates of each other, at least two, in ascending order.

    sets, bags: the smallest similarity of any two of them; chained: whether that is below the
    threshold, so that some were brought together by others only.
    """

    members: tuple[int, ...]
    sets: float
    bags: float
    chained: bool


@dataclass(frozen=True, slots=True)
class Found:
    """All near-duplicates of a collection of bags.

    large: which bags have tokens enough, only these take part; equal: those bags' groups of equal
    ones; pairs: between the groups.
    """

    large: Longs
    equal: list[list[int]]
    pairs: Pairs
    clusters: list[Cluster]

    def count_pairs(self) -> int:
        """How many pairs of bags are near-duplicates."""
        sizes = np.array([len(group) for group in self.equal], np.int64)
        between = sizes[self.pairs.first] * sizes[self.pairs.second]
        return int(between.sum() + (sizes * (sizes - 1) // 2).sum())

    def each_pair(self) -> Iterator[Pair]:
        """Every pair of near-duplicate bags, the smaller number first."""
        for group in self.equal:
            yield from ((one, other, 1.0, 1.0) for one, other in combinations(group, 2))
        columns = (self.pairs.first, self.pairs.second, self.pairs.sets, self.pairs.bags)
        for first, second, sets, bags in zip(*(c.tolist() for c in columns), strict=True):
            for one in self.equal[first]:
                for other in self.equal[second]:
                    yield min(one, other), max(one, other), sets, bags


def find(
    bags: Bags, limits: Thresholds, grouping: Grouping = "closure", join: Join = near_pairs
) -> Found:
    """The near-duplicates among the bags; the first bags lead the others."""
    large = np.flatnonzero(bags.totals() >= limits.least_tokens)
    equal = _equal(bags, large)
    rows = numbered(bags.chosen(np.array([group[0] for group in equal], np.int64)))
    pairs = join(rows, limits)
    if limits.strict and max(limits.keys, limits.bags) >= 1:
        return Found(large, [[n] for n in large.tolist()], pairs, [])
    groups = (_closure if grouping == "closure" else _led)(len(equal), pairs)
    clusters = _clusters([g for g in groups if _members(g, equal)], equal, rows, limits)
    return Found(large, equal, pairs, sorted(clusters, key=lambda cluster: cluster.members))


def _equal(bags: Bags, numbers: Longs) -> list[list[int]]:
    """The bags in groups of equal ones, by the first of each."""
    groups: dict[bytes, list[int]] = {}
    starts = bags.starts
    for number in numbers.tolist():
        part = slice(starts[number], starts[number + 1])
        whole = bags.keys[part].tobytes() + bags.counts[part].tobytes()
        groups.setdefault(whole, []).append(number)
    return list(groups.values())


def _closure(count: int, pairs: Pairs) -> list[list[int]]:
    """Whatever is linked by a chain of pairs."""
    if not count:
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(pairs), np.bool_), (pairs.first, pairs.second)), (count, count))
    _, labels = connected_components(links, directed=False)
    order = np.argsort(labels, kind="stable")
    stops = np.flatnonzero(np.diff(labels[order])) + 1
    return [part.tolist() for part in np.split(order, stops)]


def _led(count: int, pairs: Pairs) -> list[list[int]]:
    """Each that no earlier one leads leads its near-duplicates that nobody leads yet."""
    near: list[list[int]] = [[] for _ in range(count)]
    for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        near[first].append(second)
    led = [False] * count
    groups = []
    for leader in range(count):
        if led[leader]:
            continue
        group = [leader, *(other for other in near[leader] if not led[other])]
        for other in group:
            led[other] = True
        groups.append(group)
    return groups


def _members(group: Sequence[int], equal: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The bags of these groups of equal ones; none if it is a single one."""
    members = sorted(number for each in group for number in equal[each])
    return tuple(members) if len(members) > 1 else ()


def _clusters(
    groups: Sequence[Sequence[int]],
    equal: Sequence[Sequence[int]],
    rows: Rows,
    limits: Thresholds,
) -> Iterator[Cluster]:
    """The clusters with the smallest similarities of any two of their members."""
    places = np.empty(len(rows.order), np.int64)
    places[rows.order] = np.arange(len(rows.order))
    sets, bags = np.ones(len(groups)), np.ones(len(groups))
    for owners, first, second in _inside([places[np.array(g, np.int64)] for g in groups]):
        found = similarities(rows, first, second)
        np.minimum.at(sets, owners, found[0])
        np.minimum.at(bags, owners, found[1])
    columns = (sets.tolist(), bags.tolist(), reached(limits, sets, bags).tolist())
    for group, least_set, least_bag, near in zip(groups, *columns, strict=True):
        yield Cluster(_members(group, equal), least_set, least_bag, not near)


def _inside(groups: Sequence[Longs]) -> Iterator[tuple[Longs, Longs, Longs]]:
    """All pairs of rows within the groups, many at a time, and which group each is of."""
    parts: list[tuple[Longs, Longs, Longs]] = []
    waiting = 0
    for owner, group in enumerate(groups):
        band = max(1, _PAIRS // len(group))
        for begin in range(0, len(group), band):
            upper = np.arange(begin, min(begin + band, len(group)))
            first = np.repeat(group[upper], upper)
            second = group[spans(np.zeros_like(upper), upper)]
            parts.append((np.full(len(first), owner), first, second))
            waiting += len(first)
            if waiting >= _PAIRS:
                yield _columns(parts)
                parts, waiting = [], 0
    if parts:
        yield _columns(parts)


def _columns(parts: Sequence[tuple[Longs, Longs, Longs]]) -> tuple[Longs, Longs, Longs]:
    owners, first, second = (np.concatenate(column) for column in zip(*parts, strict=True))
    return owners, first, second
