"""Tallies: outcomes counted by transformation, place, method length and project (section 6)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from metamorph.oracles.bootstrap import Estimate, Interval, Resampling, ratio
from metamorph.oracles.clustering import by_clusters
from metamorph.oracles.controls import CONTROLS
from metamorph.oracles.counts import (
    INCONCLUSIVE,
    NO_ANSWER,
    Counted,
    Integers,
    Originals,
    collect,
)
from metamorph.oracles.lengths import BINS, bin_numbers
from metamorph.oracles.outcomes import (
    CATEGORIES,
    CCP,
    CHANGED,
    CHANGES,
    CIP,
    WCP,
    WITHOUT_GOLD,
    WWDP,
    WWSP,
)
from metamorph.oracles.rates import NO_RATE, Rate, gap, rate
from metamorph.oracles.subtokens import Scores, f1

__all__ = [
    "INCONCLUSIVE",
    "NO_ANSWER",
    "Counted",
    "LengthTally",
    "ProjectTally",
    "SubtokenTally",
    "Tally",
    "by_length",
    "length_tallies",
    "project_tallies",
    "tallies",
    "tally",
]

_UNKNOWN = Estimate(None)


@dataclass(frozen=True, slots=True)
class SubtokenTally:
    """Subtokens of the predictions before and after, once for each judged variant.

    f1_change: the F1 after less that before.
    """

    before: Scores
    after: Scores
    f1_change: Estimate


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts and rates of one transformation in one place.

    variants = judged + inconclusive + no_answer; judged = the five categories + those without a
    right answer, `without_gold`; rates are shares of the judged. noise_floor: share of the
    originals whose answer varied though nothing changed, None where none was asked twice, by
    repeating or as `identity`; layout_floor: share of those whose answer changed with the white
    space alone, by `reformat`. truncated, truncated_changed: those of the judged, and of the
    changed, of which the model did not see the whole. control: it changes no meaning, nor should
    it change an answer: it is no transformation of the study.

    change: the change rate (section 6.1); macro: the mean of the originals' own change rates, in
    which a method with many variants counts no more than another; cip: CIP / (CCP + CIP), which
    is also the change rate of originally correct predictions, wcp: WCP / (WWSP + WCP + WWDP)
    (table 8); wrong: the change rate of originally wrong predictions; wrong_less_correct: this
    less `cip` (section 6.2.2, figure 4).
    """

    transform: str
    place: str
    originals: int
    categories: dict[str, int]
    inconclusive: int
    no_answer: int
    change: Rate = NO_RATE
    noise_floor: float | None = None
    without_gold: dict[str, int] = field(default_factory=lambda: dict.fromkeys(WITHOUT_GOLD, 0))
    truncated: int = 0
    truncated_changed: int = 0
    macro: Estimate = _UNKNOWN
    cip: Rate = NO_RATE
    wcp: Rate = NO_RATE
    wrong: Rate = NO_RATE
    wrong_less_correct: Estimate = _UNKNOWN
    subtokens: SubtokenTally | None = None
    control: bool = False
    layout_floor: float | None = None

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
    def interval(self) -> Interval | None:
        """The 95 % bounds of the change rate."""
        return self.change.interval

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
    """Counts of one transformation in one place over methods of one length bin (figure 5)."""

    transform: str
    place: str
    bin: str
    variants: int
    judged: int
    changed: int
    originals: int = 0
    interval: Interval | None = None

    @property
    def change_rate(self) -> float | None:
        """changed / judged, None where nothing was judged."""
        return self.changed / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class ProjectTally:
    """Counts of one transformation in one place over one project; interval: over originals."""

    transform: str
    place: str
    project: str
    originals: int
    variants: int
    judged: int
    changed: int
    interval: Interval | None = None

    @property
    def change_rate(self) -> float | None:
        """changed / judged, None where nothing was judged."""
        return self.changed / self.judged if self.judged else None


def tally(
    rows: Iterable[Counted],
    plan: Iterable[tuple[str, str]],
    seed: int = 0,
    controls: Sequence[str] = (),
) -> list[Tally]:
    """A tally for each (transformation, place) of the plan, those without variants too."""
    return tallies(collect(rows, plan), seed, controls)


def tallies(tables: Sequence[Originals], seed: int, controls: Sequence[str] = ()) -> list[Tally]:
    """A tally for each table. controls: the transformations that are none."""
    same, layout = (_answers(tables, name) for name in CONTROLS)
    return [_tally(table, seed, table.transform in controls, same, layout) for table in tables]


@dataclass(frozen=True, slots=True)
class _Answers:
    """Keys of the originals of a control that were judged, and of those that changed."""

    judged: Integers
    changed: Integers


