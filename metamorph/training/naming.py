"""What the networks that name methods are taught: batches of methods with their path contexts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from metamorph.training.dataset import Batch, Dataset, batches, in_order
from metamorph.training.loop import Settings
from metamorph.training.scores import Scores, score


class Naming(Protocol):
    """A network that names methods."""

    def predict(self, batch: Batch) -> list[str | None]:
        """One label a method of the batch."""
        ...


@dataclass(frozen=True, slots=True)
class Methods:
    """Methods to learn from, and those to validate with; teach: one optimiser step, its loss."""

    network: Naming
    teach: Callable[[Batch, float], float]
    train: Dataset
    valid: Dataset
    settings: Settings
    unit: str = "methods"

    def __len__(self) -> int:
        return len(self.train)

    def batches(self, rng: np.random.Generator) -> Iterator[Batch]:
        """All methods in random order, so many contexts of each by chance."""
        return batches(self.train, self.settings.batch, self.settings.width, rng)

    def step(self, batch: Batch, rate: float) -> float:
        """One optimiser step; the loss."""
        return self.teach(batch, rate)

    def validate(self) -> Scores:
        """Scores on the validation methods, their first contexts."""
        predicted: list[str | None] = [None] * len(self.valid)
        for batch in in_order(self.valid, 256, self.settings.eval_width):
            answers = self.network.predict(batch)
            for member, answer in zip(batch.members.tolist(), answers, strict=True):
                predicted[member] = answer
        return score(zip(self.valid.labels, predicted, strict=True))
