"""The report as tables for a terminal of 80 columns."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from metamorph.characters import visible
from metamorph.oracles.lengths import BINS
from metamorph.oracles.outcomes import CATEGORIES, WITHOUT_GOLD
from metamorph.oracles.summaries import Changed, Summary
from metamorph.oracles.tallies import LengthTally, Tally
from metamorph.reports.accounts import accounts, cut
from metamorph.reports.copies import NOTE, copies
from metamorph.reports.grids import numbers
from metamorph.reports.shares import interval, percent


def show(summary: Summary, console: Console) -> None:
    """Print the report."""
    print_parts(_parts(summary, console), console)


def print_parts(parts: Iterable[RenderableType], console: Console) -> None:
    """Print them one below the other, without spaces at the ends of lines."""
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    lines = captured.get().splitlines()
    console.file.write("".join(f"{line.rstrip()}\n" for line in lines))


def _parts(summary: Summary, console: Console) -> Iterator[RenderableType]:
    """Head, outcomes, lengths, accounts."""
    yield _head(summary)
    if summary.accounting.variants:
        yield from _outcomes([row for row in summary.tally if not row.control], console)
        yield _legend(summary)
        yield from _numbers(summary, console)
        yield from _copies(summary, console)
        yield from _controls(summary, console)
        yield from _correctness(summary, console)
        controls = {row.transform for row in summary.tally if row.control}
        lengths = _lengths([r for r in summary.by_length if r.transform not in controls])
        space_out(lengths, console)
        yield lengths
        if summary.examples:
            yield Text("\nfor example; metamorph shrink RUN NUMBER tells which edits do it", "bold")
            yield _examples(summary.examples)
        yield Text()
    else:
        yield Text("No variants: there is nothing to judge.\n")
    yield _accounts(summary)


def space_out(table: Table, console: Console) -> bool:
    """Two spaces between columns where they fit, else one; whether that fits."""
    for space in (2, 1):
        table.padding = (0, space, 0, 0)
        unbounded = console.options.update(max_width=10 * console.width)
        if Measurement.get(console, unbounded, table).maximum <= console.width:
            return True
    return False


def _head(summary: Summary) -> Text:
    head = Text(f"{summary.model['name']}, seed {summary.seed}", style="bold")
    if summary.task != "method-name":
        head.append(f", task {summary.task}")
    if summary.equality:
        head.append(f", equality {summary.equality}")
    if summary.limit is not None:
        head.append(f", first {summary.limit:,} methods")
    if not summary.complete:
        done, planned = summary.accounting.files, summary.files_planned
        head.append(f"  INCOMPLETE: {done:,} of {planned:,} files", style="bold yellow")
    return head


def _outcomes(rows: list[Tally], console: Console) -> Iterator[Table]:
    """One table, or two where the numbers are too long for one."""
    results = [*_results(rows), _SILENT]
    for parts in ([[*_RATES, *results]], [_RATES, results]):
        tables = [_columns(rows, part) for part in parts]
        fits = [space_out(table, console) for table in tables]
        if all(fits):
            break
    yield from tables


_Column = tuple[str, Callable[[Tally], str]]

_RATES: tuple[_Column, ...] = (
    ("orig-\ninals", lambda row: f"{row.originals:,}"),
    ("vari-\nants", lambda row: f"{row.variants:,}"),
    ("changed", lambda row: percent(row.change_rate)),
    ("95 %\ninterval", lambda row: interval(row.interval)),
    ("noise\nfloor", lambda row: percent(row.noise_floor)),
)
_SILENT: _Column = ("no an-\nswer", lambda row: f"{row.no_answer:,}")


def _count(category: str) -> _Column:
    return category, lambda row: f"{row.categories[category]:,}"


def _without_gold(result: str) -> _Column:
    return f"{result},\nno gold", lambda row: f"{row.without_gold[result]:,}"


def _results(rows: list[Tally]) -> Iterator[_Column]:
    """The five categories, and the two of answers of which none is known to be right."""
    ungraded = any(sum(row.without_gold.values()) for row in rows)
    if not ungraded or any(sum(row.categories.values()) for row in rows):
        yield from (_count(category) for category in CATEGORIES)
    if ungraded:
        yield from (_without_gold(result) for result in WITHOUT_GOLD)


def _columns(rows: list[Tally], columns: Sequence[_Column]) -> Table:
    table = _table("", *(title for title, _ in columns))
    for row in rows:
        table.add_row(f"{row.transform} {row.place}", *(cell(row) for _, cell in columns))
    return table


def _numbers(summary: Summary, console: Console) -> Iterator[RenderableType]:
    """How far answers that are numbers move."""
    grid = numbers(summary)
    if grid.rows:
        yield Text(grid.title, style="bold")
        table = _table("", *grid.columns[2:])
        for transform, place, *cells in grid.rows:
            table.add_row(f"{transform} {place}", *cells)
        space_out(table, console)
        yield table
        for note in grid.notes:
            yield Text(note, style="dim")
        yield Text()


def _controls(summary: Summary, console: Console) -> Iterator[RenderableType]:
    """What should change nothing."""
    controls = [row for row in summary.tally if row.control]
    if controls:
        yield Text("controls: nothing that should change a prediction", style="bold")
        table = _columns(controls, [*_RATES[:4], ("layout\nfloor", _layout_floor), _SILENT])
        space_out(table, console)
        yield table
        yield Text()


def _layout_floor(row: Tally) -> str:
    return percent(row.layout_floor)


def _correctness(summary: Summary, console: Console) -> Iterator[RenderableType]:
    """Change rates of predictions that were correct and that were wrong, and F1."""
    rows = [row for row in summary.tally if sum(row.categories.values()) and not row.control]
    if not rows:
        return
    table = _columns(rows, _CORRECTNESS)
    space_out(table, console)
    yield table
    yield Text("CIP rate, WCP rate: changed to incorrect, to correct\n", style="dim")


_CORRECTNESS: tuple[_Column, ...] = (
    ("CIP\nrate", lambda row: percent(row.cip.value)),
    ("95 %\ninterval", lambda row: interval(row.cip.interval)),
    ("WCP\nrate", lambda row: percent(row.wcp.value)),
    ("95 %\ninterval", lambda row: interval(row.wcp.interval)),
    ("F1\nbefore", lambda row: _f1(row, after=False)),
    ("F1\nafter", lambda row: _f1(row, after=True)),
)


def _f1(row: Tally, *, after: bool) -> str:
    if row.subtokens is None:
        return "-"
    return f"{(row.subtokens.after if after else row.subtokens.before).f1:.3f}"


def _copies(summary: Summary, console: Console) -> Iterator[RenderableType]:
    """What the model does on copies of what it was trained on, and on other methods."""
    for grid in copies(summary):
        if not grid.rows:
            continue
        yield Text(grid.title, style="bold")
        table = _table("methods", *grid.columns[1:])
        rows = grid.rows
        if grid.texts == 3:
            table = _table("", "methods", "judged", "changed", "less neither")
            rows = tuple((" ".join(r[:2]), r[2], r[4], _bounded(*r[6:8]), r[8]) for r in rows)
        for row in rows:
            table.add_row(*row)
        space_out(table, console)
        yield table
        yield Text()
    if summary.by_copy:
        yield Text(f"{NOTE}\n", style="dim")


def _bounded(share: str, bounds: str) -> str:
    return f"{share} ({bounds})"


def _legend(summary: Summary) -> Text:
    over = f"intervals over {summary.clusters.kind}s"
    lines = [f"changed: of all judged; {over}"]
    if any(sum(row.categories.values()) for row in summary.tally):
        lines = [
            "C correct, I incorrect, W wrong, SP same, DP different prediction",
            f"changed = CIP + WCP + WWDP, of all judged; {over}",
        ]
    if summary.accounting.without_gold:
        lines.append("no gold: no answer is known to be right; changed ones count as changed")
    if summary.repeat > 1:
        lines.append(f"noise floor: originals that vary when asked {summary.repeat} times")
    elif any(row.noise_floor is not None for row in summary.tally):
        lines.append("noise floor: originals whose answer changes with identity")
    else:
        lines.append("noise floor: not measured; --repeat K or --controls measures it")
    return Text("\n".join((*lines, "")), style="dim")


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
    return f"{percent(row.change_rate)}\n{_short(row.judged)}" if row else ""


def _examples(rows: list[Changed]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        names = ", ".join(f"{old} -> {new}" for old, new in row.names.items())
        where = f"{row.method} ({os.path.basename(row.path)}:{row.line})"
        what = f"{where}{': ' if names else ''}{names}"
        answers = f"{cut(row.before)} became {cut(row.after)}"
        table.add_row(f"{row.transform} {row.place}\n{row.id}", Text(f"{answers}\n{visible(what)}"))
    return table


def _accounts(summary: Summary) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in accounts(summary):
        style = "bold red" if name == "BROKEN" else ""
        table.add_row(name, Text(value, style=style))
    return table


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    return table


def _short(count: int) -> str:
    return f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}k"
