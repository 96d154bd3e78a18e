"""The trees of several methods as arrays, and which of their leaves a path joins."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from metamorph.duplicates.fingerprints import spans
from metamorph.models.contexts.build import Builder
from metamorph.models.numerics import Longs

MAX_LENGTH = 8
MAX_WIDTH = 2
NARROW = 1 << 16
"""Fewer nodes than that are sorted several times as fast."""

Flags = npt.NDArray[np.bool_]

_AT_ONCE = 2_000_000
_SIDE = MAX_LENGTH - 1
"""The most nodes of a path on one side of its top."""


class Forest:
    """Nodes of several trees, tree after tree, in depth-first order.

    starts: the first node of each tree, and their number, which as a node stands for none; leaves:
    the nodes that are leaves; leaf_starts: the first leaf of each tree, and their number; tree:
    that of each leaf; above: the leaves, their parents, the parents of these and so on, as many as
    a path can reach; within: for each number of nodes down from a node, itself included, how many
    leaves it has.
    """

    __slots__ = (
        "_falling",
        "_following",
        "above",
        "child_id",
        "is_leaf",
        "leaf_starts",
        "leaves",
        "parent",
        "starts",
        "tree",
        "within",
    )

    def __init__(self, trees: Sequence[Builder]) -> None:
        counts = [len(tree.label) for tree in trees]
        self.starts: Longs = np.cumsum([0, *counts])
        none = int(self.starts[-1])
        self.parent: Longs = np.full(none + 1, none)
        self.parent[:none] = _flat([tree.parent for tree in trees], none)
        self.parent[:none] += np.repeat(self.starts[:-1], counts)
        self.parent[self.starts[:-1]] = none
        self.child_id = np.zeros(none + 1, dtype=np.int64)
        self.child_id[:none] = _flat([tree.child_id for tree in trees], none)
        self.is_leaf: Flags = np.zeros(none + 1, dtype=np.bool_)
        texts = chain.from_iterable(tree.text for tree in trees)
        self.is_leaf[:none] = np.fromiter((text is not None for text in texts), np.bool_, none)
        self.leaves: Longs = np.flatnonzero(self.is_leaf)
        self.leaf_starts: Longs = np.searchsorted(self.leaves, self.starts)
        self.tree = np.repeat(np.arange(len(trees)), np.diff(self.leaf_starts))
        self.above: Longs = np.empty((MAX_LENGTH, len(self.leaves)), dtype=np.int64)
        self._climb(none)
        self._order(none)

    def _climb(self, none: int) -> None:
        self.within: Longs = np.zeros((MAX_LENGTH, none + 1), dtype=np.int64)
        here = self.leaves
        for step in range(MAX_LENGTH):
            self.above[step] = here
            if step < _SIDE:
                np.add(
                    self.within[step],
                    np.bincount(here, minlength=none + 1),
                    out=self.within[step + 1],
                )
            here = self.parent[here]
        self.within[:, none] = 0

    def _order(self, none: int) -> None:
        """Which sibling follows each node, and whose children's ids fall from one to the next."""
        parent = self.parent[:none]
        order = _stable_order(parent, none)
        same = (parent[order[1:]] == parent[order[:-1]]) & (parent[order[1:]] != none)
        before, behind = order[:-1][same], order[1:][same]
        self._following: Longs = np.full(none + 1, none)
        self._following[before] = behind
        self._falling: Flags = np.zeros(none + 1, dtype=np.bool_)
        self._falling[parent[before[self.child_id[before] > self.child_id[behind]]]] = True

    def partners(self, nodes: Longs, most: int) -> tuple[Longs, Longs] | None:
        """The siblings on the right that are near enough, with their nodes' places among `nodes`.

        In order; None where there are more than `most`.
        """
        none = len(self.parent) - 1
        owners, found, total = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
        at = np.arange(len(nodes), dtype=np.int64)
        widest = self.child_id[nodes] + MAX_WIDTH
        falling = self._falling[self.parent[nodes]]
        here = self._following[nodes]
        while len(at):
            near = (here != none) & (self.child_id[here] <= widest[at])
            owners.append(at[near])
            found.append(here[near])
            total += len(owners[-1])
            if total > most:
                return None
            on = (near | falling[at]) & (here != none)
            at, here = at[on], self._following[here[on]]
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        return owner[order], np.concatenate(found)[order]


