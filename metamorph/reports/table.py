"""The report as tables for a terminal of 80 columns."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from metamorph.oracles.lengths import BINS
from metamorph.oracles.outcomes import CATEGORIES, WITHOUT_GOLD
from metamorph.oracles.summaries import Accounting, Changed, Spent, Summary
from metamorph.oracles.tallies import LengthTally, Tally

_FEW = 4
"""How many reasons of a kind are shown; the JSON report has all."""

_LONGEST = 120
"""The most characters of an answer that are shown."""


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
    ("noise\nfloor", lambda row: _percent(row.noise_floor)),
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


def _legend(summary: Summary) -> Text:
    lines = ["changed: of all judged; intervals over originals"]
    if any(sum(row.categories.values()) for row in summary.tally):
        lines = [
            "C correct, I incorrect, W wrong, SP same, DP different prediction",
            "changed = CIP + WCP + WWDP, of all judged; intervals over originals",
        ]
    if summary.accounting.without_gold:
        lines.append("no gold: no answer is known to be right; changed ones count as changed")
    if summary.repeat > 1:
        lines.append(f"noise floor: originals that vary when asked {summary.repeat} times")
    else:
        lines.append("noise floor: not measured; --repeat K measures it")
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
    return f"{_percent(row.change_rate)}\n{_short(row.judged)}" if row else ""


def _examples(rows: list[Changed]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        names = ", ".join(f"{old} -> {new}" for old, new in row.names.items())
        where = f"{row.method} ({os.path.basename(row.path)}:{row.line})"
        what = f"{where}{': ' if names else ''}{names}"
        answers = f"{_cut(row.before)} became {_cut(row.after)}"
        table.add_row(f"{row.transform} {row.place}", Text(f"{answers}\n{what}"))
    return table


def _cut(answer: str) -> str:
    """An answer in one line, a long one cut."""
    line = " ".join(answer.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _accounts(summary: Summary) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in (*_account_lines(summary.accounting), *_spent_lines(summary.spent)):
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
    for error, words in list(accounting.words.items())[:_FEW]:
        yield "", Text(f"{error}: {_cut(words)}")
    if accounting.inconclusive:
        yield "", f"{accounting.inconclusive:,} inconclusive: the original's own answer varies"
    if accounting.varying:
        yield "", _varying(accounting.varying)
    if accounting.truncated:
        yield "", f"{accounting.truncated:,} truncated: the model did not see all of the method"
    if accounting.broken:
        broken = f"{sum(accounting.broken.values()):,} not put to the model"
        yield "BROKEN", Text(broken + _reasons(accounting.broken), style="bold red")
    for transform, reasons in accounting.refusals.items():
        yield f"{transform} refused", f"{sum(reasons.values()):,}" + _reasons(reasons)


def _varying(varying: Mapping[str, int]) -> str:
    """How the answers to the originals vary, as far as that can be told."""
    total = f"{sum(varying.values()):,} originals vary"
    if varying.get("chance"):
        return f"{total}: in the same batches too, by chance"
    if varying.get("batch"):
        return f"{total}, but not in the same batches: answers depend on what else is in a batch"
    return f"{total}: by chance or with the batch; --repeat 4 or more tells"


def _spent_lines(spent: Spent) -> Iterator[tuple[str, str]]:
    if spent.cached:
        yield (
            "asked",
            f"{spent.asked:,} questions, {spent.cached:,} of them answered from the cache",
        )
    fresh = spent.asked - spent.cached
    if spent.told or spent.cost is not None:
        cost = "" if spent.cost is None else f", cost {spent.cost:,.4f}"
        part = f" (of {spent.told:,} answers of {fresh:,})" if spent.told < fresh else ""
        yield "tokens", f"{spent.tokens_in:,} read, {spent.tokens_out:,} written{part}{cost}"


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
