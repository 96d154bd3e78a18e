"""code2vec (Alon et al. 2019) in PyTorch: what `metamorph models train` trains."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F

from metamorph.models.numerics import Longs
from metamorph.training.dataset import Batch
from metamorph.training.dense import state_of, take_over
from metamorph.training.precision import Precision, product
from metamorph.training.rows import Rows, distinct


@dataclass(frozen=True, slots=True)
class Code2VecSizes:
    """Widths and rates.

    dropout: of embeddings; forget: how often a token's own row is taken for the unknown one's,
    so that its words learn to stand in for it; parts_weight: weight of the loss over subtokens.
    """

    embedding: int = 128
    code: int = 384
    dropout: float = 0.4
    forget: float = 0.2
    parts_weight: float = 1.0
    precision: Precision = "float32"


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the token indices of a dataset stand for.

    rows: the row of each in the token table, 0 the unknown one's; words: the indices of the
    words it splits into, filled up with -1; known: the number of rows; vocabulary: of words.
    """

    rows: npt.NDArray[np.int32]
    words: npt.NDArray[np.int32]
    known: int
    vocabulary: int


@dataclass(frozen=True, slots=True)
class Names:
    """The target names, and the subtokens that make each up.

    parts: the subtokens, commonest first; bags, bag_starts: name i is made of
    bags[bag_starts[i]:bag_starts[i + 1]].
    """

    names: list[str]
    parts: list[str]
    bags: Longs
    bag_starts: Longs


