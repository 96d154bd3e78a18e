"""The language model (Bengio et al. 2003) in PyTorch: what `metamorph models train` trains."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from metamorph.models.nlm import PADDING, UNKNOWN, windows
from metamorph.models.numerics import Longs
from metamorph.training.dense import state_of, take_over
from metamorph.training.shards import Ints


@dataclass(frozen=True, slots=True)
class NlmSizes:
    """context: tokens that are seen, c; size: of embeddings and of the hidden layer, D = K.

    vocabulary: tokens that are known, V; head: so many of the most frequent are in every step's
    softmax, and `sampled` of the others by chance, weighed up to stand for all of them; cut: the
    share of contexts whose beginning is hidden, so that the network learns what a fragment is.
    """

    context: int = 6
    size: int = 128
    vocabulary: int = 10_000
    head: int = 500
    sampled: int = 500
    cut: float = 0.05


class Nlm:
    """The network and its optimiser. tokens: how many the vocabulary has, the unknown one too."""

    def __init__(self, tokens: int, sizes: NlmSizes, seed: int) -> None:
        self.sizes = sizes
        self.tokens = tokens
        generator = torch.Generator().manual_seed(seed)
        size, wide = sizes.size, sizes.context * sizes.size
        shapes = {
            "inputs": (tokens + 1, size, 1 / math.sqrt(size)),
            "hidden": (wide, size, 1 / math.sqrt(sizes.context)),
            "outputs": (tokens, size, 0.05),
        }
        self.dense = {
            name: (torch.randn(rows, width, generator=generator) * spread).requires_grad_()
            for name, (rows, width, spread) in shapes.items()
        }
        self.dense["bias"] = torch.zeros(tokens).requires_grad_()
        self._adam = torch.optim.Adam(self.dense.values(), fused=True)

    def step(self, rows: Longs, rate: float) -> float:
        """One optimiser step; the loss. rows: windows, the token to predict at the end of each."""
        vectors, wanted = self._vectors(rows[:, :-1]), torch.from_numpy(rows[:, -1] - 1)
        loss = self._loss(vectors, wanted)
        loss.backward()
        for group in self._adam.param_groups:
            group["lr"] = rate
        self._adam.step()
        self._adam.zero_grad(set_to_none=True)
        return float(loss.item())

    def losses(self, rows: Longs) -> tuple[float, int]:
        """The summed cross-entropy over the whole vocabulary, and how many are right."""
        with torch.no_grad():
            logits = self._vectors(rows[:, :-1]) @ self.dense["outputs"].T + self.dense["bias"]
            wanted = torch.from_numpy(rows[:, -1] - 1)
            loss = F.cross_entropy(logits, wanted, reduction="sum")
            right = (logits.argmax(1) == wanted) & (wanted != UNKNOWN - 1)
            return float(loss.item()), int(right.sum().item())

    def state(self) -> dict[str, object]:
        """What a checkpoint must hold."""
        return state_of(self.dense, self._adam)

    def load(self, state: dict[str, object]) -> None:
        """Take over a checkpoint."""
        take_over(self.dense, self._adam, state)

    def _vectors(self, contexts: Longs) -> torch.Tensor:
        told = F.embedding(torch.from_numpy(contexts), self.dense["inputs"])
        return torch.tanh(told.flatten(1) @ self.dense["hidden"])

    def _loss(self, vectors: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """The mean cross-entropy; of the rare tokens a sample stands for all in the softmax.

        The sample's share of the sum is weighed up by how many it stands for, so that the sum is
        right in the mean; the wanted token has a term of its own, whether drawn or not.
        """
        rare = self.tokens - self.sizes.head
        if rare <= self.sizes.sampled:
            return F.cross_entropy(vectors @ self.dense["outputs"].T + self.dense["bias"], wanted)
        drawn = torch.randperm(rare)[: self.sizes.sampled] + self.sizes.head
        used = torch.cat([torch.arange(self.sizes.head), drawn])
        outputs, bias = self.dense["outputs"], self.dense["bias"]
        weight = torch.zeros(len(used))
        weight[self.sizes.head :] = math.log(rare / self.sizes.sampled)
        others = torch.addmm(bias[used] + weight, vectors, F.embedding(used, outputs).T)
        column = torch.full((self.tokens,), -1)
        column[used] = torch.arange(len(used))
        drawn_too = torch.nonzero(column[wanted] >= 0).squeeze(1)
        others[drawn_too, column[wanted[drawn_too]]] = -math.inf
        own = (vectors * F.embedding(wanted, outputs)).sum(1) + bias[wanted]
        return (torch.logaddexp(torch.logsumexp(others, 1), own) - own).mean()


@dataclass(frozen=True, slots=True)
class TokenFigures:
    """How well the tokens held out are predicted: their number, nats in all, right ones."""

    tokens: int
    nats: float
    right: int

    @property
    def merit(self) -> float:
        """What the best epoch of a training is chosen by: 1 / perplexity."""
        return math.exp(-self.nats / self.tokens) if self.tokens else 0.0

    def line(self) -> str:
        """The figures, for stderr."""
        return f"PPL {1 / self.merit:.2f} Acc {100 * self.right / self.tokens:.2f}"

    def logged(self) -> dict[str, float]:
        """The figures by name, for a training's log."""
        accuracy = self.right / self.tokens
        return {"tokens": self.tokens, "perplexity": 1 / self.merit, "accuracy": accuracy}


@dataclass(frozen=True, slots=True)
class Tokens:
    """Windows to learn from and those to validate with. train, valid: tokens of files, in order,
    with padding before each file; places: of those that are to be predicted."""

    network: Nlm
    train: Ints
    valid: Ints
    batch: int
    unit: str = "tokens"

    def __len__(self) -> int:
        return int(np.count_nonzero(self.train))

    def batches(self, rng: np.random.Generator) -> Iterator[Longs]:
        """All windows in random order, the beginnings of some hidden."""
        sizes = self.network.sizes
        rows = windows(self.train, sizes.context)
        order = rng.permutation(np.flatnonzero(self.train).astype(np.int32))
        for start in range(0, len(order), self.batch):
            batch = rows[order[start : start + self.batch]].astype(np.int64)
            cut = rng.random(len(batch)) < sizes.cut
            hidden = rng.integers(1, sizes.context, len(batch), endpoint=True) * cut
            batch[:, :-1][np.arange(sizes.context) < hidden[:, None]] = PADDING
            yield batch

    def step(self, batch: Longs, rate: float) -> float:
        """One optimiser step; the loss."""
        return self.network.step(batch, rate)

    def validate(self) -> TokenFigures:
        """The figures on the validation tokens."""
        rows = windows(self.valid, self.network.sizes.context)[np.flatnonzero(self.valid)]
        nats, right = 0.0, 0
        for start in range(0, len(rows), 1024):
            found = self.network.losses(rows[start : start + 1024].astype(np.int64))
            nats, right = nats + found[0], right + found[1]
        return TokenFigures(len(rows), nats, right)