def _answers(tables: Sequence[Originals], control: str) -> _Answers:
    found = [table for table in tables if table.transform == control]
    judged = [table.keys[table.judged > 0] for table in found]
    changed = [table.keys[table.changed > 0] for table in found]
    nothing = np.zeros(0, dtype=np.int64)
    return _Answers(np.concatenate([nothing, *judged]), np.concatenate([nothing, *changed]))


def _tally(table: Originals, seed: int, control: bool, same: _Answers, layout: _Answers) -> Tally:
    draws = Resampling(by_clusters(table), seed)
    judged, right = table.judged, table.count(CCP, CIP)
    lost, wrong, moved = table.count(CIP), table.count(WWSP, WCP, WWDP), table.count(WCP, WWDP)
    own = np.divide(table.changed, judged, out=np.zeros(len(table)), where=judged > 0)
    counts = dict(zip(("judged", "changed"), table.truncated.sum(axis=0).tolist(), strict=True))
    return Tally(
        table.transform,
        table.place,
        len(table),
        {category: int(table.count(category).sum()) for category in CATEGORIES},
        int(table.count(INCONCLUSIVE).sum()),
        int(table.count(NO_ANSWER).sum()),
        rate(draws, table.changed, judged),
        _noise_floor(table, same),
        {result: int(table.count(result).sum()) for result in WITHOUT_GOLD},
        counts["judged"],
        counts["changed"],
        macro=draws.estimate(ratio, own, (judged > 0).astype(np.int64)),
        cip=rate(draws, lost, right),
        wcp=rate(draws, table.count(WCP), wrong),
        wrong=rate(draws, moved, wrong),
        wrong_less_correct=gap(draws, lost, right, moved, wrong),
        subtokens=_subtokens(table, draws),
        control=control,
        layout_floor=_mean(np.isin(table.keys, layout.judged), np.isin(table.keys, layout.changed)),
    )


def _noise_floor(table: Originals, same: _Answers) -> float | None:
    """The originals that vary when they are asked again, of those that were."""
    asked = (table.unstable >= 0) | np.isin(table.keys, same.judged)
    return _mean(asked, (table.unstable > 0) | np.isin(table.keys, same.changed))


def _mean(counted: NDArray[np.bool_], hits: NDArray[np.bool_]) -> float | None:
    return float(hits[counted].mean()) if counted.any() else None


def _subtokens(table: Originals, draws: Resampling) -> SubtokenTally | None:
    """None where no answer is known to be right, or labels are no names of subtokens."""
    totals = table.subtokens.sum(axis=0).tolist()
    if not sum(totals):
        return None
    gain = draws.estimate(_f1_change, *table.subtokens.T)
    return SubtokenTally(Scores(*totals[:3]), Scores(*totals[3:]), gain)


def _f1_change(*sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """sums: right, wrong and missed before, then after."""
    before, after = sums[:3], sums[3:]
    return f1(*after) - f1(*before)


def by_length(rows: Iterable[Counted], seed: int = 0) -> Iterator[LengthTally]:
    """Tallies by method length, in the order of `BINS`; bins without variants are left out."""
    kept = list(rows)
    plan = dict.fromkeys((row.transform, row.place) for row in kept)
    return length_tallies(collect(kept, plan), seed)


def length_tallies(tables: Iterable[Originals], seed: int) -> Iterator[LengthTally]:
    """The same of tables."""
    for table in tables:
        draws, bins = Resampling(by_clusters(table), seed), bin_numbers(table.statements)
        for number in np.unique(bins):
            part = table.part(bins == number)
            found = rate(draws.within(bins == number), part.changed, part.judged)
            about = (table.transform, table.place, BINS[number], int(part.results.sum()))
            yield LengthTally(*about, found.of, found.hits, len(part), found.interval)


def project_tallies(tables: Iterable[Originals], seed: int) -> Iterator[ProjectTally]:
    """Tallies by project, sorted by name; none where there is but one project."""
    for table in tables:
        names = table.project_names
        if len(names) < 2:
            continue
        draws = Resampling(table.keys, seed)
        # Sorted once: there are corpora of thousands of projects.
        order = np.argsort(table.projects, kind="stable")
        numbers, starts = np.unique(table.projects[order], return_index=True)
        rows = dict(zip(numbers.tolist(), np.split(order, starts[1:]), strict=False))
        for number in sorted(rows, key=names.__getitem__):
            here = rows[number]
            part = table.part(here)
            found = rate(draws.within(here), part.changed, part.judged)
            about = (table.transform, table.place, names[number])
            counts = (len(part), int(part.results.sum()), found.of, found.hits)
            yield ProjectTally(*about, *counts, found.interval)
