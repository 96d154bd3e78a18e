"""Figures 3 to 5 of the paper as points: rates with intervals, before anything is drawn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metamorph.oracles.bootstrap import Estimate, Interval
from metamorph.oracles.lengths import BINS
from metamorph.oracles.tallies import Tally
from metamorph.reports.paper.cells import exact, hundredfold, less
from metamorph.reports.paper.studies import Study, comparable

PLACES = ("single", "all")
ANSWERS = ("correct", "incorrect")


@dataclass(frozen=True, slots=True)
class Point:
    """A change rate: of one transformation under one condition.

    condition: a place, an originally correct or incorrect answer, or a bin of lengths; originals:
    methods, None where only programs are counted; of: the programs of which `changed` changed;
    interval: in shares; paper: the journal version's percentage, where it may be compared; gap: of
    the second of two conditions, its rate less the first's, paired by the originals.
    """

    transform: str
    place: str
    condition: str
    originals: int | None
    of: int
    changed: int
    interval: Interval | None
    paper: float | None
    gap: Estimate | None = None

    @property
    def percent(self) -> float | None:
        """The rate, None where there is nothing to share."""
        return 100 * self.changed / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Panel:
    """The part of a figure that is of one study."""

    study: Study
    points: tuple[Point, ...]

    @property
    def transforms(self) -> list[str]:
        """Those of which something is known, in the paper's order."""
        return list(dict.fromkeys(point.transform for point in self.points))

    def find(self, transform: str, condition: str) -> Point | None:
        """One point."""
        wanted = (transform, condition)
        return next((p for p in self.points if (p.transform, p.condition) == wanted), None)


def by_place(study: Study) -> Panel:
    """Figure 3: single place against all places, of transformations that were applied in all."""
    return Panel(study, tuple(_places(study)))


def _places(study: Study) -> Iterator[Point]:
    for transform in study.transforms:
        rows = [study.tally(transform, place) for place in PLACES]
        if rows[1] is None:
            continue
        contrast = study.contrast(transform)
        for row in rows:
            if row is not None:
                counts = (row.originals, row.judged, row.changed, row.interval)
                paper = study.paper.figure(3, transform, row.place)
                gap = contrast.all_less_single if contrast and row is rows[1] else None
                yield Point(transform, row.place, row.place, *counts, paper, gap)


def by_answer(study: Study) -> Panel:
    """Figure 4: originally correct against originally incorrect predictions."""
    return Panel(study, tuple(_answers(study)))


def _answers(study: Study) -> Iterator[Point]:
    for transform in study.transforms:
        row = study.as_in_paper(transform)
        if row is None:
            continue
        for answer, rate in zip(ANSWERS, (row.cip, row.wrong), strict=True):
            paper = _paper(study, 4, row, answer)
            counts = (None, rate.of, rate.hits, rate.interval)
            gap = row.wrong_less_correct if rate is row.wrong else None
            yield Point(transform, row.place, answer, *counts, paper, gap)


def by_length(study: Study) -> Panel:
    """Figure 5: by statements of the method; bins in their order, those without programs not."""
    return Panel(study, tuple(_lengths(study)))


def _lengths(study: Study) -> Iterator[Point]:
    for transform in study.transforms:
        row = study.as_in_paper(transform)
        for found in sorted(study.lengths(transform), key=lambda one: BINS.index(one.bin)):
            counts = (found.originals, found.judged, found.changed, found.interval)
            paper = _paper(study, 5, row, found.bin) if row else None
            yield Point(transform, found.place, found.bin, *counts, paper)


def _paper(study: Study, figure: int, row: Tally, what: str) -> float | None:
    return study.paper.figure(figure, row.transform, what) if comparable(row) else None


COLUMNS = (
    "model",
    "data_set",
    "transform",
    "place",
    "condition",
    "originals",
    "judged",
    "changed",
    "change",
    "change_low",
    "change_high",
    "paper_change",
    "difference_change",
    "gap",
    "gap_low",
    "gap_high",
)


def plain(panels: Sequence[Panel]) -> list[tuple[object, ...]]:
    """The points as rows of `COLUMNS`, in percent."""
    return [_row(panel.study, point) for panel in panels for point in panel.points]


def _row(study: Study, point: Point) -> tuple[object, ...]:
    gap = point.gap or Estimate(None)
    return (
        study.model,
        study.data_set,
        point.transform,
        point.place,
        point.condition,
        point.originals,
        point.of,
        point.changed,
        exact(point.percent),
        *_bounds(point.interval),
        point.paper,
        exact(less(point.percent, point.paper)),
        exact(hundredfold(gap.value)),
        *_bounds(gap.interval),
    )


def _bounds(interval: Interval | None) -> tuple[float | None, float | None]:
    low, high = interval or (None, None)
    return exact(hundredfold(low)), exact(hundredfold(high))
