"""Precision, recall and F1 over subtokens, counted as each paper's own code counts them."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from metamorph.oracles.subtokens import hits


@dataclass(frozen=True, slots=True)
class Scores:
    """Micro-averaged counts over `examples` methods, `exact` of them answered to the letter."""

    true_positives: int
    false_positives: int
    false_negatives: int
    examples: int
    exact: int

    @property
    def precision(self) -> float:
        """Share of the predicted subtokens that the real name has."""
        return _share(self.true_positives, self.false_positives)

    @property
    def recall(self) -> float:
        """Share of the real subtokens that were predicted."""
        return _share(self.true_positives, self.false_negatives)

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def accuracy(self) -> float:
        """Share of the methods whose whole name is right."""
        return self.exact / self.examples if self.examples else 0.0

    @property
    def merit(self) -> float:
        """What the best epoch of a training is chosen by: F1."""
        return self.f1

    def logged(self) -> dict[str, float]:
        """The counts and F1, for a training's log."""
        return asdict(self) | {"f1": self.f1}

    def as_dict(self) -> dict[str, float]:
        """The figures by name."""
        return {
            "methods": self.examples,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "exact": self.accuracy,
        }

    def line(self) -> str:
        """The figures in per cent, for a log."""
        return (
            f"P {100 * self.precision:.2f} R {100 * self.recall:.2f} F1 {100 * self.f1:.2f} "
            f"exact {100 * self.accuracy:.2f} of {self.examples}"
        )


def score(pairs: Iterable[tuple[str, str | None]]) -> Scores:
    """Count (real label, predicted label or None).

    Counted as `oracles.subtokens.hits` does.
    """
    right = wrong = missed = examples = exact = 0
    for real, predicted in pairs:
        counts = hits(real, predicted)
        right, wrong, missed = right + counts[0], wrong + counts[1], missed + counts[2]
        examples += 1
        exact += real == predicted
    return Scores(right, wrong, missed, examples, exact)


def _share(hits: int, misses: int) -> float:
    return hits / (hits + misses) if hits + misses else 0.0
