"""The evaluation of models on one split."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metamorph.duplicates.collections import UnitKind
from metamorph.evaluation.answers import Answers, Asking
from metamorph.evaluation.figures import Figure, figures, on_one
from metamorph.evaluation.splits import CONDITIONS, FULLY_UNBIASED, UNBIASED, Split
from metamorph.evaluation.tokens import Measuring
from metamorph.models.language import LanguageModel
from metamorph.models.protocol import Model
from metamorph.tasks import Task


@dataclass(frozen=True, slots=True)
class Size:
    """How large a test set is to a model. asked: methods, or tokens of a language model."""

    condition: str
    units: int
    asked: int
    no_answer: int

    def counts(self) -> tuple[int, int, int]:
        """Units, methods or tokens asked about, those without an answer."""
        return self.units, self.asked, self.no_answer


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A model's figures; role: `model`, `baseline` or `trained without duplicates`."""

    model: str
    role: str
    sizes: list[Size]
    figures: list[Figure]
    answers: Answers


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A test set that models are asked about. tell: as in Asking."""

    paths: Sequence[str]
    split: Split
    unit_kind: UnitKind
    task: Task
    tell: Callable[[str, str], None]

    def evaluated(self, model: Model, role: str) -> Evaluated:
        """A model on all test sets."""
        answers = self._asked(model, self.split.judged())
        sizes = [self._size(answers, each, each) for each in CONDITIONS]
        return Evaluated(model.name, role, sizes, figures(answers, self.split), answers)

    def evaluated_unbiased(self, model: Model) -> Evaluated:
        """A model that was trained without duplicates, on the unbiased test set."""
        answers = self._asked(model, self.split.weights[UNBIASED] > 0)
        sizes = [self._size(answers, UNBIASED, FULLY_UNBIASED)]
        found = on_one(answers, self.split, UNBIASED, FULLY_UNBIASED)
        return Evaluated(model.name, "trained without duplicates", sizes, found, answers)

    def _asked(self, model: Model, wanted: npt.NDArray[np.bool_]) -> Answers:
        about = (self.paths, self.split.units, self.unit_kind)
        if isinstance(model, LanguageModel):
            return Measuring(model.name, model, *about, wanted, self.tell).answers()
        return Asking(model, self.task, *about, wanted, self.tell).answers()

    def _size(self, answers: Answers, condition: str, name: str) -> Size:
        there = self.split.weights[condition] > 0
        rows = there[answers.units]
        if answers.what == "tokens":
            return Size(name, int(there.sum()), int(answers.counts["tokens"][rows].sum()), 0)
        answered = answers.counts["answered"][rows]
        return Size(name, int(there.sum()), len(answered), int((answered == 0).sum()))
