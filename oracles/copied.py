"""Outcomes by what a method is to the training set: a copy of one there, of nothing, or untold."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from metamorph.oracles.bootstrap import Estimate, Interval, Resampling
from metamorph.oracles.clustering import by_clusters
from metamorph.oracles.counts import Integers, Originals, key_of
from metamorph.oracles.rates import NO_RATE, Rate, apart, gap, rate

METHOD, FILE, NONE, UNTOLD = "method", "file", "none", "untold"
COPIED = (METHOD, FILE, NONE, UNTOLD)
"""The method is a near-copy of a training method; else its file is one of a training file; else
it is neither; or its own tokens are too few to tell, and its file is no copy."""

Copied = Mapping[str, Integers]
"""The keys of the originals of each of `COPIED`, ascending."""


@dataclass(frozen=True, slots=True)
class CopyTally:
    """Counts of one transformation in one place over the originals of one of `COPIED`.

    less_none: this change rate less that of `none`, with bounds of the same draws.
    """

    transform: str
    place: str
    copied: str
    originals: int
    variants: int
    judged: int
    changed: int
    interval: Interval | None = None
    less_none: Estimate = field(default_factory=lambda: Estimate(None))

    @property
    def change_rate(self) -> float | None:
        """changed / judged, None where nothing was judged."""
        return self.changed / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class CopyScores:
    """How many methods of one of `COPIED` there are, and how they are answered as they stand.

    right: right of those answered whose right answer is known; less_none: this less that of `none`.
    """

    copied: str
    methods: int
    right: Rate
    less_none: Estimate


@dataclass(frozen=True, slots=True)
class ByCopy:
    """A run split by what its methods are to the training set, which has so many files.

    fingerprint: of the training corpus; scores: of the methods as they stand; tallies: of their
    variants.
    """

    files: int
    fingerprint: str
    scores: list[CopyScores]
    tallies: list[CopyTally]


def copy_tallies(tables: Iterable[Originals], copied: Copied, seed: int) -> Iterator[CopyTally]:
    """Tallies by what originals are, in the order of `COPIED`; those without originals left out."""
    for table in tables:
        draws = Resampling(by_clusters(table), seed)
        for part in _parts(table.keys, copied, draws, table.changed, table.judged):
            variants = int(table.results[part.rows].sum())
            about = (table.transform, table.place, part.copied, len(part.rows), variants)
            rates = (part.rate.of, part.rate.hits, part.rate.interval, part.less_none)
            yield CopyTally(*about, *rates)


def copy_scores(
    graded: Integers, right: Integers, clusters: Integers, copied: Copied, seed: int
) -> list[CopyScores]:
    """The scores of each of `COPIED` that has methods.

    graded: the keys of methods answered whose right answer is known; right: 1 or 0 for each;
    clusters: what the intervals are over.
    """
    found = _parts(graded, copied, Resampling(clusters, seed), right, np.ones_like(right))
    parts = {part.copied: (part.rate, part.less_none) for part in found}
    nothing = NO_RATE, Estimate(None)
    counts = ((name, len(copied.get(name, ()))) for name in COPIED)
    return [CopyScores(name, n, *parts.get(name, nothing)) for name, n in counts if n]


@dataclass(frozen=True, slots=True)
class _Part:
    """The rows of one of `COPIED`, their rate, and this less that of `none`."""

    copied: str
    rows: Integers
    rate: Rate
    less_none: Estimate


def _parts(
    keys: Integers, copied: Copied, draws: Resampling, hits: Integers, of: Integers
) -> Iterator[_Part]:
    """The parts that have rows. hits, of: what the rates are of, row by row."""
    there = {name: np.isin(keys, copied.get(name, ())) for name in COPIED}
    rates = {name: rate(draws.within(at), hits[at], of[at]) for name, at in there.items()}
    none = there[NONE]
    for name, at in there.items():
        if not at.any():
            continue
        less_none = Estimate(None)
        if name != NONE:
            found = gap(draws, hits * none, of * none, hits * at, of * at)
            less_none = replace(found, interval=apart(rates[NONE], rates[name], found.interval))
        yield _Part(name, np.flatnonzero(at), rates[name], less_none)


def parts_of(rows: Iterable[tuple[int, int, str]]) -> Copied:
    """From numbers of file and method, and what the method is, in the order of the corpus."""
    found: dict[str, array[int]] = {name: array("q") for name in COPIED}
    for file, method, name in rows:
        found[name].append(key_of(file, method))
    return {name: np.frombuffer(keys, np.int64) for name, keys in found.items()}
