"""The figures as geometry: shares of the width in percent, which the page draws as SVG.

SVG takes percentages for positions, so that figures fit any width and their text keeps its size.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metamorph.oracles.lengths import BINS
from metamorph.oracles.outcomes import CATEGORIES, CHANGED, SAME
from metamorph.oracles.rates import Rate
from metamorph.oracles.summaries import Summary
from metamorph.oracles.tallies import LengthTally, Tally

Interval = tuple[float, float] | None

_STEPS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Mark:
    """A rate with its interval on an axis; kind: how it is drawn; count: what it is a share of."""

    kind: str
    rate: float
    bounds: Interval
    at: float
    low: float | None
    high: float | None
    count: int


@dataclass(frozen=True, slots=True)
class Row:
    """The marks of one transformation; noise: where its noise floor lies."""

    transform: str
    marks: list[Mark]
    noise: float | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from 0 to `top`, with its ticks."""

    top: float
    ticks: list[tuple[float, str]]

    def at(self, rate: float) -> float:
        """Where a rate lies, in percent of the axis."""
        return round(100 * min(rate, self.top) / self.top, 2)


@dataclass(frozen=True, slots=True)
class Figure:
    """Rows on a common axis."""

    rows: list[Row]
    scale: Scale


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar: from `start`, so `wide`, in percent."""

    result: str
    count: int
    rate: float
    start: float
    wide: float


@dataclass(frozen=True, slots=True)
class Bar:
    """The results of one transformation in one place."""

    transform: str
    place: str
    judged: int
    segments: list[Segment]


@dataclass(frozen=True, slots=True)
class Point:
    """A rate over a length bin; y, and its interval's low and high, in percent from above."""

    bin: str
    rate: float
    count: int
    x: float
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one place, in the order of the bins."""

    place: str
    points: list[Point]

    @property
    def steps(self) -> list[tuple[Point, Point]]:
        """The pairs of points that a stroke joins."""
        return list(zip(self.points, self.points[1:], strict=False))


@dataclass(frozen=True, slots=True)
class Panel:
    """Change by length of one transformation."""

    transform: str
    lines: list[Line]
    bins: list[tuple[float, str]]


def scale(rates: Iterable[float]) -> Scale:
    """The shortest round axis that holds the rates."""
    most = max(rates, default=0.0)
    top = next(step for step in _STEPS if step >= min(most, 1.0))
    count = 4 if round(top * 100) % 4 == 0 and top > 0.1 else 5
    return Scale(top, [(100 * n / count, f"{100 * top * n / count:g}") for n in range(count + 1)])


def studied(summary: Summary) -> list[Tally]:
    """The rows of the tally that are no controls, which the figures leave to the tables."""
    return [row for row in summary.tally if not row.control]


def single_against_all(summary: Summary) -> Figure:
    """The change rate of each transformation, a mark for each place."""
    rows = [row for row in studied(summary) if row.judged]
    axis = scale(_reach(rows))
    found: dict[str, Row] = {}
    for row in rows:
        noise = None if row.noise_floor is None else axis.at(row.noise_floor)
        drawn = found.setdefault(row.transform, Row(row.transform, [], noise))
        assert row.change_rate is not None
        drawn.marks.append(_mark(row.place, row.change_rate, row.interval, row.judged, axis))
    return Figure(list(found.values()), axis)


def _reach(rows: Sequence[Tally]) -> Iterator[float]:
    for row in rows:
        yield from (row.change_rate or 0.0, row.noise_floor or 0.0)
        if row.interval is not None:
            yield row.interval[1]


def _mark(kind: str, rate: float, bounds: Interval, count: int, axis: Scale) -> Mark:
    low, high = (axis.at(bound) for bound in bounds) if bounds else (None, None)
    return Mark(kind, rate, bounds, axis.at(rate), low, high, count)


def correct_against_wrong(summary: Summary) -> Figure:
    """How often answers change that were right, and that were wrong."""
    shown = [row for row in studied(summary) if row.cip.of or row.wrong.of]
    axis = scale(high for row in shown for high in _highest(row.cip, row.wrong))
    rows = []
    for row in shown:
        marks = [
            _mark(kind, rate.value, rate.interval, rate.of, axis)
            for kind, rate in (("correct", row.cip), ("wrong", row.wrong))
            if rate.value is not None
        ]
        rows.append(Row(f"{row.transform} {row.place}", marks))
    return Figure(rows, axis)


def _highest(*rates: Rate) -> Iterator[float]:
    for rate in rates:
        yield from (rate.value or 0.0, rate.interval[1] if rate.interval else 0.0)


def category_bars(summary: Summary) -> list[Bar]:
    """The results of each row of the tally as parts of a whole."""
    return [_bar(row) for row in studied(summary) if row.judged]


def _bar(row: Tally) -> Bar:
    counts = [(name, row.categories[name]) for name in CATEGORIES]
    counts += [(name, row.without_gold[name]) for name in (SAME, CHANGED)]
    segments, start = [], 0.0
    for name, count in counts:
        if count:
            wide = 100 * count / row.judged
            rate = count / row.judged
            segments.append(Segment(name, count, rate, round(start, 3), round(wide, 3)))
            start += wide
    return Bar(row.transform, row.place, row.judged, segments)


def by_length(summary: Summary) -> tuple[list[Panel], Scale]:
    """A panel for each transformation, all on one axis."""
    codes = {row.transform for row in studied(summary)}
    rows = [row for row in summary.by_length if row.judged and row.transform in codes]
    axis = scale(max(row.change_rate or 0.0, (row.interval or (0, 0))[1]) for row in rows)
    used = [name for name in BINS if any(row.bin == name for row in rows)]
    places = {name: round(100 * (n + 0.5) / len(used), 2) for n, name in enumerate(used)}
    found: dict[str, dict[str, list[LengthTally]]] = {}
    for row in rows:
        found.setdefault(row.transform, {}).setdefault(row.place, []).append(row)
    bins = [(at, name) for name, at in places.items()]
    panels = [
        Panel(transform, [_line(place, rows, places, axis) for place, rows in by.items()], bins)
        for transform, by in found.items()
    ]
    return panels, axis


def _line(place: str, rows: Sequence[LengthTally], places: dict[str, float], axis: Scale) -> Line:
    points = []
    for row in sorted(rows, key=lambda row: BINS.index(row.bin)):
        rate = row.change_rate or 0.0
        low, high = (
            (100 - axis.at(bound) for bound in row.interval) if row.interval else (None,) * 2
        )
        x, y = places[row.bin], round(100 - axis.at(rate), 2)
        points.append(Point(row.bin, rate, row.judged, x, y, low, high))
    return Line(place, points)
