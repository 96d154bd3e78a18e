"""Figures 3 to 5 of the paper, drawn by matplotlib: an extra, imported when they are drawn."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metamorph.characters import visible
from metamorph.durable import whole_bytes
from metamorph.errors import UserError
from metamorph.oracles.lengths import BINS
from metamorph.reports.paper.points import (
    ANSWERS,
    PLACES,
    Panel,
    Point,
    by_answer,
    by_length,
    by_place,
)
from metamorph.reports.paper.studies import Study

Axes = Any
Draw = Callable[[Axes, Panel], None]

MISSING = "figures need matplotlib, which is not installed; pip install 'metamorph-java[figures]'"

COLOURS = {
    "VN": "#0072b2",
    "BX": "#e69f00",
    "LX": "#009e73",
    "SF": "#cc79a7",
    "PS": "#d55e00",
    "TC": "#56b4e9",
    "UN": "#000000",
}
"""Of Okabe and Ito's palette, which colour-blind people tell apart; markers differ as well."""

_MARKERS = {"VN": "o", "BX": "s", "LX": "^", "SF": "D", "PS": "v", "TC": "P", "UN": "X"}
_OTHER = ("#666666", "*")

_PAIR = ("#56b4e9", "#d55e00")
_HATCHES = ("", "////")
_PAPER_NAME = "paper (journal)"
_PAPER = {"marker": "D", "mfc": "white", "mec": "black", "ms": 4.5, "mew": 1.0, "ls": "none"}

