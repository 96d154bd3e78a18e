"""The evaluation in the layout of the paper's Tables 3 and 4, as text, Markdown, CSV and JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from metamorph.characters import visible
from metamorph.evaluation.evaluate import Evaluated, Size
from metamorph.evaluation.figures import ALL, Figure
from metamorph.evaluation.splits import (
    COUNTED,
    CROSS_SET,
    FULLY_BIASED,
    FULLY_UNBIASED,
    UNBIASED,
    WEIGHTED,
    Split,
)
from metamorph.oracles.bootstrap import Estimate
from metamorph.reports.tables import Grid, csv_text, markdown

_NONE = "-"
_COLUMNS = (UNBIASED, CROSS_SET, None, FULLY_BIASED, FULLY_UNBIASED)
_HEADS = ("model", "metric", UNBIASED, CROSS_SET, "difference", FULLY_BIASED, FULLY_UNBIASED)


def grids(found: Sequence[Evaluated], split: Split) -> list[Grid]:
    """The figures, the same down-weighted, and how large the test sets are."""
    notes = (
        *_units(found),
        f"Intervals: 95 %, of a bootstrap over {split.over}.",
        "difference: (unbiased test - cross-set biased) / cross-set biased, of the same model.",
        "fully biased and fully unbiased are of other test sets or models: no fair comparison.",
    )
    return [
        Grid("Performance with and without copies", _HEADS, _rows(found, COUNTED), 2, notes),
        _weighted(found),
        _sizes(found, split),
    ]


def _rows(found: Sequence[Evaluated], counting: str) -> tuple[tuple[str, ...], ...]:
    """A row a model and metric; what a model trained without duplicates reaches is beside."""
    beside = [each for each in found if FULLY_UNBIASED in _conditions(each)]
    rows = []
    for each in found:
        if each in beside:
            continue
        other = beside if each.role == "model" else []
        figures = _by_place([f for e in (each, *other) for f in e.figures], counting)
        for metric in dict.fromkeys(figure.metric for figure in each.figures):
            cells = (_cell(metric, column, figures.get((metric, column))) for column in _COLUMNS)
            rows.append((each.model, metric, *cells))
    return tuple(rows)


def _conditions(each: Evaluated) -> list[str]:
    return [size.condition for size in each.sizes]


def _by_place(
    figures: Sequence[Figure], counting: str
) -> Mapping[tuple[str, str | None], Estimate]:
    return {
        (figure.metric, figure.condition): figure.estimate
        for figure in figures
        if figure.counting == counting
    }


def _weighted(found: Sequence[Evaluated]) -> Grid:
    """Equation 4; it says nothing about a test set that counts every copy."""
    rows = _rows(found, WEIGHTED)
    heads = (*_HEADS[:5], _HEADS[6])
    notes = ("Equation 4: each of c copies within the test set counts 1/c.",)
    return Grid("Down-weighted", heads, tuple((*r[:5], r[6]) for r in rows), 2, notes)


def _units(found: Sequence[Evaluated]) -> Iterator[str]:
    if found[0].answers.what != "tokens":
        yield "Per cent."
        return
    yield "Acc in per cent, MRR from 0 to 1; PPL: perplexity, less is better. ID: of identifiers."
    yield "A token that is not in the vocabulary is never right; to PPL it is the unknown token."


def _cell(metric: str, condition: str | None, estimate: Estimate | None) -> str:
    """A figure in its unit; a difference in per cent."""
    if estimate is None or estimate.value is None:
        return _NONE
    of = ALL[metric] if condition else ALL["F1"]
    text = f"{estimate.value / of.unit:.{of.digits}f}"
    if estimate.interval is not None:
        low, high = (bound / of.unit for bound in estimate.interval)
        text += f" [{low:.{of.digits - 1}f}, {high:.{of.digits - 1}f}]"
    return text


def _sizes(found: Sequence[Evaluated], split: Split) -> Grid:
    rows = tuple(
        (each.model, size.condition, *(f"{number:,}" for number in size.counts()))
        for each in found
        for size in each.sizes
    )
    train, test = split.audit.train, split.audit.test
    notes = (
        f"Training set: {train.units:,} units, {train.across:,} with a copy in the test set, "
        f"{split.audit.in_train:,} copies within; {train.skipped_small:,} too small to tell.",
        f"Test set: {test.units:,} units, {test.across:,} with a copy in the training set, "
        f"{split.audit.in_test:,} copies within; {test.skipped_small:,} too small to tell, "
        "in no test set.",
        *(note for note in (_not_asked(each) for each in found[:1]) if note),
    )
    heads = ("model", "test set", "units", found[0].answers.what, "no answer")
    return Grid("Test sets", heads, rows, 2, notes)


def _not_asked(each: Evaluated) -> str:
    answers = each.answers
    parts = []
    if answers.unparsable:
        parts.append(f"{answers.unparsable:,} files with a syntax error")
    if answers.without_gold:
        parts.append(f"{answers.without_gold:,} methods without a known answer")
    return f"Not asked about: {' and '.join(parts)}." if parts else ""


def text(grid: Grid) -> str:
    """A grid for a terminal."""
    rows = [tuple(visible(cell) for cell in row) for row in (grid.columns, *grid.rows)]
    widths = [max(len(row[n]) for row in rows) for n in range(len(grid.columns))]
    lines = [grid.title, ""]
    for row in rows:
        cells = zip(row, widths, strict=True)
        padded = [c.ljust(w) if n < grid.texts else c.rjust(w) for n, (c, w) in enumerate(cells)]
        lines.append("  ".join(padded).rstrip())
    return "\n".join([*lines, "", *grid.notes]) + "\n"


def table(found: Sequence[Evaluated], split: Split) -> Iterator[str]:
    """All grids for a terminal."""
    for number, grid in enumerate(grids(found, split)):
        yield ("\n" if number else "") + text(grid)


def md(found: Sequence[Evaluated], split: Split) -> Iterator[str]:
    """All grids as Markdown."""
    for number, grid in enumerate(grids(found, split)):
        yield ("\n" if number else "") + f"## {grid.title}\n\n{markdown(grid)}"


def csv(found: Sequence[Evaluated]) -> str:
    """A row a figure; a relative difference has the test set `difference`."""
    heads = ("model", "role", "metric", "test_set", "counting", "value", "low", "high")
    rows = []
    for each in found:
        for figure in each.figures:
            low, high = figure.estimate.interval or (None, None)
            place = (figure.metric, figure.condition or "difference", figure.counting)
            rows.append((each.model, each.role, *place, figure.estimate.value, low, high))
    return csv_text(heads, rows)


def as_dict(
    found: Sequence[Evaluated], split: Split, settings: Mapping[str, object]
) -> dict[str, object]:
    """Everything, for JSON."""
    sides = {"train": asdict(split.audit.train), "test": asdict(split.audit.test)}
    within = {"in_train": split.audit.in_train, "in_test": split.audit.in_test}
    return {
        "settings": dict(settings),
        "split": {**sides, **within, "direct": split.audit.direct},
        "intervals_over": split.over,
        "models": [_model(each) for each in found],
    }


def _model(each: Evaluated) -> dict[str, object]:
    answers = each.answers
    return {
        "model": each.model,
        "role": each.role,
        "unparsable": answers.unparsable,
        "without_gold": answers.without_gold,
        "errors": answers.errors,
        "test_sets": [_size(size, answers.what) for size in each.sizes],
        "figures": [_figure(figure) for figure in each.figures if figure.condition],
        "differences": [_figure(figure) for figure in each.figures if not figure.condition],
    }


def _size(size: Size, what: str) -> dict[str, object]:
    counts = dict(zip(("units", what, "no_answer"), size.counts(), strict=True))
    return {"condition": size.condition, **counts}


def _figure(figure: Figure) -> dict[str, object]:
    low, high = figure.estimate.interval or (None, None)
    place = {"test_set": figure.condition} if figure.condition else {}
    numbers = {"value": figure.estimate.value, "low": low, "high": high}
    return {"metric": figure.metric, **place, "counting": figure.counting, **numbers}