@dataclass(frozen=True, slots=True)
class Groups:
    """Paths of one leaf to the leaves below one node, in the official order.

    leaf: its place among the leaves; level: how far above it the top of the paths is; other: the
    node on the other side, below the top; count: how many leaves it joins.
    """

    leaf: Longs
    level: Longs
    other: Longs
    count: Longs

    def chosen(self, which: Longs | Flags | slice) -> "Groups":
        """Some of them."""
        return Groups(self.leaf[which], self.level[which], self.other[which], self.count[which])


@dataclass(frozen=True, slots=True)
class Pairs:
    """Joined leaves, by their places among the leaves.

    level: how far above the left one the top of the path is; depth: how far below the top's child
    the right one.
    """

    left: Longs
    level: Longs
    right: Longs
    depth: Longs

    def chosen(self, which: Longs | Flags | slice) -> "Pairs":
        """Some of them."""
        return Pairs(self.left[which], self.level[which], self.right[which], self.depth[which])


T = TypeVar("T", Groups, Pairs)


def groups(forest: Forest, begin: int, most: int = _AT_ONCE) -> tuple[Groups, int]:
    """The groups of the leaves from `begin` on, of all of them if there are not too many.

    Also where the next ones begin.
    """
    stop = len(forest.leaves)
    while True:
        chains = forest.above[:_SIDE, begin:stop]
        marked = np.zeros(len(forest.parent), dtype=np.bool_)
        marked[chains] = True
        nodes = np.flatnonzero(marked[:-1])
        found = forest.partners(nodes, most if stop - begin > 1 else len(forest.parent) * _SIDE)
        if found is not None:
            return _groups(forest, chains, nodes, *found, begin), stop
        stop = begin + (stop - begin) // 2


def _groups(
    forest: Forest, chains: Longs, nodes: Longs, owners: Longs, others: Longs, begin: int
) -> Groups:
    none = len(forest.parent) - 1
    counts = np.zeros(none + 1, dtype=np.int64)
    counts[nodes] = np.bincount(owners, minlength=len(nodes))
    first = np.cumsum(counts) - counts
    flat = chains.T.ravel()
    lengths = counts[flat]
    at = np.repeat(np.arange(len(flat), dtype=np.int64), lengths)
    other = others[spans(first[flat], lengths)]
    level = at % _SIDE + 1
    count = forest.within[MAX_LENGTH - level, other]
    found = Groups(at // _SIDE + begin, level, other, count)
    return found.chosen(count > 0)


def pairs(forest: Forest, wanted: Groups) -> Iterator[Pairs]:
    """All pairs of some groups, in parts of a bearable size."""
    none = len(forest.parent) - 1
    used = np.zeros(none + 1, dtype=np.bool_)
    used[wanted.other] = True
    below = forest.above[:_SIDE].T.ravel()
    entries = np.flatnonzero(used[below])
    keys = below[entries]
    entries = entries[_stable_order(keys, none)]
    counts = np.bincount(keys, minlength=none + 1)
    first = np.cumsum(counts) - counts
    lengths = counts[wanted.other]
    ends = np.cumsum(lengths)
    begin = 0
    while begin < len(ends):
        done = ends[begin - 1] if begin else 0
        stop = max(begin + 1, int(np.searchsorted(ends, done + _AT_ONCE, side="right")))
        part = wanted.chosen(slice(begin, stop))
        at = entries[spans(first[part.other], lengths[begin:stop])]
        own = np.repeat(np.arange(stop - begin, dtype=np.int64), lengths[begin:stop])
        depth, level = at % _SIDE, part.level[own]
        kept = depth + level < MAX_LENGTH
        own = own[kept]
        yield Pairs(part.leaf[own], level[kept], at[kept] // _SIDE, depth[kept])
        begin = stop


def joined(kind: type[T], parts: Sequence[T]) -> T:
    """Some groups or pairs in one."""
    if not parts:
        return kind(*[np.zeros(0, dtype=np.int64) for _ in fields(kind)])
    names = [each.name for each in fields(kind)]
    return kind(*map(np.concatenate, ([getattr(part, name) for part in parts] for name in names)))


def _flat(lists: Sequence[list[int]], count: int) -> Longs:
    return np.fromiter(chain.from_iterable(lists), dtype=np.int64, count=count)


def _stable_order(keys: Longs, most: int) -> Longs:
    """The order of numbers up to `most`; narrow ones are sorted several times as fast."""
    return np.argsort(keys.astype(np.uint16) if most < NARROW else keys, kind="stable")
