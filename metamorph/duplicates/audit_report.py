"""The audit of a split as text for a terminal, with a chart, and as an SVG."""

from collections.abc import Iterator, Sequence
from html import escape

from metamorph.duplicates.audits import Audit, Side
from metamorph.duplicates.listings import percent

_WIDTH = 50
_MOST_PROJECTS = 30
_LEFT, _LENGTH = 240, 460
_SHADES = (("across", "#b2182b"), ("within only", "#f4a582"), ("alone", "#bababa"))


def table(audit: Audit, unit: str) -> Iterator[str]:
    """Both sets, the projects, and the list of clusters that lie across."""
    for side in (audit.train, audit.test):
        yield (
            f"{side.name:5}  {side.units:,} {unit}s: {side.across:,} with a copy in the other set "
            f"({percent(side.share)}), {side.within_only:,} duplicated within only, "
            f"{side.alone:,} alone; {side.skipped_small:,} too small\n"
        )
    yield (
        f"in-train duplicates {audit.in_train:,}, in-test duplicates {audit.in_test:,}, "
        f"cross-set in test {audit.test.across:,} ({audit.direct:,} directly, the others by "
        "chaining)\n"
    )
    yield f"\n{'':5}  # across, + duplicated within only, . alone\n"
    yield from (f"{side.name:5}  {_bar(side)}\n" for side in (audit.train, audit.test))
    yield from _projects(audit)
    for crossing in audit.crossings:
        flag = ", CHAINED: below a threshold" if crossing.chained else ""
        yield f"\nacross, least alike {crossing.smallest:.3f}{flag}\n"
        yield from (f"  train  {name}\n" for name in crossing.train)
        yield from (f"  test   {name}\n" for name in crossing.test)


def _projects(audit: Audit) -> Iterator[str]:
    rows = _worst(audit)
    if len(audit.projects) < 2:
        return
    yield "\ncross-set share of the test set by project\n"
    width = max(len(name) for name, _, _ in rows)
    for name, units, across in rows:
        bar = "#" * round(_WIDTH * across / units)
        yield f"  {name:{width}}  {percent(across / units):>8} of {units:,}  {bar}\n"
    if len(audit.projects) > len(rows):
        yield f"  and {len(audit.projects) - len(rows):,} projects with a lower share\n"


def _worst(audit: Audit) -> Sequence[tuple[str, int, int]]:
    """The projects with the highest shares."""
    rows = [(each.project or "(none)", each.units, each.across) for each in audit.projects]
    return sorted(rows, key=lambda row: (-row[2] / row[1], row[0]))[:_MOST_PROJECTS]


def _bar(side: Side) -> str:
    """A bar of fixed width; a part that is not empty takes a sign at least."""
    parts = (("#", side.across), ("+", side.within_only))
    bar = "".join(sign * _length(count, side.units) for sign, count in parts)
    return bar[:_WIDTH].ljust(_WIDTH, "." if side.units else " ")


def _length(count: int, whole: int) -> int:
    return max(1, round(_WIDTH * count / whole)) if count else 0


def svg(audit: Audit) -> str:
    """The chart: a bar for each set, and for each project of the test set the share across."""
    bars = [
        (side.name, f"{side.units:,}", _shares((side.across, side.within_only, side.alone)))
        for side in (audit.train, audit.test)
    ]
    if len(audit.projects) > 1:
        bars += [(name, f"{units:,}", [across / units]) for name, units, across in _worst(audit)]
    height = 60 + 26 * len(bars)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="860" height="{height}" '
        'font-family="sans-serif" font-size="13" role="img">',
        "<title>Duplicates across and within the sets</title>",
        *_legend(),
    ]
    for number, bar in enumerate(bars):
        lines += _drawn(50 + 26 * number, *bar)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _shares(counts: tuple[int, int, int]) -> list[float]:
    whole = sum(counts)
    return [count / whole if whole else 0.0 for count in counts]


def _legend() -> Iterator[str]:
    for number, (name, colour) in enumerate(_SHADES):
        left = _LEFT + 130 * number
        yield f'<rect x="{left}" y="12" width="14" height="14" fill="{colour}"/>'
        yield f'<text x="{left + 20}" y="24">{name}</text>'


def _drawn(top: int, name: str, count: str, shares: Sequence[float]) -> Iterator[str]:
    shown = name if len(name) <= 28 else "…" + name[-27:]
    yield f'<text x="{_LEFT - 10}" y="{top + 15}" text-anchor="end">{escape(shown)}</text>'
    yield (
        f'<rect x="{_LEFT}" y="{top}" width="{_LENGTH}" height="20" fill="none" stroke="#bababa"/>'
    )
    left = float(_LEFT)
    for share, (_, colour) in zip(shares, _SHADES, strict=False):
        if share:
            width = _LENGTH * share
            yield (
                f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="20" '
                f'fill="{colour}"><title>{100 * share:.1f} %</title></rect>'
            )
            left += width
    told = f"{100 * shares[0]:.1f} % of {count}"
    yield f'<text x="{_LEFT + _LENGTH + 10}" y="{top + 15}">{told}</text>'
