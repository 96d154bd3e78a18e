"""Clusters of near-duplicates: equal bags first, then a join of the bags that differ."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from metamorph.duplicates.copies import Thresholds
from metamorph.duplicates.fingerprints import Bags, Longs
from metamorph.duplicates.join import Pairs, Rows, near_pairs, numbered, reached, similarities

Grouping = Literal["closure", "leader"]
Join = Callable[[Rows, Thresholds], Pairs]
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
    clusters = [c for group in groups if (c := _cluster(group, equal, rows, limits))]
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


def _cluster(
    group: Sequence[int], equal: Sequence[Sequence[int]], rows: Rows, limits: Thresholds
) -> Cluster | None:
    """The cluster of the bags of these groups; None if it is a single one."""
    members = tuple(sorted(number for each in group for number in equal[each]))
    if len(members) < 2:
        return None
    sets, bags = _least(np.array(group, np.int64), rows)
    whole = reached(limits, np.array([sets]), np.array([bags]))
    return Cluster(members, sets, bags, not whole[0])


def _least(group: Longs, rows: Rows) -> tuple[float, float]:
    """The smallest similarities of any two of these bags."""
    places = np.flatnonzero(np.isin(rows.order, group))
    sets = bags = 1.0
    for number, place in enumerate(places[1:], 1):
        others = places[:number]
        found = similarities(rows, np.full(number, place), others)
        sets, bags = min(sets, found[0].min()), min(bags, found[1].min())
    return float(sets), float(bags)
