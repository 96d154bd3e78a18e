"""The tables of a report, their cells written out: what Markdown and LaTeX show."""

from collections.abc import Callable, Iterator, Sequence

from metamorph.oracles.bootstrap import Estimate
from metamorph.oracles.outcomes import CATEGORIES, WITHOUT_GOLD
from metamorph.oracles.ranks import Moves
from metamorph.oracles.rates import Rate
from metamorph.oracles.summaries import Summary
from metamorph.oracles.tallies import Tally
from metamorph.reports.copies import copies
from metamorph.reports.gates import Verdict
from metamorph.reports.shares import interval, part, percent, with_interval
from metamorph.reports.tables import Grid

_PLACED = ("transformation", "place")

Row = tuple[str, ...]


def grids(summary: Summary, verdicts: Sequence[Verdict] = ()) -> Iterator[Grid]:
    """The tables that have rows, the most telling first."""
    studied = [row for row in summary.tally if not row.control]
    controls = [row for row in summary.tally if row.control]
    found = (
        _gates(verdicts),
        _changes("Changed predictions", "tab:changes", studied, notes(summary)),
        _changes("Controls: nothing that should change a prediction", "tab:controls", controls),
        numbers(summary),
        _categories(summary.tally),
        _derived(studied),
        _places(summary),
        _lengths(summary),
        _projects(summary),
        *copies(summary),
        _subtokens(studied),
        _originals(summary),
        _accounts(summary),
        _refusals(summary),
    )
    yield from (grid for grid in found if grid.rows)


def _gates(verdicts: Sequence[Verdict]) -> Grid:
    rows = tuple(
        (v.row.transform, v.row.place, f"{v.limit:g}", v.result, v.detail) for v in verdicts
    )
    columns = (*_PLACED, "limit", "result", "why")
    return Grid("Gates", columns, rows, len(columns), label="tab:gates")


_Column = tuple[str, Callable[[Tally], str]]

_CHANGES: tuple[_Column, ...] = (
    ("originals", lambda row: f"{row.originals:,}"),
    ("variants", lambda row: f"{row.variants:,}"),
    ("no answer", lambda row: f"{row.no_answer:,}"),
    ("inconclusive", lambda row: f"{row.inconclusive:,}"),
    ("changed", lambda row: f"{row.changed:,}"),
    ("change rate", lambda row: percent(row.change_rate)),
    ("95 % interval", lambda row: interval(row.interval)),
    ("mean over originals", lambda row: percent(row.macro.value)),
    ("noise floor", lambda row: percent(row.noise_floor)),
    ("layout floor", lambda row: percent(row.layout_floor)),
)
_WHERE_ANY = frozenset({"no answer", "inconclusive", "layout floor"})
"""Columns that are left out where they say nothing."""


def _changes(title: str, label: str, rows: list[Tally], notes: tuple[str, ...] = ()) -> Grid:
    columns = [
        (name, cell)
        for name, cell in _CHANGES
        if name not in _WHERE_ANY or any(cell(row) not in ("0", "-") for row in rows)
    ]
    cells = ((row.transform, row.place, *(cell(row) for _, cell in columns)) for row in rows)
    names = (*_PLACED, *(name for name, _ in columns))
    return Grid(title, names, tuple(cells), 2, notes, label)


def notes(summary: Summary) -> tuple[str, ...]:
    """What the rates are shares of, and what the intervals are over."""
    over = {"original": "original methods", "project": "projects"}[summary.clusters.kind]
    repeated = (
        f"originals whose answer varies when asked {summary.repeat} times"
        if summary.repeat > 1
        else "originals whose answer varies though nothing changed (--repeat, or identity)"
    )
    return (
        "Change rate: changed of all that were answered and not inconclusive. Intervals: bootstrap "
        f"over {over}. Noise floor: {repeated}. Layout floor: the same where white space alone "
        "changed (reformat).",
    )


_NUMBERS = {
    "number": "How far the numbers move",
    "surprise": "How far the surprise moves, in bits a token",
}


def numbers(summary: Summary) -> Grid:
    """How far answers that are numbers move, controls too; without rows where they are none."""
    shown = summary.moves if summary.task in _NUMBERS else []
    by_token = any(row.untouched_change is not None for row in shown)
    rows = tuple(
        (row.transform, row.place, f"{row.scored:,}", *map(_number, _moved(row, by_token=by_token)))
        for row in shown
    )
    columns: tuple[str, ...] = (*_PLACED, "variants", "before", "change", "from", "to")
    notes = ["Change: the mean of the answer after less that before; from, to: its 95 % interval."]
    if by_token:
        columns = (*columns, "untouched", "from", "to")
        notes.append("Untouched: the same change of the tokens alone that no edit touches.")
    return Grid(_NUMBERS.get(summary.task, ""), columns, rows, 2, tuple(notes), "tab:numbers")


def _moved(row: Moves, *, by_token: bool) -> tuple[float | None, ...]:
    none = (None, None)
    found = (row.score_before, row.score_change, *(row.score_interval or none))
    return (*found, row.untouched_change, *(row.untouched_interval or none)) if by_token else found


def _number(value: float | None) -> str:
    """Three digits behind the point are enough for bits, five in all for what is large."""
    if value is None:
        return "-"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.5g}"


