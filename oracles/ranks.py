"""Change of score and of rank: how far a prediction moved, whether it changed or not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metamorph.oracles.bootstrap import Interval


@dataclass(frozen=True, slots=True)
class Moves:
    """How the answers of one transformation in one place moved.

    scored: variants with a score before and after; score_change: the mean of the score of the
    prediction after less that before, None where none is scored, with its 95 % interval;
    score_before: the mean of theirs before. Where answers are numbers, they are the scores.
    untouched_...: the same of the surprise of tokens that no edit touches, where that is told.
    ranked: variants whose model told candidates, or whose prediction stayed; kept: of these,
    those where the original prediction is still the first candidate; near: where it is still
    among them; reciprocal_rank: the mean of 1 / its rank, 0 where it is not among them.
    """

    transform: str
    place: str
    scored: int
    score_change: float | None
    ranked: int
    kept: int
    near: int
    reciprocal_rank: float | None
    score_before: float | None = None
    untouched_before: float | None = None
    untouched_change: float | None = None
    score_interval: Interval | None = None
    untouched_interval: Interval | None = None


ABSENT = 0
"""In the place of a rank: the candidates lack the label."""


def rank_of(
    label: str,
    answer: str,
    candidates: Sequence[tuple[str, float]],
    same: Callable[[str, str], bool],
) -> int | None:
    """The rank, from 1, of a label among the candidates of an answer.

    `ABSENT` where they lack it; None where the model tells no candidates and answers otherwise.
    """
    if same(label, answer):
        return 1
    for rank, (name, _) in enumerate(candidates, 1):
        if same(label, name):
            return max(rank, 2)
    return ABSENT if candidates else None
