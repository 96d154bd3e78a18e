"""The paper's five observations, each held against the studies' own numbers (section 6)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metamorph.oracles.bootstrap import Estimate, Interval
from metamorph.oracles.outcomes import WCP
from metamorph.oracles.tallies import LengthTally, Tally
from metamorph.reports.paper.cells import NONE, bounds, percent
from metamorph.reports.paper.studies import Study

YES, NO, UNDECIDED = "yes", "no", "undecided"

NOTES = (
    "Rates in percent, with their 95 % intervals. Undecided: the interval has both signs.",
    "1: the most sensitive transformation (PS for code2vec; SF, VN or BX for code2seq). Shown: the "
    "highest rate, and those whose intervals reach its own.",
    "2: all places change more than single places. Shown: the difference, on the same methods.",
    "3: incorrect predictions change more than correct ones. Shown: the difference.",
    "4: long methods change more than short ones. Shown: the bins of the shortest and of the "
    "longest methods, of more than one method each; it holds where their intervals are apart.",
    "5: fewer than 3 % become correct. Shown: their share of all programs, and by it.",
)
_MOST = 2
"""How many of the highest rates are named."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What one study says to one observation. number: from 1; seen: the numbers in words."""

    number: int
    study: str
    transform: str
    seen: str
    holds: str


def findings(studies: Sequence[Study]) -> list[Finding]:
    """All that can be said, observation by observation; nothing where nothing was judged."""
    parts = (_highest, _all_places, _wrong, _long, _corrected)
    return [
        Finding(number, study.title, *rest)
        for number, part in enumerate(parts, 1)
        for study in studies
        for rest in part(study)
    ]


Said = Iterator[tuple[str, str, str]]


def _judged(study: Study) -> list[Tally]:
    """The tallies that the paper's tables are of."""
    rows = map(study.as_in_paper, study.transforms)
    return [row for row in rows if row is not None and row.judged]


def _highest(study: Study) -> Said:
    rows = sorted(_judged(study), key=lambda row: -(row.change_rate or 0.0))
    if len(rows) < 2 or rows[0].interval is None:
        return
    low = rows[0].interval[0]
    rivals = [row for row in rows[1:] if row.interval is None or row.interval[1] >= low]
    shown = [f"{row.transform} {_rate(row)}" for row in [rows[0], *rivals[: _MOST - 1]]]
    shown += [f"and {len(rivals) - _MOST + 1} more"] if len(rivals) >= _MOST else []
    yield rows[0].transform, ", ".join(shown), NONE


def _rate(row: Tally | LengthTally) -> str:
    return f"{100 * (row.change_rate or 0.0):.1f} ({bounds(row.interval)})"


def _all_places(study: Study) -> Said:
    for transform in study.transforms:
        contrast = study.contrast(transform)
        if contrast is not None and contrast.all_less_single.value is not None:
            gap = contrast.all_less_single
            yield transform, _points(gap), _above(gap.interval)


def _wrong(study: Study) -> Said:
    for row in _judged(study):
        if row.wrong_less_correct.value is not None:
            gap = row.wrong_less_correct
            yield row.transform, _points(gap), _above(gap.interval)


def _points(gap: Estimate) -> str:
    low, high = gap.interval or (None, None)
    told = f"{100 * (gap.value or 0.0):+.1f} points"
    return (
        told if low is None or high is None else f"{told} ({100 * low:+.1f} to {100 * high:+.1f})"
    )


def _above(interval: Interval | None) -> str:
    """Whether a difference is surely above 0."""
    if interval is None or interval[0] <= 0 <= interval[1]:
        return UNDECIDED
    return YES if interval[0] > 0 else NO


def _long(study: Study) -> Said:
    for transform in study.transforms:
        bins = [row for row in study.lengths(transform) if row.interval is not None]
        if len(bins) > 1:
            short, long = bins[0], bins[-1]
            seen = f"{short.bin}: {_rate(short)}; {long.bin}: {_rate(long)}"
            yield transform, seen, _apart(short.interval, long.interval)


def _apart(below: Interval | None, above: Interval | None) -> str:
    if below is None or above is None or (below[1] >= above[0] and above[1] >= below[0]):
        return UNDECIDED
    return YES if above[0] > below[1] else NO


def _corrected(study: Study) -> Said:
    for row in _judged(study):
        if total := sum(row.categories.values()):
            share = 100 * row.categories[WCP] / total
            yield row.transform, f"{percent(share)} %", YES if share < 3 else NO
