"""Precision, recall and F1 over subtokens, as code2vec's and code2seq's evaluations count."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from metamorph.oracles.bootstrap import ratio

Hits = tuple[int, int, int]
"""Subtokens that are predicted and right, predicted and wrong, right and not predicted."""

NO_HITS: Hits = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class Scores:
    """Micro-averaged: the counts of all answers are added up before they are shared."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Share of the predicted subtokens that the right names have."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 0.0

    @property
    def recall(self) -> float:
        """Share of the right names' subtokens that were predicted."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of the two."""
        total = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / total if total else 0.0


@lru_cache(maxsize=1 << 16)
def hits(real: str, predicted: str | None) -> Hits:
    """The counts of one answer; both are subtokens joined by `|`.

    A predicted subtoken is right where the real name has it anywhere, a real one is missed where
    the prediction has it nowhere; repeats count each time. Both official evaluations count so
    (code2vec: SubtokensEvaluationMetric; code2seq: update_per_subtoken_statistics); code2seq's
    also takes a prediction whose letters are those of the real name (`file|name` for `filename`)
    as wholly right, which is left out here: it can only raise the figures.
    """
    wanted = real.split("|")
    given = predicted.split("|") if predicted else []
    right = sum(part in wanted for part in given)
    return right, len(given) - right, sum(part not in given for part in wanted)


def scores(counts: Sequence[Hits] | NDArray[np.int32]) -> Scores:
    """The scores of many answers together, a row each."""
    totals = np.asarray(counts).reshape(-1, 3).sum(axis=0, dtype=np.int64)
    return Scores(*totals.tolist())


def f1(
    right: NDArray[np.float64], wrong: NDArray[np.float64], missed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """F1 of vectors of counts, NaN where there is nothing to count: a statistic to resample."""
    return ratio(2 * right, 2 * right + wrong + missed)
