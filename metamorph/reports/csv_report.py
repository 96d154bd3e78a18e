"""The report as one tidy table of comma-separated values."""

from collections.abc import Iterator

from metamorph.oracles.bootstrap import Estimate
from metamorph.oracles.copied import NONE, ByCopy
from metamorph.oracles.rates import Rate
from metamorph.oracles.summaries import Summary
from metamorph.oracles.tallies import Tally
from metamorph.reports.tables import csv_text

COLUMNS = (
    "level",
    "transform",
    "place",
    "group",
    "n",
    "count",
    "rate",
    "low",
    "high",
    "originals",
    "complete",
)
"""level: what the row is about; group: a part of it, such as a category or a bin; count: of n
things; rate: their share, or a value of its own; low, high: its 95 % interval; complete: whether
the run was."""

_Row = tuple[object, ...]
_WIDTH = len(COLUMNS) - 1


def render(summary: Summary) -> str:
    """The table, its first line the names of the columns."""
    complete = "yes" if summary.complete else "no"
    rows = ((*row, *(None,) * (_WIDTH - len(row)), complete) for row in _rows(summary))
    return csv_text(COLUMNS, rows)


def _rows(summary: Summary) -> Iterator[_Row]:
    for row in summary.tally:
        yield from _tally(row)
    for at in summary.by_length:
        counts = (at.judged, at.changed, at.change_rate, *_bounds(at.interval), at.originals)
        yield ("length", at.transform, at.place, at.bin, *counts)
    for of in summary.by_project:
        counts = (of.judged, of.changed, of.change_rate, *_bounds(of.interval), of.originals)
        yield ("project", of.transform, of.place, of.project, *counts)
    for moved in summary.moves:
        about = (moved.transform, moved.place)
        yield ("score", *about, "before", moved.scored, None, moved.score_before)
        bounds = _bounds(moved.score_interval)
        yield ("score", *about, "change", moved.scored, None, moved.score_change, *bounds)
        if moved.untouched_change is not None:
            yield ("score", *about, "untouched before", None, None, moved.untouched_before)
            bounds = _bounds(moved.untouched_interval)
            gained = moved.untouched_change
            yield ("score", *about, "untouched change", None, None, gained, *bounds)
    if summary.by_copy:
        yield from _copies(summary.by_copy)
    for both in summary.single_all:
        about = ("same originals", both.transform)
        yield (*about, "single", "", *_rate(both.single), both.originals)
        yield (*about, "all", "", *_rate(both.all), both.originals)
        yield (*about, "", "all less single", *_estimate(both.all_less_single), both.originals)
    if summary.originals is not None:
        graded, level = summary.originals.graded, ("originals", "", "")
        yield (*level, "right", *_rate(summary.originals.right), graded)
        yield (*level, "f1", *_estimate(summary.originals.f1), graded)
    yield from _accounts(summary)


def _tally(row: Tally) -> Iterator[_Row]:
    about = (row.transform, row.place)
    level = "control" if row.control else "change"
    yield (level, *about, "", *_rate(row.change), row.originals)
    yield ("variants", *about, "", None, row.variants)
    for result in ("inconclusive", "no_answer"):
        yield ("unjudged", *about, result, *_share(getattr(row, result), row.variants))
    for result, count in (*row.categories.items(), *row.without_gold.items()):
        yield ("category", *about, result, *_share(count, row.judged))
    yield ("rate", *about, "macro", *_estimate(row.macro), row.originals)
    for name, rate in (("cip", row.cip), ("wcp", row.wcp), ("wrong", row.wrong)):
        yield ("rate", *about, name, *_rate(rate))
    yield ("rate", *about, "wrong less correct", *_estimate(row.wrong_less_correct))
    yield ("rate", *about, "noise floor", None, None, row.noise_floor)
    yield ("rate", *about, "layout floor", None, None, row.layout_floor)
    yield ("truncated", *about, "", *_share(row.truncated, row.judged))
    yield ("rate", *about, "without truncated", None, None, row.whole_change_rate)
    if row.subtokens:
        for when, scores in (("before", row.subtokens.before), ("after", row.subtokens.after)):
            for name in ("precision", "recall", "f1"):
                yield ("subtokens", *about, f"{name} {when}", None, None, getattr(scores, name))
        yield ("subtokens", *about, "f1 change", *_estimate(row.subtokens.f1_change))


def _copies(by_copy: ByCopy) -> Iterator[_Row]:
    for of in by_copy.scores:
        about = ("copies", "", "")
        yield (*about, of.copied, None, of.methods)
        yield (*about, f"{of.copied} right", *_rate(of.right))
        if of.copied != NONE:
            yield (*about, f"{of.copied} right less none", *_estimate(of.less_none))
    for at in by_copy.tallies:
        place = ("copies", at.transform, at.place)
        counts = (at.judged, at.changed, at.change_rate, *_bounds(at.interval), at.originals)
        yield (*place, at.copied, *counts)
        if at.copied != NONE:
            yield (*place, f"{at.copied} less none", *_estimate(at.less_none), at.originals)


def _accounts(summary: Summary) -> Iterator[_Row]:
    of = summary.accounting
    for name in ("files", "methods", "methods_without_site", "variants", "answered"):
        yield ("total", "", "", name, None, getattr(of, name))
    for name in ("inconclusive", "truncated", "without_gold"):
        yield ("total", "", "", name, None, getattr(of, name))
    yield ("total", "", "", "files_planned", None, summary.files_planned)
    for name in ("unparsable", "no_answer", "broken"):
        reasons: dict[str, int] = getattr(of, name)
        yield ("total", "", "", name, None, sum(reasons.values()))
        for reason, count in reasons.items():
            yield (name, "", "", reason, None, count)
    for transform, reasons in of.refusals.items():
        for reason, count in reasons.items():
            yield ("refused", transform, "", reason, None, count)


def _rate(rate: Rate) -> _Row:
    return rate.of, rate.hits, rate.value, *_bounds(rate.interval)


def _estimate(of: Estimate) -> _Row:
    return None, None, of.value, *_bounds(of.interval)


def _share(count: int, of: int) -> _Row:
    return of, count, count / of if of else None


def _bounds(interval: tuple[float, float] | None) -> _Row:
    return interval or (None, None)
