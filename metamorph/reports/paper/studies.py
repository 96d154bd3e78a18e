"""Studies: runs of one model over one corpus, taken together as the paper takes them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from metamorph.oracles.contrasts import SingleAll
from metamorph.oracles.summaries import OriginalScores, Summary
from metamorph.oracles.tallies import LengthTally, Tally
from metamorph.reports.paper.published_values import Published, data_set_name, published

NAMES = {
    "VN": "Variable Renaming",
    "BX": "Boolean Exchange",
    "LX": "Loop Exchange",
    "SF": "Switch to If",
    "PS": "Permute Statement",
    "TC": "Try-Catch Insertion",
    "UN": "Unused Statement",
}
"""The paper's transformations, in the order of its tables."""

RANDOM = frozenset({"TC", "UN"})
"""Those that the paper applied to one statement drawn at random, the others to each site alone."""

_LONGEST_SLUG = 60


@dataclass(frozen=True, slots=True)
class Study:
    """Runs of one model over one corpus.

    model: its name, without the folders of its files; data_set: what the user calls the corpus, or
    the name of the run; runs: names of the runs; paper: what it tells of the same model and data.
    """

    model: str
    data_set: str
    runs: tuple[str, ...]
    summaries: tuple[Summary, ...]
    paper: Published

    @property
    def title(self) -> str:
        """What tells this study from the others."""
        return f"{self.model} on {self.data_set}"

    @property
    def slug(self) -> str:
        """The same for names of files."""
        plain = re.sub(r"[^a-z0-9]+", "-", f"{self.model} {self.data_set}".lower())
        return plain[-_LONGEST_SLUG:].strip("-") or "study"

    @property
    def tallies(self) -> list[Tally]:
        """Those of all runs, controls too."""
        return [row for summary in self.summaries for row in summary.tally]

    @property
    def transforms(self) -> list[str]:
        """The paper's transformations, then others that were applied."""
        applied = [row.transform for row in self.tallies if not row.control]
        return list(dict.fromkeys([*NAMES, *applied]))

    @property
    def originals(self) -> OriginalScores | None:
        """How well the model answers the original methods, by the run that asked most of them."""
        known = [s.originals for s in self.summaries if s.originals is not None]
        return max(known, key=lambda scores: scores.graded, default=None)

    def tally(self, transform: str, place: str) -> Tally | None:
        """The outcomes of one transformation in one place, None where it was not applied there."""
        found = (row for row in self.tallies if (row.transform, row.place) == (transform, place))
        return next(found, None)

    def as_in_paper(self, transform: str) -> Tally | None:
        """The outcomes in the place that the paper's tables are of, or the nearest to it."""
        wanted = ("random", "single") if transform in RANDOM else ("single", "random")
        found = [self.tally(transform, place) for place in wanted]
        return next((row for row in found if row is not None), None)

    def lengths(self, transform: str) -> list[LengthTally]:
        """The same by length."""
        chosen = self.as_in_paper(transform)
        rows = [row for summary in self.summaries for row in summary.by_length]
        return [
            row
            for row in rows
            if chosen and (row.transform, row.place) == (transform, chosen.place)
        ]

    def contrast(self, transform: str) -> SingleAll | None:
        """Single place against all places, on the same originals."""
        rows = [row for summary in self.summaries for row in summary.single_all]
        return next((row for row in rows if row.transform == transform), None)


def comparable(tally: Tally) -> bool:
    """Whether the paper's figures are of the same place."""
    return (tally.place == "random") == (tally.transform in RANDOM)


def study(summary: Summary, run: str, data_set: str = "") -> Study:
    """A run by itself. data_set: what the corpus is; "" where the user does not say."""
    kind = summary.model.get("kind", "")
    name = data_set_name(data_set) or data_set or run
    model = _without_folders(summary.model["name"])
    return Study(model, name, (run,), (summary,), published(kind, data_set))


def _without_folders(model: str) -> str:
    """A model's name for print: of a file, only the last part."""
    adapter, _, rest = model.partition(":")
    if not rest.startswith(("/", ".", "~")):
        return model
    return f"{adapter}:{rest.rstrip('/').rpartition('/')[2]}"


def together(studies: Sequence[Study]) -> list[Study]:
    """The studies, those of one model and corpus that complement each other made one.

    Studies that are named alike all the same are numbered.
    """
    joined: list[Study] = []
    for new in studies:
        mate = next((n for n, old in enumerate(joined) if _complement(old, new)), None)
        if mate is None:
            joined.append(new)
        else:
            joined[mate] = _joined(joined[mate], new)
    return list(_told_apart(joined))


def _complement(one: Study, other: Study) -> bool:
    """Whether both are of the same questions, and no transformation in a place is in both."""
    plans = [
        {(row.transform, row.place) for row in s.tallies if not row.control} for s in (one, other)
    ]
    return _questions(one) == _questions(other) and not plans[0] & plans[1]


def _questions(of: Study) -> tuple[object, ...]:
    """What must be the same in runs that are taken together."""
    first = of.summaries[0]
    named = of.data_set if of.data_set not in of.runs else ""
    asked = (first.corpus, first.limit, first.seed, first.repeat, first.task, first.equality)
    return (named, sorted(first.model.items()), *asked)


def _joined(one: Study, other: Study) -> Study:
    return replace(one, runs=(*one.runs, *other.runs), summaries=(*one.summaries, *other.summaries))


def _told_apart(studies: Sequence[Study]) -> Iterator[Study]:
    seen: dict[str, int] = {}
    for one in studies:
        count = seen[one.slug] = seen.get(one.slug, 0) + 1
        yield one if count == 1 else replace(one, data_set=f"{one.data_set} ({count})")


def shortcomings(of: Study) -> Iterator[str]:
    """What a reader of its numbers must know: parts that lack, answers that were not given."""
    for run, summary in zip(of.runs, of.summaries, strict=True):
        accounts = summary.accounting
        if not summary.complete:
            done, planned = accounts.files, summary.files_planned
            yield f"The run {run} is incomplete: {done:,} of {planned:,} files."
        if summary.limit is not None:
            yield f"The run {run} took the first {summary.limit:,} methods only."
        if not accounts.variants:
            yield f"The run {run} has no variants: there is nothing to judge."
        if lost := accounts.variants - accounts.answered:
            yield f"The model gave no answer for {lost:,} of {accounts.variants:,} programs."
