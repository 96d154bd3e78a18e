"""The summary of a run: everything that a report of it shows."""

from dataclasses import dataclass

from metamorph.oracles.tallies import LengthTally, Tally


@dataclass(frozen=True, slots=True)
class Accounting:
    """Every input accounted for.

    files = parsed + those in `unparsable`; variants = answered + those in `no_answer`, where
    answered includes the inconclusive; broken ones were never put to the model. Dictionaries
    map reasons to counts, `refusals` a transformation to these.
    """

    files: int
    unparsable: dict[str, int]
    methods: int
    methods_without_site: int
    variants: int
    answered: int
    inconclusive: int
    no_answer: dict[str, int]
    broken: dict[str, int]
    refusals: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Changed:
    """One variant whose prediction changed, to look at; names: old to new."""

    transform: str
    place: str
    category: str
    path: str
    line: int
    method: str
    names: dict[str, str]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in numbers, and what was run.

    files_planned: the files of the corpus, all of them studied when `complete`; examples: one
    for each transformation and place that changed something.
    """

    model: dict[str, str]
    seed: int
    repeat: int
    limit: int | None
    complete: bool
    files_planned: int
    corpus: str
    versions: dict[str, str]
    notes: list[str]
    accounting: Accounting
    tally: list[Tally]
    by_length: list[LengthTally]
    examples: list[Changed]
