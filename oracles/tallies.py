"""Tallies: outcomes counted by transformation, place and method length (paper, section 6)."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from metamorph.oracles.intervals import change_interval
from metamorph.oracles.lengths import BINS, length_bin
from metamorph.oracles.outcomes import CATEGORIES, CHANGED, CHANGES, WITHOUT_GOLD

INCONCLUSIVE = "inconclusive"
NO_ANSWER = "no_answer"

_JUDGED = frozenset({*CATEGORIES, *WITHOUT_GOLD})
_CHANGED = CHANGES | {CHANGED}


@dataclass(frozen=True, slots=True)
class Counted:
    """How many variants of one original method came out alike.

    result: a category, `same` or `changed` where no answer is known to be right, `inconclusive`
    (the model answers the original now so, now so) or `no_answer`; original: any key of the
    method; unstable: whether its answers varied, None where that was not measured; truncated:
    whether the model did not see the whole of the method or the variant.
    """

    transform: str
    place: str
    original: tuple[int, int]
    statements: int
    result: str
    count: int
    unstable: bool | None = None
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one transformation in one place.

    variants = judged + inconclusive + no_answer; judged = the five categories + those without a
    right answer, `without_gold`; rates are shares of the judged. interval: 95 % bounds of the
    change rate; noise_floor: share of the originals whose answer varied though nothing changed,
    None where none was answered twice. truncated, truncated_changed: those of the judged, and of
    the changed, of which the model did not see the whole.
    """

    transform: str
    place: str
    originals: int
    categories: dict[str, int]
    inconclusive: int
    no_answer: int
    interval: tuple[float, float] | None
    noise_floor: float | None
    without_gold: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WITHOUT_GOLD, 0))
    truncated: int = 0
    truncated_changed: int = 0

    @property
    def variants(self) -> int:
        """All variants that were put to the model."""
        return self.judged + self.inconclusive + self.no_answer

    @property
    def judged(self) -> int:
        """The variants of which it is known whether the prediction changed."""
        return sum(self.categories.values()) + sum(self.without_gold.values())

    @property
    def changed(self) -> int:
        """The variants whose prediction differs from the original's."""
        right_or_wrong = sum(self.categories[category] for category in CHANGES)
        return right_or_wrong + self.without_gold[CHANGED]

    @property
    def change_rate(self) -> float | None:
        """changed / judged, None where nothing was judged."""
        return self.changed / self.judged if self.judged else None

    @property
    def whole_change_rate(self) -> float | None:
        """The same without those that the model did not see whole."""
        whole = self.judged - self.truncated
        return (self.changed - self.truncated_changed) / whole if whole else None


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
    originals: dict[tuple[int, int], bool | None] = field(default_factory=dict)
    truncated: int = 0
    truncated_changed: int = 0

    def add(self, row: Counted) -> None:
        self.results[row.result] += row.count
        self.originals[row.original] = row.unstable
        if row.result in _JUDGED:
            changed = row.count * (row.result in _CHANGED)
            self.judged[row.original] += row.count
            self.changed[row.original] += changed
            self.truncated += row.count * row.truncated
            self.truncated_changed += changed * row.truncated


def tally(rows: Iterable[Counted], plan: Iterable[tuple[str, str]], seed: int = 0) -> list[Tally]:
    """A tally for each (transformation, place) of the plan, those without variants too."""
    sums = {(transform, place): _Sums() for transform, place in plan}
    for row in rows:
        sums[row.transform, row.place].add(row)
    return [_tally(*key, of, seed) for key, of in sums.items()]


def _tally(transform: str, place: str, sums: _Sums, seed: int) -> Tally:
    clusters = Counter((n, sums.changed[key]) for key, n in sums.judged.items())
    measured = [unstable for unstable in sums.originals.values() if unstable is not None]
    return Tally(
        transform,
        place,
        len(sums.originals),
        {category: sums.results[category] for category in CATEGORIES},
        sums.results[INCONCLUSIVE],
        sums.results[NO_ANSWER],
        change_interval(clusters, seed),
        sum(measured) / len(measured) if measured else None,
        {result: sums.results[result] for result in WITHOUT_GOLD},
        sums.truncated,
        sums.truncated_changed,
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
    judged = sum(results[result] for result in _JUDGED)
    changed = sum(results[result] for result in _CHANGED)
    return LengthTally(transform, place, bin, results.total(), judged, changed)