class Code2Vec:
    """The network and its optimiser.

    A context is tanh(left @ W1 + path @ W2 + right @ W3), which is the paper's fully connected
    layer over the three concatenated; projecting each distinct row of a batch once saves most
    of the work. A token's vector is a row of its own (that of the unknown token, if it is rare)
    plus the mean of its words' rows; a name's vector is a row of its own plus the sum of its
    subtokens' rows.
    """

    def __init__(
        self, tokens: Tokens, paths: int, names: Names, sizes: Code2VecSizes, seed: int
    ) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.sizes = sizes
        self.names = names
        self.tokens = Rows(tokens.known, sizes.embedding, generator)
        self.paths = Rows(paths, sizes.embedding, generator)
        self._tokens = tokens
        self._scratch = np.zeros(len(tokens.rows), dtype=np.int64)
        self._bags = torch.from_numpy(names.bags)
        self._bag_starts = torch.from_numpy(names.bag_starts[:-1])
        spread = 1.5 / math.sqrt(3 * sizes.embedding)
        shapes = {
            "left": (sizes.embedding, sizes.code, spread),
            "path": (sizes.embedding, sizes.code, spread),
            "right": (sizes.embedding, sizes.code, spread),
            "attention": (sizes.code, 1, 0.05),
            "words": (tokens.vocabulary, sizes.embedding, 1 / math.sqrt(sizes.embedding)),
            "names": (len(names.names), sizes.code, 0.02),
            "parts": (len(names.parts), sizes.code, 0.05),
        }
        self.dense = {
            name: (torch.randn(rows, width, generator=generator) * scale).requires_grad_()
            for name, (rows, width, scale) in shapes.items()
        }
        self._adam = torch.optim.Adam(self.dense.values(), fused=True)
        self._steps = 0

    def name_vectors(self) -> torch.Tensor:
        """One row a target name."""
        parts = F.embedding_bag(self._bags, self.dense["parts"], self._bag_starts, mode="sum")
        return self.dense["names"] + parts

    def code_vectors(self, batch: Batch, dropout: float = 0.0) -> torch.Tensor:
        """One vector a method: its contexts' mean, weighted by attention."""
        used, where = distinct(batch.contexts[:, :, [0, 2]], self._scratch)
        tokens, ends = self._token_vectors(used, dropout > 0), torch.from_numpy(where)
        paths, middles = self.paths.take(batch.contexts[:, :, 1])
        if dropout:
            tokens, paths = F.dropout(tokens, dropout), F.dropout(paths, dropout)
        contexts = F.embedding(ends[:, :, 0], self._times(tokens, "left"))
        contexts = contexts + F.embedding(middles, self._times(paths, "path"))
        contexts = contexts + F.embedding(ends[:, :, 1], self._times(tokens, "right"))
        contexts = torch.tanh(contexts)
        scores = (contexts @ self.dense["attention"]).squeeze(2)
        scores = scores.masked_fill(~torch.from_numpy(batch.mask), -1e9)
        return torch.bmm(torch.softmax(scores, 1).unsqueeze(1), contexts).squeeze(1)

    def step(self, batch: Batch, whole: Longs, parts: Longs, rate: float) -> float:
        """One optimiser step; the loss.

        whole: the index of each method's name, -1 where it is no target; parts: the indices of
        its subtokens, a row a method, filled up with -1.
        """
        vectors = self.code_vectors(batch, self.sizes.dropout)
        loss = self._name_loss(vectors, whole) / len(whole)
        if self.sizes.parts_weight:
            loss = loss + self.sizes.parts_weight * self._part_loss(vectors, parts)
        loss.backward()
        self._steps += 1
        for group in self._adam.param_groups:
            group["lr"] = rate
        self._adam.step()
        self._adam.zero_grad(set_to_none=True)
        self.tokens.step(rate, self._steps)
        self.paths.step(rate, self._steps)
        return float(loss.item())

    def predict(self, batch: Batch) -> list[str | None]:
        """The likeliest name of each method."""
        with torch.no_grad():
            vectors = self.code_vectors(batch)
            best = (vectors @ self.name_vectors().T).argmax(1)
        return [self.names.names[index] for index in best.tolist()]

    def state(self) -> dict[str, object]:
        """What a checkpoint must hold."""
        return {
            "steps": self._steps,
            "tokens": self.tokens.state(),
            "paths": self.paths.state(),
            **state_of(self.dense, self._adam),
        }

    def load(self, state: dict[str, object]) -> None:
        """Take over a checkpoint."""
        self._steps = state["steps"]  # type: ignore[assignment]
        self.tokens.load(state["tokens"])  # type: ignore[arg-type]
        self.paths.load(state["paths"])  # type: ignore[arg-type]
        take_over(self.dense, self._adam, state)

    def _token_vectors(self, used: Longs, training: bool) -> torch.Tensor:
        """One row a token index of `used`."""
        rows = self._tokens.rows[used]
        if training:
            rows = np.where(torch.rand(len(rows)).numpy() < self.sizes.forget, 0, rows)
        own, where = self.tokens.take(rows)
        words = self._tokens.words[used]
        there = words >= 0
        starts = np.concatenate([[0], np.cumsum(there.sum(1))[:-1]]).astype(np.int64)
        flat = torch.from_numpy(words[there].astype(np.int64))
        means = F.embedding_bag(flat, self.dense["words"], torch.from_numpy(starts), mode="mean")
        return F.embedding(where, own) + means

    def _name_loss(self, vectors: torch.Tensor, whole: Longs) -> torch.Tensor:
        named = np.flatnonzero(whole >= 0)
        named_vectors = vectors[torch.from_numpy(named)]
        logits = product(named_vectors, self.name_vectors().T, self.sizes.precision)
        return F.cross_entropy(logits, torch.from_numpy(whole[named]), reduction="sum")

    def _part_loss(self, vectors: torch.Tensor, parts: Longs) -> torch.Tensor:
        """Cross-entropy against the even distribution over the name's subtokens."""
        wanted = torch.from_numpy(parts)
        there = (wanted >= 0).float()
        logits = product(vectors, self.dense["parts"].T, self.sizes.precision)
        logs = F.log_softmax(logits, 1).gather(1, wanted.clamp(min=0))
        return -((logs * there).sum(1) / there.sum(1).clamp(min=1)).mean()

    def _times(self, left: torch.Tensor, name: str) -> torch.Tensor:
        return product(left, self.dense[name], self.sizes.precision)
