"""Large embedding tables whose optimiser touches only the rows that a batch used."""

import math

import numpy as np
import numpy.typing as npt
import torch

from metamorph.models.numerics import Longs

_DECAY, _SQUARE_DECAY, _EPSILON = 0.9, 0.999, 1e-8


class Rows:
    """A table of embeddings with lazy Adam: an unused row keeps its value and its moments."""

    def __init__(self, count: int, width: int, generator: torch.Generator) -> None:
        self.weight = torch.randn(count, width, generator=generator) / math.sqrt(width)
        self._mean = torch.zeros(count, width)
        self._square = torch.zeros(count, width)
        self._remap = np.zeros(count, dtype=np.int64)
        self._used = torch.zeros(0, dtype=torch.int64)
        self._leaf = torch.zeros(0)

    def take(self, ids: npt.NDArray[np.int32]) -> tuple[torch.Tensor, torch.Tensor]:
        """The distinct rows of `ids`, and where each id now stands among them."""
        used, where = distinct(ids, self._remap)
        self._used = torch.from_numpy(used)
        self._leaf = self.weight[self._used].requires_grad_(torch.is_grad_enabled())
        return self._leaf, torch.from_numpy(where)

    def step(self, rate: float, number: int) -> None:
        """One Adam step on the rows taken last; `number` counts steps from 1."""
        gradient, used = self._leaf.grad, self._used
        assert gradient is not None
        mean = self._mean[used].mul_(_DECAY).add_(gradient, alpha=1 - _DECAY)
        square = self._square[used].mul_(_SQUARE_DECAY)
        square.addcmul_(gradient, gradient, value=1 - _SQUARE_DECAY)
        self._mean[used], self._square[used] = mean, square
        spread = (square / (1 - _SQUARE_DECAY**number)).sqrt_().add_(_EPSILON)
        change = mean.div_(spread).mul_(-rate / (1 - _DECAY**number))
        self.weight.index_add_(0, used, change)

    def state(self) -> dict[str, torch.Tensor]:
        """What a checkpoint must hold."""
        return {"weight": self.weight, "mean": self._mean, "square": self._square}

    def load(self, state: dict[str, torch.Tensor]) -> None:
        """Take over a checkpoint."""
        self.weight, self._mean, self._square = state["weight"], state["mean"], state["square"]


def distinct(ids: npt.NDArray[np.int32], scratch: Longs) -> tuple[Longs, Longs]:
    """The distinct ids, sorted, and the place of each id among them.

    scratch: one number an existing id; linear in its length, faster than sorting the ids.
    """
    seen = np.zeros(len(scratch), dtype=np.bool_)
    seen[ids.ravel()] = True
    used = np.flatnonzero(seen)
    scratch[used] = np.arange(len(used))
    return used, scratch[ids]
