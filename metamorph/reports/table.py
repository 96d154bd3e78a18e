"""The report as tables for a terminal of 80 columns."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from metamorph.oracles.lengths import BINS
from metamorph.oracles.outcomes import CATEGORIES
from metamorph.oracles.summaries import Accounting, Changed, Summary
from metamorph.oracles.tallies import LengthTally, Tally

_FEW = 4
"""How many reasons of a kind are shown; the JSON report has all."""


def show(summary: Summary, console: Console) -> None:
    """Print the report."""
    with console.capture() as captured:
        for part in _parts(summary, console):
            console.print(part)
    lines = captured.get().splitlines()
    console.file.write("".join(f"{line.rstrip()}\n" for line in lines))


def _parts(summary: Summary, console: Console) -> Iterator[RenderableType]:
    """Head, outcomes, lengths, accounts."""
    yield _head(summary)
    if summary.accounting.variants:
        yield from _outcomes(summary.tally, console)
        yield _legend(summary)
        lengths = _lengths(summary.by_length)
        _space_out(lengths, console)
        yield lengths
        if summary.examples:
            yield Text("\nfor example", style="bold")
            yield _examples(summary.examples)
        yield Text()
    else:
        yield Text("No variants: there is nothing to judge.\n")
    yield _accounts(summary)


def _space_out(table: Table, console: Console) -> bool:
    """Two spaces between columns where they fit, else one; whether that fits."""
    for space in (2, 1):
        table.padding = (0, space, 0, 0)
        unbounded = console.options.update(max_width=10 * console.width)
        if Measurement.get(console, unbounded, table).maximum <= console.width:
            return True
    return False


def _head(summary: Summary) -> Text:
    head = Text(f"{summary.model['name']}, seed {summary.seed}", style="bold")
    if summary.limit is not None:
        head.append(f", first {summary.limit:,} methods")
    if not summary.complete:
        done, planned = summary.accounting.files, summary.files_planned
        head.append(f"  INCOMPLETE: {done:,} of {planned:,} files", style="bold yellow")
    return head


def _outcomes(rows: list[Tally], console: Console) -> Iterator[Table]:
    """One table, or two where the numbers are too long for one."""
    for parts in ([(*_RATES, *_CATEGORIES)], [_RATES, _CATEGORIES]):
        tables = [_columns(rows, part) for part in parts]
        fits = [_space_out(table, console) for table in tables]
        if all(fits):
            break
    yield from tables


_Column = tuple[str, Callable[[Tally], str]]

_RATES: tuple[_Column, ...] = (
    ("orig-\ninals", lambda row: f"{row.originals:,}"),
    ("vari-\nants", lambda row: f"{row.variants:,}"),
    ("changed", lambda row: _percent(row.change_rate)),
    ("95 %\ninterval", lambda row: _interval(row.interval)),
)


def _count(category: str) -> _Column:
    return category, lambda row: f"{row.categories[category]:,}"


_CATEGORIES: tuple[_Column, ...] = (
    *(_count(category) for category in CATEGORIES),
    ("no an-\nswer", lambda row: f"{row.no_answer:,}"),
)


def _columns(rows: list[Tally], columns: Sequence[_Column]) -> Table:
    table = _table("", *(title for title, _ in columns))
    for row in rows:
        table.add_row(f"{row.transform} {row.place}", *(cell(row) for _, cell in columns))
    return table


def _legend(summary: Summary) -> Text:
    lines = Text(style="dim")
    lines.append("C correct, I incorrect, W wrong, SP same, DP different prediction\n")
    lines.append("changed = CIP + WCP + WWDP, of all judged; intervals over originals")
    if summary.repeat > 1:
        floors = (f"{t.transform} {t.place} {_percent(t.noise_floor)}" for t in summary.tally)
        lines.append(f"\nnoise floor, originals asked {summary.repeat} times: {', '.join(floors)}")
    lines.append("\n")
    return lines


def _lengths(rows: list[LengthTally]) -> Table:
    found = {(row.transform, row.place): dict[str, LengthTally]() for row in rows}
    for row in rows:
        found[row.transform, row.place][row.bin] = row
    used = [name for name in BINS if any(name in bins for bins in found.values())]
    table = _table("changed by\nstatements", *(f"{name}" for name in used))
    for (transform, place), bins in found.items():
        cells = (_length_cell(bins.get(name)) for name in used)
        table.add_row(f"{transform} {place}", *cells)
    return table


def _length_cell(row: LengthTally | None) -> str:
    return f"{_percent(row.change_rate)}\n{_short(row.judged)}" if row else ""


def _examples(rows: list[Changed]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        names = ", ".join(f"{old} -> {new}" for old, new in row.names.items())
        where = f"{row.method} ({os.path.basename(row.path)}:{row.line})"
        what = f"{where}{': ' if names else ''}{names}"
        table.add_row(f"{row.transform} {row.place}", f"{row.before} became {row.after}\n{what}")
    return table


def _accounts(summary: Summary) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in _account_lines(summary.accounting):
        table.add_row(name, value)
    for note in summary.notes:
        table.add_row("note", note)
    return table


def _account_lines(accounting: Accounting) -> Iterator[tuple[str, RenderableType]]:
    lost = sum(accounting.unparsable.values())
    files = f"{accounting.files:,} = {accounting.files - lost:,} parsed + {lost:,} unparsable"
    yield "files", files + _reasons(accounting.unparsable)
    yield "methods", f"{accounting.methods:,}, {accounting.methods_without_site:,} without a site"
    silent = sum(accounting.no_answer.values())
    variants = f"{accounting.variants:,} = {accounting.answered:,} answered + {silent:,} no answer"
    yield "variants", variants + _reasons(accounting.no_answer)
    if accounting.inconclusive:
        yield "", f"{accounting.inconclusive:,} inconclusive: the original's own answer varies"
    if accounting.broken:
        broken = f"{sum(accounting.broken.values()):,} not put to the model"
        yield "BROKEN", Text(broken + _reasons(accounting.broken), style="bold red")
    for transform, reasons in accounting.refusals.items():
        yield f"{transform} refused", f"{sum(reasons.values()):,}" + _reasons(reasons)


def _reasons(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return ""
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{reason} {count:,}" for reason, count in ranked[:_FEW]]
    rest = sum(count for _, count in ranked[_FEW:])
    return f" ({', '.join(shown)}{f', other {rest:,}' if rest else ''})"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    return table


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f}%"


def _short(count: int) -> str:
    return f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}k"


def _interval(interval: tuple[float, float] | None) -> str:
    return "-" if interval is None else f"{100 * interval[0]:.1f}-{100 * interval[1]:.1f}"
