"""The sentences below the kit's tables: what a reader must know to read the numbers right."""

from collections.abc import Iterator, Sequence

from metamorph.oracles.tallies import Tally
from metamorph.reports.paper.studies import NAMES, RANDOM, Study, comparable, shortcomings


def notes_on_scores(studies: Sequence[Study]) -> Iterator[str]:
    """Notes on table 1."""
    yield (
        "In percent, over subtokens of names; of the methods to which a transformation applies, "
        "for others are not asked."
    )
    for study in studies:
        found = study.originals
        if found is None or found.scores is None:
            yield f"{study.title}: no right answers are known as names, so there are no scores."
        else:
            yield f"{study.title}: {found.graded:,} methods."
    if any(study.paper.number for study in studies):
        yield f"{_PAPER} It scores whole test sets, for models that its authors trained."
    for study in studies:
        yield from shortcomings(study)


_PAPER = "Paper: the values of the preprint."


def notes_on_changes(study: Study) -> Iterator[str]:
    """Notes on tables 2 to 7."""
    if study.paper.number:
        yield f"{_PAPER} Differences: this run less the paper, in percentage points or programs."
        yield from _part_of_data(study)
    yield from _places(study)
    yield from _intervals(study)
    yield from _noise(study)
    yield from _journal(study)
    yield from shortcomings(study)


def _part_of_data(study: Study) -> Iterator[str]:
    """Whether the run's programs can be all of the paper's."""
    rows = [row for row in map(study.as_in_paper, NAMES) if row is not None and comparable(row)]
    own = sum(row.originals for row in rows)
    told = sum(study.paper.change(row.transform, "originals") or 0 for row in rows)
    if told and not _NEAR < own / told < 1 / _NEAR:
        yield (
            f"The data are not those of the paper: {own:,} original programs where it has "
            f"{told:,.0f}."
        )


_NEAR = 0.98
"""Two tools find nearly the same programs in the same data, but not quite."""


def notes_on_categories(study: Study, compared: bool) -> Iterator[str]:
    """Notes on table 8."""
    yield (
        "C correct, I incorrect, W wrong, SP same, DP different prediction. "
        "CIP rate: CIP / (CCP + CIP); WCP rate: WCP / (WWSP + WCP + WWDP)."
    )
    if compared:
        yield f"{_PAPER} Differences: this run less the paper, in percentage points."
    if unknown := sum(summary.accounting.without_gold for summary in study.summaries):
        yield f"Left out: {unknown:,} programs of which no right answer is known."
    yield from _places(study)
    yield from _intervals(study)
    yield from shortcomings(study)


def _places(study: Study) -> Iterator[str]:
    """What is not there, or not as in the paper."""
    rows = {transform: study.as_in_paper(transform) for transform in study.transforms}
    lacking = [transform for transform, row in rows.items() if row is None]
    if lacking:
        yield f"Not applied, or not in the place that the table is of: {', '.join(lacking)}."
    yield from _other_places([row for row in rows.values() if row is not None])


def _other_places(rows: Sequence[Tally]) -> Iterator[str]:
    odd = [row for row in rows if row.transform in NAMES and not comparable(row)]
    every = [row.transform for row in odd if row.transform in RANDOM]
    drawn = [row.transform for row in odd if row.transform not in RANDOM]
    if every:
        yield (
            f"{', '.join(every)}: at each site alone; the paper draws one at random, "
            "so its values are not set beside these."
        )
    if drawn:
        yield (
            f"{', '.join(drawn)}: at one site drawn at random; the paper takes each site alone, "
            "so its values are not set beside these."
        )


def _intervals(study: Study) -> Iterator[str]:
    kinds = {summary.clusters.kind for summary in study.summaries}
    yield f"Intervals: cluster bootstrap over {' and '.join(sorted(kinds))}s."


def _noise(study: Study) -> Iterator[str]:
    if any(row.noise_floor is not None for row in study.tallies):
        yield "Noise floor: originals whose prediction changes when nothing is changed."
    else:
        yield "Noise floor: not measured; metamorph run --controls or --repeat measures it."
    controls = [
        f"{row.transform} {100 * row.change_rate:.2f} % of {row.judged:,}"
        for row in study.tallies
        if row.control and row.change_rate is not None
    ]
    if controls:
        yield f"Controls, changed: {', '.join(dict.fromkeys(controls))}."


def _journal(study: Study) -> Iterator[str]:
    told = study.paper.figure(5, "PS", "any")
    if study.paper.number and told is not None:
        yield f"Permute Statement is not the same in the paper's journal version: {told:.2f} %."
