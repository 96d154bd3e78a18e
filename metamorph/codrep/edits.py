"""The better predictor: the line that was most likely edited into the inserted one."""

from collections.abc import Sequence

from metamorph.codrep.candidates import Candidate, candidates
from metamorph.codrep.predictors import Answer
from metamorph.codrep.reading import Question
from metamorph.codrep.weights import WEIGHTS


class Edits:
    """Points at the candidate with the highest weighted sum of features.

    The weights were fitted to real tasks; see `weights`.
    """

    name = "edits"

    def predict(self, questions: Sequence[Question]) -> list[Answer]:
        """One line each; no line where all are blank or the inserted one."""
        return [_answer(question) for question in questions]


def _answer(question: Question) -> Answer:
    found = candidates(question)
    if not found:
        return Answer(None, "no-line-is-alike")
    return Answer(max(found, key=_likelihood).line)


def _likelihood(candidate: Candidate) -> float:
    return sum(WEIGHTS[name] * value for name, value in candidate.features.items())