_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.6,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "metamorph",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the paper: how its panels are made and drawn.

    wide: width and height of a panel in inches.
    """

    number: int
    caption: str
    panel: Callable[[Study], Panel]
    draw: Draw
    wide: tuple[float, float]

    @property
    def name(self) -> str:
        """Of its files."""
        return f"figure{self.number}"

    def forms(self) -> tuple[str, ...]:
        """The endings of its files; without matplotlib there are but its numbers."""
        return (".svg", ".pdf", ".csv") if available() else (".csv",)


def available() -> bool:
    """Whether matplotlib is there."""
    try:
        import matplotlib
    except ImportError as error:
        if error.name != "matplotlib":
            raise
        return False
    return bool(matplotlib.__version__)


def draw(figure: Figure, panels: Sequence[Panel], folder: Path) -> list[Path]:
    """Write a figure as SVG and as PDF; the same panels give the same bytes."""
    if not available():
        raise UserError(MISSING)
    paths = [folder / f"{figure.name}.{form}" for form in ("svg", "pdf")]
    dates = {".svg": {"Date": None}, ".pdf": {"CreationDate": None, "ModDate": None}}
    with drawn(figure, panels) as canvas, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        for path in paths:
            with whole_bytes(path) as file:
                form = path.suffix[1:]
                canvas.savefig(file, format=form, metadata=dates[path.suffix])
    return paths


@contextmanager
def drawn(figure: Figure, panels: Sequence[Panel]) -> Iterator[Any]:
    """The figure as matplotlib has it, a panel a study, two in a row."""
    import matplotlib
    from matplotlib.figure import Figure as Canvas

    across = min(2, len(panels))
    down = -(-len(panels) // across)
    top = _top([point for panel in panels for point in panel.points])
    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **_STYLE}):
        width, height = figure.wide
        canvas = Canvas(figsize=(across * width, down * height), layout="constrained")
        axes = [*canvas.subplots(down, across, squeeze=False).flat]
        for letter, (place, panel) in enumerate(zip(axes, panels, strict=False)):
            sign = f"({chr(97 + letter % 26)}) " if len(panels) > 1 else ""
            place.set_title(_plain(f"{sign}{panel.study.title}"), loc="left")
            _fill(figure.draw, place, panel)
            place.set_ylim(0, top)
        for place in axes[len(panels) :]:
            place.set_axis_off()
        _legend(canvas, axes)
        yield canvas


def _legend(canvas: Any, axes: Sequence[Axes]) -> None:
    """One for all panels, above them."""
    found: dict[str, Any] = {}
    for place in axes:
        handles, labels = place.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    if found:
        names = sorted(found, key=_PAPER_NAME.__eq__)
        style = {"frameon": False, "fontsize": 7, "columnspacing": 1.2, "handletextpad": 0.5}
        handles = [found[name] for name in names]
        canvas.legend(handles, names, loc="outside upper center", ncols=min(8, len(names)), **style)


def _plain(text: str) -> str:
    """Text in one line in which matplotlib finds no formula."""
    return visible(text).replace("$", r"\$")


def _fill(drawing: Draw, axes: Axes, panel: Panel) -> None:
    if any(point.of for point in panel.points):
        axes.set_ylabel("prediction change (%)")
        axes.set_axisbelow(True)
        axes.grid(axis="y", lw=0.5, color="#dddddd")
        drawing(axes, panel)
    else:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "nothing to show", ha="center", transform=axes.transAxes)


def _top(points: Sequence[Point]) -> float:
    """The end of the axis: above all that is drawn, a multiple of ten."""
    highest = [100 * p.interval[1] for p in points if p.interval and p.of]
    highest += [p.percent for p in points if p.percent is not None]
    highest += [p.paper for p in points if p.paper is not None]
    return min(105.0, 10.0 * (max(highest, default=0) // 10 + 1))


def _pairs(conditions: tuple[str, str], names: tuple[str, str]) -> Draw:
    """Two bars a transformation."""

    def drawing(axes: Axes, panel: Panel) -> None:
        for side, (condition, name) in enumerate(zip(conditions, names, strict=True)):
            found = [(n, panel.find(t, condition)) for n, t in enumerate(panel.transforms)]
            points = [(n + 0.4 * side - 0.2, p) for n, p in found if p is not None and p.of]
            _bars(axes, points, side, name)
        _mark_paper(axes, panel, conditions)
        ticks = range(len(panel.transforms))
        labels = [_counted(panel, t, conditions) for t in panel.transforms]
        axes.set_xticks(ticks, labels)
        axes.tick_params(axis="x", length=0)
        axes.set_xlim(-0.6, max(4, len(labels)) - 0.4)

    return drawing


def _bars(axes: Axes, points: Sequence[tuple[float, Point]], side: int, name: str) -> None:
    axes.bar(
        [at for at, _ in points],
        [point.percent for _, point in points],
        width=0.38,
        color=_PAIR[side],
        hatch=_HATCHES[side],
        edgecolor="black",
        linewidth=0.6,
        label=name,
    )
    _whiskers(axes, points, "black", 1.0)


def _whiskers(
    axes: Axes, points: Sequence[tuple[float, Point]], colour: str, opacity: float
) -> None:
    """The intervals, as lines with ends."""
    known = [(at, p.percent or 0.0, p.interval) for at, p in points if p.interval is not None]
    low = [max(0.0, rate - 100 * interval[0]) for _, rate, interval in known]
    high = [max(0.0, 100 * interval[1] - rate) for _, rate, interval in known]
    places, rates = [at for at, _, _ in known], [rate for _, rate, _ in known]
    style = {"ecolor": colour, "elinewidth": 0.8, "capsize": 2, "alpha": opacity}
    axes.errorbar(places, rates, [low, high], fmt="none", **style)


def _mark_paper(axes: Axes, panel: Panel, conditions: Sequence[str]) -> None:
    """The values of the journal version, as hollow diamonds."""
    marks = [
        (n + 0.4 * side - 0.2, point.paper)
        for n, transform in enumerate(panel.transforms)
        for side, condition in enumerate(conditions)
        if (point := panel.find(transform, condition)) and point.paper is not None
    ]
    if marks:
        axes.plot(*zip(*marks, strict=True), **_PAPER, label=_PAPER_NAME)


def _counted(panel: Panel, transform: str, conditions: Sequence[str]) -> str:
    """A transformation and what its two rates are shares of."""
    found = [panel.find(transform, condition) for condition in conditions]
    return "\n".join([transform, *(_short(point.of if point else 0) for point in found)])


def _short(count: int) -> str:
    """A count in four signs or so."""
    if count < 10_000:
        return str(count)
    return f"{count / 1000:.0f}k" if count < 1_000_000 else f"{count / 1e6:.1f}M"


def _lines(axes: Axes, panel: Panel) -> None:
    """A line a transformation, and below the bins how many programs each rate is of."""
    used = [name for name in BINS if any(point.condition == name for point in panel.points)]
    for number, transform in enumerate(panel.transforms):
        colour, marker = COLOURS.get(transform, _OTHER[0]), _MARKERS.get(transform, _OTHER[1])
        shift = 0.08 * (number - (len(panel.transforms) - 1) / 2)
        found = [(n + shift, panel.find(transform, name)) for n, name in enumerate(used)]
        points = [(at, point) for at, point in found if point is not None and point.of]
        rates = [point.percent for _, point in points]
        places = [at for at, _ in points]
        axes.plot(
            places, rates, color=colour, marker=marker, ms=4, lw=1.1, label=transform, clip_on=False
        )
        _whiskers(axes, points, colour, 0.6)
        told = [(at, point.paper) for at, point in points if point.paper is not None]
        if told:
            axes.plot(*zip(*told, strict=True), **{**_PAPER, "mec": colour, "ms": 3.5})
    if any(point.paper is not None for point in panel.points):
        axes.plot([], [], **_PAPER, label=_PAPER_NAME)
    counts = [[panel.find(t, name) for t in panel.transforms] for name in used]
    labels = [
        "\n".join([_bin(n), *(_short(p.of) if p else "" for p in c)])
        for n, c in zip(used, counts, strict=True)
    ]
    axes.set_xticks([_LEFT, *range(len(used))], ["\n".join(["", *panel.transforms]), *labels])
    axes.tick_params(axis="x", length=0, labelsize=7)
    axes.set_xlim(_LEFT - 0.3, len(used) - 0.5)
    axes.set_xlabel("statements in the method, and the programs that each rate is of")


_LEFT = -0.9
"""Where the names of the rows of counts stand, in bins."""


def _bin(name: str) -> str:
    return name.replace(">=", "≥")


FIGURES = (
    Figure(
        3,
        "Change of prediction in single place and in all places.",
        by_place,
        _pairs(PLACES, ("single place", "all places")),
        (3.8, 2.8),
    ),
    Figure(
        4,
        "Change of prediction of originally correct and originally incorrect predictions.",
        by_answer,
        _pairs(ANSWERS, ("originally correct", "originally incorrect")),
        (3.8, 2.8),
    ),
    Figure(
        5,
        "Change of prediction by statements in the method.",
        by_length,
        _lines,
        (4.8, 3.8),
    ),
)
