"""Tables 1 to 8 of the paper, filled from studies."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metamorph.oracles.outcomes import CATEGORIES
from metamorph.oracles.rates import Rate
from metamorph.oracles.tallies import Tally
from metamorph.reports.paper.cells import (
    NONE,
    bounds,
    count,
    exact,
    hundredfold,
    less,
    percent,
    signed,
)
from metamorph.reports.paper.notes import (
    notes_on_categories,
    notes_on_changes,
    notes_on_scores,
)
from metamorph.reports.paper.observations import NOTES, findings
from metamorph.reports.paper.studies import NAMES, Study, comparable
from metamorph.reports.tables import Grid

Row = dict[str, object]


@dataclass(frozen=True, slots=True)
class Paged:
    """A table in two forms: `grid` for readers, `rows` of plain numbers for CSV.

    name: of its files; number: which of the paper's tables it is, "A" for one that it has not.
    """

    name: str
    number: str
    grid: Grid
    rows: tuple[Row, ...]


def tables(studies: Sequence[Study]) -> list[Paged]:
    """All tables, in the paper's order; last, what they say to its observations."""
    changes = sorted(studies, key=lambda study: study.paper.number or 8)
    return [
        scores(studies),
        *map(changed, changes),
        *map(categories, studies),
        *observed(studies),
    ]


def scores(studies: Sequence[Study]) -> Paged:
    """Table 1: how well the models answer the original programs."""
    compared = any(study.paper.number for study in studies)
    source = ("Source",) if compared else ()
    grid = Grid(
        "Characteristics of the models.",
        ("Model", "Dataset", *source, "Precision", "Recall", "F1 Score"),
        tuple(line for study in studies for line in _score_lines(study, compared)),
        texts=2 + len(source),
        notes=tuple(dict.fromkeys(notes_on_scores(studies))),
        label="tab:models",
    )
    return Paged("table1", "1", grid, tuple(_score_row(study) for study in studies))


_SCORES = ("precision", "recall", "f1")


def _own_scores(study: Study) -> list[float | None]:
    found = study.originals.scores if study.originals else None
    return [hundredfold(getattr(found, what)) if found else None for what in _SCORES]


def _score_lines(study: Study, compared: bool) -> Iterator[tuple[str, ...]]:
    own = _own_scores(study)
    told = [study.paper.score(what) for what in _SCORES]
    about = (study.model, study.data_set)
    yield (*about, *(("this run",) if compared else ()), *map(percent, own))
    if study.paper.number:
        yield ("", "", "paper", *map(percent, told))
        yield ("", "", "difference", *(signed(less(*pair)) for pair in zip(own, told, strict=True)))


def _score_row(study: Study) -> Row:
    own = dict(zip(_SCORES, _own_scores(study), strict=True))
    row: Row = {"model": study.model, "data_set": study.data_set}
    row["methods"] = study.originals.graded if study.originals else None
    row |= {what: exact(value) for what, value in own.items()}
    for what, value in own.items():
        row |= _against(what, value, study.paper.score(what))
    return row


def _against(what: str, own: float | None, told: float | None) -> Row:
    return {f"paper_{what}": told, f"difference_{what}": exact(less(own, told))}


def changed(study: Study) -> Paged:
    """One of tables 2 to 7: changes of prediction, by transformation."""
    number = study.paper.number
    paper = ("Paper", "Difference") if number else ()
    grid = Grid(
        f"Change of prediction for {study.model} on the {study.data_set} dataset.",
        ("Transformation", "#", "Total", *paper),
        tuple(line for transform in study.transforms for line in _block(study, transform)),
        texts=2,
        notes=tuple(dict.fromkeys(notes_on_changes(study))),
        label=f"tab:changes-{study.slug}",
        groups=_BLOCK,
    )
    name = f"table{number}" if number else "table2-7"
    rows = tuple(_changed_row(study, transform) for transform in study.transforms)
    return Paged(f"{name}-{study.slug}", str(number or "2-7"), grid, rows)


_BLOCK = 6
"""Lines of one transformation."""

_COUNTS = (
    ("# Original programs", "originals"),
    ("# Transformed programs", "variants"),
    ("# Prediction changing programs", "changed"),
)


def _block(study: Study, transform: str) -> Iterator[tuple[str, ...]]:
    row = study.as_in_paper(transform)
    told = study.paper if row is None or comparable(row) else None
    name = NAMES.get(transform, transform)
    for title, what in _COUNTS:
        own = getattr(row, what) if row else None
        paper = told.change(transform, what) if told else None
        pair = (count(paper), signed(less(own, paper), 0))
        yield _line(study, name, title, count(own), *pair)
        name = ""
    rate = hundredfold(row.change_rate) if row else None
    paper = told.change(transform, "change") if told else None
    yield _line(
        study, "", "Prediction change (%)", percent(rate), percent(paper), signed(less(rate, paper))
    )
    yield _line(study, "", "95 % interval (%)", bounds(row.interval if row else None), "", "")
    floor = hundredfold(row.noise_floor) if row else None
    yield _line(study, "", "Noise floor (%)", percent(floor), "", "")


def _line(study: Study, *cells: str) -> tuple[str, ...]:
    return cells if study.paper.number else cells[:3]


