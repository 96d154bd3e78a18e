"""Which contexts a method is known by: the first of them, or some drawn by chance."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metamorph.models.contexts.forest import Flags, Forest, Groups, Pairs, groups, joined, pairs
from metamorph.models.numerics import Longs


@dataclass(frozen=True, slots=True)
class Bags:
    """The pairs of several trees, tree after tree.

    starts: where those of each tree begin, and their number; complete: whether a tree has no more.
    """

    pairs: Pairs
    starts: Longs
    complete: Flags


def first(forest: Forest, most: int) -> Bags:
    """At most the first `most` pairs of each tree."""
    trees = len(forest.starts) - 1
    counted = np.zeros(trees, dtype=np.int64)
    parts: list[Pairs] = []
    begin = 0
    while begin < len(forest.leaves):
        found, begin = groups(forest, begin)
        tree = forest.tree[found.leaf]
        wanted = _ranks(tree, counted, found.count) < most
        parts += pairs(forest, found.chosen(wanted))
        counted += np.bincount(tree, found.count, trees).astype(np.int64)
        begin = _next(forest, begin, counted > most)
    whole = joined(Pairs, parts)
    tree = forest.tree[whole.left]
    kept = _ranks(tree, np.zeros(trees, np.int64), np.ones(len(tree), np.int64)) < most
    starts: Longs = np.searchsorted(tree[kept], np.arange(trees + 1))
    return Bags(whole.chosen(kept), starts, counted <= most)


def drawn(forest: Forest, size: int, rng: random.Random) -> Bags:
    """At most `size` pairs of the one tree, drawn uniformly without repetition, in order."""
    found: list[Groups] = []
    begin = 0
    while begin < len(forest.leaves):
        part, begin = groups(forest, begin)
        found.append(part)
    whole = joined(Groups, found)
    ends = np.cumsum(whole.count)
    total = int(ends[-1]) if len(ends) else 0
    picked = range(total) if total <= size else sorted(rng.sample(range(total), size))
    picks = np.array(picked, dtype=np.int64)
    places = np.searchsorted(ends, picks, side="right")
    chosen = np.unique(places)
    within = picks - (ends - whole.count)[places]
    begins = np.cumsum(whole.count[chosen]) - whole.count[chosen]
    wanted = begins[np.searchsorted(chosen, places)] + within
    parts = _picked(forest, whole.chosen(chosen), wanted)
    starts = np.array([0, len(picks)], dtype=np.int64)
    return Bags(joined(Pairs, list(parts)), starts, np.array([total <= size]))


def _picked(forest: Forest, found: Groups, wanted: Longs) -> Iterator[Pairs]:
    """The pairs at these places among those of some groups."""
    begin = 0
    for part in pairs(forest, found):
        stop = begin + len(part.left)
        here = slice(*np.searchsorted(wanted, (begin, stop)))
        yield part.chosen(wanted[here] - begin)
        begin = stop


def _ranks(tree: Longs, counted: Longs, counts: Longs) -> Longs:
    """How many pairs of its tree come before each entry, which has so many itself."""
    before = np.cumsum(counts) - counts
    begins = np.searchsorted(tree, np.arange(len(counted)))
    ranks: Longs = before - before[begins[tree]] + counted[tree]
    return ranks


def _next(forest: Forest, begin: int, done: Flags) -> int:
    """The first leaf from `begin` on whose tree has not enough pairs yet."""
    while begin < len(forest.leaves) and done[forest.tree[begin]]:
        begin = int(forest.leaf_starts[forest.tree[begin] + 1])
    return begin
