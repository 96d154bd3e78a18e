"""A model's answers to the methods of a test set, and how right each is."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from metamorph.corpus import read_sources
from metamorph.duplicates.collections import Unit, UnitKind
from metamorph.java.source import SourceFile
from metamorph.limits import Limits
from metamorph.models.protocol import Example, Model, Prediction
from metamorph.oracles.subtokens import NO_HITS, hits
from metamorph.runs.limited import read
from metamorph.runs.pipeline import gold_of
from metamorph.runs.questions import ask, batches
from metamorph.runs.rows import PARSED
from metamorph.tasks import Task

COLUMNS = ("right", "wrong", "missed", "exact", "answered")
"""Subtokens that are right, wrong and missed; whole answers that are right; answers at all."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of a model, a row each.

    units: the unit that each is about; counts: a column for each of COLUMNS, or of a language
    model, whose rows are units, for each of its counts of tokens; errors: why there
    was no answer; unparsable: files with a syntax error, which are not asked about; without_gold:
    methods whose right answer is not known.
    """

    model: str
    units: npt.NDArray[np.int64]
    counts: dict[str, npt.NDArray[np.float64]]
    errors: dict[str, int]
    unparsable: int
    without_gold: int

    @property
    def what(self) -> str:
        """What is counted: methods, or a language model's tokens."""
        return "tokens" if "tokens" in self.counts else "methods"


@dataclass(slots=True)
class Asking:
    """A test set that is being asked about.

    wanted: whether the methods of a unit are asked about, unit by unit; tell: hears after each
    batch which model was asked, and about how much so far.
    """

    model: Model
    task: Task
    paths: Sequence[str]
    units: Sequence[Unit]
    unit_kind: UnitKind
    wanted: npt.NDArray[np.bool_]
    tell: Callable[[str, str], None]
    unparsable: int = 0
    without_gold: int = 0
    waiting: dict[str, tuple[int, str]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)

    def answers(self) -> Answers:
        """Read the test set and ask about all its methods."""
        units, rows = [], []
        for batch in batches(self._examples()):
            answered = ask(self.model, batch)
            for example in batch:
                unit, expected = self.waiting.pop(example.id)
                units.append(unit)
                rows.append(self._judged(expected, answered[example.id]))
            self.tell(self.model.name, f"{len(rows):,} methods")
        table = np.array(rows, np.float64).reshape(-1, len(COLUMNS))
        counts = {name: table[:, number] for number, name in enumerate(COLUMNS)}
        fields = (dict(sorted(self.errors.items())), self.unparsable, self.without_gold)
        return Answers(self.model.name, np.array(units, np.int64), counts, *fields)

    def _examples(self) -> Iterator[Example]:
        numbers = numbers_of(self.units)
        for ordinal, source in enumerate(read_sources(self.paths)):
            if not isinstance(source, SourceFile):
                continue
            known = numbers.get(source.path, [])
            if any(self.wanted[number] for number in known):
                yield from self._of_file(ordinal, source, known)

    def _of_file(self, ordinal: int, source: SourceFile, known: Sequence[int]) -> Iterator[Example]:
        reading = read(source, Limits())
        if reading.status != PARSED:
            self.unparsable += 1
            return
        gold = gold_of(source, reading.methods)
        for method in reading.methods:
            unit = known[method.index if self.unit_kind == "method" else 0]
            if not self.wanted[unit]:
                continue
            expected = self._expected(method.name, gold if method.index == 0 else None)
            if expected is None:
                self.without_gold += 1
                continue
            example = Example(f"{ordinal}.{method.index}", method.tree, method.node)
            self.waiting[example.id] = unit, expected
            yield example

    def _expected(self, name: str, gold: str | None) -> str | None:
        if self.task.name == "method-name":
            return self.model.label(name) or None
        return self.task.gold(name, gold)

    def _judged(self, expected: str, answer: Prediction) -> tuple[float, ...]:
        """The row of an answer; none at all is neither right nor wrong."""
        if answer.label is None:
            self.errors[answer.error] += 1
            return (0.0,) * len(COLUMNS)
        named = self.task.name == "method-name"
        counted = hits(expected, answer.label) if named else NO_HITS
        return (*counted, self.task.same(expected, answer.label), 1)


def numbers_of(units: Sequence[Unit]) -> dict[str, list[int]]:
    """The units of each source, in their order."""
    found: dict[str, list[int]] = {}
    for number, unit in enumerate(units):
        found.setdefault(unit.path, []).append(number)
    return found
