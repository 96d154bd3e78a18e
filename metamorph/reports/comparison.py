"""A comparison of two runs or transformations, for people and for programs."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from metamorph.oracles.comparisons import CHANGE, Comparison, Difference, Discordance
from metamorph.oracles.rates import Rate
from metamorph.reports.shares import interval, percent
from metamorph.reports.table import print_parts, space_out
from metamorph.reports.tables import Grid, csv_text, markdown

_WORDS = {CHANGE: "change rate", "CIP": "CIP rate", "WCP": "WCP rate"}


def show(comparison: Comparison, console: Console) -> None:
    """Print it at the console's width."""
    print_parts(_parts(comparison, console), console)


def _parts(comparison: Comparison, console: Console) -> Iterator[RenderableType]:
    yield Text(f"A {comparison.one}\nB {comparison.other}", style="bold")
    tested = [row for row in comparison.differences if row.test]
    for measure, title in _WORDS.items():
        rows = [row for row in comparison.differences if row.measure == measure]
        if rows:
            yield from _table((title, *_RATES), [_cells(row) for row in rows], console)
        if measure == CHANGE and tested:
            cells = [(_name(row), *_tests(row)) for row in tested]
            yield from _table(("change on one\nside alone", *_TESTS), cells, console)
    yield Text()
    yield Text("\n".join(_notes(comparison)), style="dim")


_RATES = ("orig-\ninals", "A", "B", "B - A", "95 %\ninterval", "could\nfind")
_TESTS = ("orig-\ninals", "A", "B", "p", "Holm", "BH")


def _table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], console: Console
) -> Iterator[RenderableType]:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, name in enumerate(columns):
        table.add_column(name, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    space_out(table, console)
    yield Text()
    yield table


def _cells(row: Difference) -> tuple[str, ...]:
    return (
        _name(row),
        f"{row.originals:,}",
        percent(row.one.value),
        percent(row.other.value),
        _signed(row.difference.value),
        interval(row.difference.interval),
        percent(row.detectable),
    )


def _tests(row: Difference) -> tuple[str, ...]:
    """Originals drawn, those that changed on one side alone, p-values."""
    test = row.test
    if test is None:
        return ("-",) * len(_TESTS)
    values = (_p(value) for value in (test.p, test.holm, test.benjamini_hochberg))
    return f"{test.originals:,}", f"{test.only_one:,}", f"{test.only_other:,}", *values


def _name(row: Difference) -> str:
    if row.one_name == row.other_name:
        return row.one_name
    place = row.one_name.partition(" ")[2]
    return f"{row.one_name.partition(' ')[0]}, {row.other_name.partition(' ')[0]} {place}"


def _signed(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f}"


def _p(value: float) -> str:
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


def _notes(comparison: Comparison) -> Iterator[str]:
    of = comparison.matching
    yield f"{of.matched:,} matched, {of.judged:,} of them judged on both sides"
    yield f"{of.only_one:,} in A alone, {of.only_other:,} in B alone: not compared"
    yield "B - A in percentage points; intervals: paired bootstrap over clusters"
    yield "could find: the least difference that is found with a power of 80 %"
    yield "p: McNemar's exact test on one variant of each original; Holm, BH: adjusted for"
    yield "all tests here (chance of any false finding; share of false findings)"
    yield from (f"note: {note}" for note in comparison.notes)


_MARKDOWN_RATES = ("", "measure", "originals", "A", "B", "B - A", "95 % interval", "could find")
_MARKDOWN = (*_MARKDOWN_RATES, "A alone", "B alone", "p", "Holm", "BH")


def as_markdown(comparison: Comparison) -> str:
    """One table; A and B are named below it."""
    rows = tuple(
        (_name(row), _WORDS[row.measure], *_cells(row)[1:], *_tests(row)[1:])
        for row in comparison.differences
    )
    sides = (f"A: {comparison.one}", f"B: {comparison.other}")
    return markdown(Grid("Comparison", _MARKDOWN, rows, 2, (*sides, *_notes(comparison))))


_COLUMNS = (
    "one", "other", "measure", "originals", "one_hits", "one_of", "one_rate", "one_low",
    "one_high", "other_hits", "other_of", "other_rate", "other_low", "other_high", "difference",
    "low", "high", "clusters", "detectable", "tested", "only_one", "only_other", "p", "holm",
    "benjamini_hochberg",
)  # fmt: skip


def as_csv(comparison: Comparison) -> str:
    """A line for each measure of each pair; shares between 0 and 1."""
    return csv_text(_COLUMNS, (_values(row) for row in comparison.differences))


def _values(row: Difference) -> tuple[object, ...]:
    low, high = row.difference.interval or (None, None)
    test = _test_values(row.test) if row.test else (None,) * 6
    names = (row.one_name, row.other_name, row.measure, row.originals)
    found = (row.difference.value, low, high, row.difference.clusters, row.detectable)
    return (*names, *_rate(row.one).values(), *_rate(row.other).values(), *found, *test)


def _test_values(test: Discordance) -> tuple[float, ...]:
    drawn = (test.originals, test.only_one, test.only_other)
    return (*drawn, test.p, test.holm, test.benjamini_hochberg)


def _rate(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval or (None, None)
    return {"hits": rate.hits, "of": rate.of, "rate": rate.value, "ci_low": low, "ci_high": high}


def as_json(comparison: Comparison) -> str:
    """One object; shares between 0 and 1, null where there is nothing to share."""
    return (
        json.dumps(
            {
                "one": comparison.one,
                "other": comparison.other,
                "matching": asdict(comparison.matching),
                "differences": [_object(row) for row in comparison.differences],
                "notes": comparison.notes,
            },
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )


def _object(row: Difference) -> dict[str, Any]:
    low, high = row.difference.interval or (None, None)
    return {
        "one": row.one_name,
        "other": row.other_name,
        "measure": row.measure,
        "originals": row.originals,
        "clusters": row.difference.clusters,
        "one_rate": _rate(row.one),
        "other_rate": _rate(row.other),
        "difference": row.difference.value,
        "ci_low": low,
        "ci_high": high,
        "detectable": row.detectable,
        "mcnemar": asdict(row.test) if row.test else None,
    }
