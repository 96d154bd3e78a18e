"""Tallies: outcomes counted by transformation, place and method length (paper, section 6)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from metamorph.oracles.intervals import change_interval
from metamorph.oracles.lengths import BINS, length_bin
from metamorph.oracles.outcomes import CATEGORIES, CHANGES

INCONCLUSIVE = "inconclusive"
NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True)
class Counted:
    """How many variants of one original method came out alike.

    result: a category, `inconclusive` (the model answers the original now so, now so) or
    `no_answer`; original: any key of the method; unstable: whether its answers varied.
    """

    transform: str
    place: str
    original: tuple[int, int]
    statements: int
    result: str
    count: int
    unstable: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one transformation in one place.

    variants = the five categories + inconclusive + no_answer; rates are shares of the variants
    in the five categories. interval: 95 % bounds of the change rate; noise_floor: share of the
    originals whose answer varied though nothing changed, None where they were asked once.
    """

    transform: str
    place: str
    originals: int
    categories: dict[str, int]
    inconclusive: int
    no_answer: int
    interval: tuple[float, float] | None
    noise_floor: float | None

    @property
    def variants(self) -> int:
        """All variants that were put to the model."""
        return self.judged + self.inconclusive + self.no_answer

    @property
    def judged(self) -> int:
        """The variants in the five categories."""
        return sum(self.categories.values())

    @property
    def changed(self) -> int:
        """The variants whose prediction differs from the original's."""
        return sum(self.categories[category] for category in CHANGES)

    @property
    def change_rate(self) -> float | None:
        """changed / judged, None where nothing was judged."""
        return self.changed / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class LengthTally:
    """Counts of one transformation in one place over methods of one length bin."""

    transform: str
    place: str
    bin: str
    variants: int
    judged: int
    changed: int

    @property
    def change_rate(self) -> float | None:
        """changed / judged, None where nothing was judged."""
        return self.changed / self.judged if self.judged else None


@dataclass(slots=True)
class _Sums:
    results: Counter[str] = field(default_factory=Counter)
    judged: Counter[tuple[int, int]] = field(default_factory=Counter)
    changed: Counter[tuple[int, int]] = field(default_factory=Counter)
    originals: dict[tuple[int, int], bool] = field(default_factory=dict)

    def add(self, row: Counted) -> None:
        self.results[row.result] += row.count
        self.originals[row.original] = row.unstable
        if row.result in CATEGORIES:
            self.judged[row.original] += row.count
            self.changed[row.original] += row.count * (row.result in CHANGES)


def tally(
    rows: Iterable[Counted], plan: Iterable[tuple[str, str]], seed: int = 0, repeat: int = 1
) -> list[Tally]:
    """A tally for each (transformation, place) of the plan, those without variants too."""
    sums = {(transform, place): _Sums() for transform, place in plan}
    for row in rows:
        sums[row.transform, row.place].add(row)
    return [_tally(*key, of, seed, repeat) for key, of in sums.items()]


def _tally(transform: str, place: str, sums: _Sums, seed: int, repeat: int) -> Tally:
    clusters = Counter((n, sums.changed[key]) for key, n in sums.judged.items())
    unstable = sum(sums.originals.values())
    return Tally(
        transform,
        place,
        len(sums.originals),
        {category: sums.results[category] for category in CATEGORIES},
        sums.results[INCONCLUSIVE],
        sums.results[NO_ANSWER],
        change_interval(clusters, seed),
        unstable / len(sums.originals) if repeat > 1 and sums.originals else None,
    )


def by_length(rows: Iterable[Counted]) -> Iterator[LengthTally]:
    """Tallies by method length, in the order of `BINS`; bins without variants are left out."""
    sums: dict[tuple[str, str], dict[str, Counter[str]]] = {}
    for row in rows:
        bins = sums.setdefault((row.transform, row.place), {})
        bins.setdefault(length_bin(row.statements), Counter())[row.result] += row.count
    for (transform, place), bins in sums.items():
        for name in BINS:
            if name in bins:
                yield _length_tally(transform, place, name, bins[name])


def _length_tally(transform: str, place: str, bin: str, results: Counter[str]) -> LengthTally:
    judged = sum(results[category] for category in CATEGORIES)
    changed = sum(results[category] for category in CHANGES)
    return LengthTally(transform, place, bin, results.total(), judged, changed)