def _changed_row(study: Study, transform: str) -> Row:
    row = study.as_in_paper(transform)
    rate = hundredfold(row.change_rate) if row else None
    told = study.paper if row is None or comparable(row) else None
    paper = {
        what: told.change(transform, what) if told else None
        for what in ("originals", "variants", "changed", "change")
    }
    return {
        **_about(study, transform, row),
        "originals": row.originals if row else None,
        "variants": row.variants if row else None,
        "judged": row.judged if row else None,
        "changed": row.changed if row else None,
        **_rate_row("change", row.change if row else None),
        "noise_floor": exact(hundredfold(row.noise_floor if row else None)),
        **{f"paper_{what}": _whole(value) for what, value in paper.items()},
        "difference_change": exact(less(rate, paper["change"])),
    }


def _whole(value: float | None) -> float | None:
    return int(value) if value is not None and value.is_integer() else value


def _about(study: Study, transform: str, row: Tally | None) -> Row:
    place = row.place if row else None
    return {
        "model": study.model,
        "data_set": study.data_set,
        "transform": transform,
        "place": place,
    }


def _rate_row(what: str, rate: Rate | None) -> Row:
    low, high = rate.interval if rate and rate.interval else (None, None)
    value = rate.value if rate else None
    percents = [exact(hundredfold(number)) for number in (value, low, high)]
    return dict(zip((what, f"{what}_low", f"{what}_high"), percents, strict=True))


def categories(study: Study) -> Paged:
    """Table 8: the five categories in percent, and the rates that follow from them."""
    compared = any(study.paper.category(transform, CATEGORIES[0]) for transform in NAMES)
    source = ("Source",) if compared else ()
    grid = Grid(
        f"Detailed percentages of changes in {study.model} ({study.data_set}).",
        ("Transformation", *source, *CATEGORIES, "CIP rate", "interval", "WCP rate", "interval"),
        tuple(
            line
            for transform in study.transforms
            for line in _category_lines(study, transform, compared)
        ),
        texts=1 + len(source),
        notes=tuple(dict.fromkeys(notes_on_categories(study, compared))),
        label=f"tab:categories-{study.slug}",
        groups=3 if compared else 0,
    )
    rows = tuple(_category_row(study, transform) for transform in study.transforms)
    return Paged(f"table8-{study.slug}", "8", grid, rows)


def _shares(row: Tally | None) -> dict[str, float | None]:
    """The categories in percent of those with a right answer."""
    total = sum(row.categories.values()) if row else 0
    if row is None or not total:
        return dict.fromkeys(CATEGORIES)
    return {name: 100 * row.categories[name] / total for name in CATEGORIES}


def _told(study: Study, transform: str, row: Tally | None) -> dict[str, float | None]:
    told = row is None or comparable(row)
    return {name: study.paper.category(transform, name) if told else None for name in CATEGORIES}


def _derived(shares: dict[str, float | None]) -> tuple[float | None, float | None]:
    """The CIP and WCP rates in percent, from the percentages of the categories."""
    known = {name: share for name, share in shares.items() if share is not None}
    if len(known) < len(CATEGORIES):
        return None, None
    right, wrong = known["CCP"] + known["CIP"], known["WWSP"] + known["WCP"] + known["WWDP"]
    return (
        100 * known["CIP"] / right if right else None,
        100 * known["WCP"] / wrong if wrong else None,
    )


def _category_lines(study: Study, transform: str, compared: bool) -> Iterator[tuple[str, ...]]:
    row = study.as_in_paper(transform)
    own = _shares(row)
    rates = _derived(own)
    limits = [bounds(row.cip.interval), bounds(row.wcp.interval)] if row else [NONE, NONE]
    cells = [percent(share) for share in own.values()]
    cells += [percent(rates[0]), limits[0], percent(rates[1]), limits[1]]
    yield (transform, *(("this run",) if compared else ()), *cells)
    if not compared:
        return
    told = _told(study, transform, row)
    others = _derived(told)
    cells = [percent(share) for share in told.values()]
    yield ("", "paper", *cells, percent(others[0]), "", percent(others[1]), "")
    cells = [signed(less(own[name], told[name])) for name in CATEGORIES]
    gaps = [signed(less(*pair)) for pair in zip(rates, others, strict=True)]
    yield ("", "difference", *cells, gaps[0], "", gaps[1], "")


def _category_row(study: Study, transform: str) -> Row:
    row = study.as_in_paper(transform)
    own, told = _shares(row), _told(study, transform, row)
    found = {
        **_about(study, transform, row),
        "judged": sum(row.categories.values()) if row else None,
        **{name: exact(share) for name, share in own.items()},
        **_rate_row("cip_rate", row.cip if row else None),
        **_rate_row("wcp_rate", row.wcp if row else None),
    }
    for name in CATEGORIES:
        found |= _against(name, own[name], told[name])
    for name, mine, theirs in zip(
        ("cip_rate", "wcp_rate"), _derived(own), _derived(told), strict=True
    ):
        found |= {f"paper_{name}": exact(theirs), f"difference_{name}": exact(less(mine, theirs))}
    return found


def observed(studies: Sequence[Study]) -> Iterator[Paged]:
    """A table that the paper has as sentences, its five observations; none without outcomes."""
    found = findings(studies)
    rows = [(str(one.number), one.study, one.transform, one.seen, one.holds) for one in found]
    if rows:
        grid = Grid(
            "The five observations of the paper in these studies.",
            ("#", "Study", "Code", "Seen", "Holds"),
            tuple(rows),
            texts=5,
            notes=NOTES,
            label="tab:observations",
        )
        plain: tuple[Row, ...] = tuple(dict(zip(_FINDING, row, strict=True)) for row in rows)
        yield Paged("observations", "A", grid, plain)


_FINDING = ("observation", "study", "transform", "seen", "holds")