def _categories(tally: list[Tally]) -> Grid:
    ungraded = any(sum(row.without_gold.values()) for row in tally)
    extra = WITHOUT_GOLD if ungraded else ()
    rows = tuple(
        (
            row.transform,
            row.place,
            *(f"{row.categories[category]:,}" for category in CATEGORIES),
            *(f"{row.without_gold[result]:,}" for result in extra),
        )
        for row in tally
        if row.judged
    )
    columns = (*_PLACED, *CATEGORIES, *(f"{result}, no gold" for result in extra))
    note = (
        "CCP correct to correct, CIP correct to incorrect, WWSP wrong to same wrong, WCP wrong to "
        "correct, WWDP wrong to different wrong."
    )
    return Grid("Categories of outcomes", columns, rows, 2, (note,), "tab:categories")


def _derived(tally: list[Tally]) -> Grid:
    shown: tuple[Callable[[Tally], Rate | Estimate], ...] = (
        lambda row: row.cip,
        lambda row: row.wcp,
        lambda row: row.wrong,
        lambda row: row.wrong_less_correct,
    )
    rows = tuple(
        (row.transform, row.place, *(with_interval(get(row)) for get in shown))
        for row in tally
        if sum(row.categories.values())
    )
    columns = (*_PLACED, "CIP rate", "WCP rate", "changed if wrong", "wrong less correct")
    note = (
        "CIP rate: CIP of CCP and CIP, the change rate of predictions that were correct. WCP rate: "
        "WCP of WWSP, WCP and WWDP. Wrong less correct: in percentage points."
    )
    return Grid("Correct and wrong predictions", columns, rows, 2, (note,), "tab:correct")


def _places(summary: Summary) -> Grid:
    rows = tuple(
        (
            row.transform,
            f"{row.originals:,}",
            with_interval(row.single),
            with_interval(row.all),
            with_interval(row.all_less_single),
        )
        for row in summary.single_all
    )
    columns = ("transformation", "originals", "single place", "all places", "all less single")
    return Grid(
        "Single place and all places, on the same originals", columns, rows, 1, (), "tab:places"
    )


def _lengths(summary: Summary) -> Grid:
    controls = {row.transform for row in summary.tally if row.control}
    rows = tuple(
        (row.transform, row.place, row.bin, *part(row))
        for row in summary.by_length
        if row.transform not in controls
    )
    columns = (*_PLACED, "statements", "originals", "judged", "changed", "change rate")
    title = "Changed predictions by method length"
    return Grid(title, (*columns, "95 % interval"), rows, 3, (), "tab:length")


def _projects(summary: Summary) -> Grid:
    rows = tuple((row.transform, row.place, row.project, *part(row)) for row in summary.by_project)
    columns = (*_PLACED, "project", "originals", "judged", "changed", "change rate")
    title = "Changed predictions by project"
    return Grid(title, (*columns, "95 % interval"), rows, 3, (), "tab:projects")


def _subtokens(tally: list[Tally]) -> Grid:
    rows = tuple(
        (
            row.transform,
            row.place,
            *(
                percent(value)
                for scores in (row.subtokens.before, row.subtokens.after)
                for value in (scores.precision, scores.recall, scores.f1)
            ),
            with_interval(row.subtokens.f1_change),
        )
        for row in tally
        if row.subtokens
    )
    measures = ("precision", "recall", "F1")
    columns = (*_PLACED, *measures, *(f"{name} after" for name in measures), "change of F1")
    return Grid("Subtokens of predictions", columns, rows, 2, (), "tab:subtokens")


def _originals(summary: Summary) -> Grid:
    of = summary.originals
    rows: tuple[Row, ...] = ()
    if of is not None and of.graded:
        rows = (
            ("methods that were asked", f"{of.asked:,}"),
            ("answered, the right answer known", f"{of.graded:,}"),
            ("right", with_interval(of.right)),
        )
    if of is not None and of.scores:
        rows += (
            ("precision", percent(of.scores.precision)),
            ("recall", percent(of.scores.recall)),
            ("F1", with_interval(of.f1)),
        )
    title = "Predictions of the methods as they stand"
    return Grid(title, ("what", "value"), rows, 1, (), "tab:originals")


def _accounts(summary: Summary) -> Grid:
    of = summary.accounting
    lost, silent, broken = (sum(part.values()) for part in (of.unparsable, of.no_answer, of.broken))
    rows = (
        ("files", f"{of.files:,}"),
        *_parts("files unparsable", lost, of.unparsable),
        ("methods", f"{of.methods:,}"),
        ("methods without a site", f"{of.methods_without_site:,}"),
        ("variants", f"{of.variants:,}"),
        ("variants answered", f"{of.answered:,}"),
        *_parts("variants without an answer", silent, of.no_answer),
        ("inconclusive", f"{of.inconclusive:,}"),
        ("truncated", f"{of.truncated:,}"),
        *_parts("broken variants, not put to the model", broken, of.broken),
    )
    return Grid("Accounts", ("what", "number"), rows, 1, (), "tab:accounts")


def _parts(name: str, total: int, reasons: dict[str, int]) -> tuple[Row, ...]:
    parts = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return ((name, f"{total:,}"), *((f"{name}: {reason}", f"{n:,}") for reason, n in parts))


def _refusals(summary: Summary) -> Grid:
    rows = tuple(
        (transform, reason, f"{count:,}")
        for transform, reasons in summary.accounting.refusals.items()
        for reason, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    )
    columns = ("transformation", "reason", "sites")
    return Grid("Sites that were left alone", columns, rows, 2, (), "tab:refusals")
