"""code2seq (Alon et al. 2019) in PyTorch: what `metamorph models train` trains."""

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from metamorph.models.numerics import Longs
from metamorph.training.dataset import Batch
from metamorph.training.dense import state_of, take_over
from metamorph.training.precision import Precision, product
from metamorph.training.rows import distinct
from metamorph.training.shards import Ints

PAD, UNKNOWN, START = 0, 1, 2
"""Indices of the special words; the end of a name is PAD, and only targets have START."""

Gates = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True, slots=True)
class Code2SeqSizes:
    """Widths and rates: embedding (subtokens, targets), node, lstm (a direction), decoder."""

    embedding: int = 128
    node: int = 64
    lstm: int = 64
    decoder: int = 192
    dropout: float = 0.25
    smoothing: float = 0.0
    precision: Precision = "float32"


@dataclass(frozen=True, slots=True)
class Words:
    """What the indices of a dataset stand for, and the vocabularies below.

    subtokens, nodes, targets: the words, specials not among them; token_parts: the subtoken
    indices of each token, padded with 0; path_nodes: the node indices of each path, likewise.
    """

    subtokens: list[str]
    nodes: list[str]
    targets: list[str]
    token_parts: Ints
    path_nodes: Ints


class Code2Seq:
    """The network and its optimiser.

    Each distinct path of a batch is encoded once, and what paths share from their beginning (or
    for the backward LSTM their end) is computed once too: the paths of a batch form a trie.
    """

    def __init__(self, words: Words, sizes: Code2SeqSizes, seed: int) -> None:
        self.words = words
        self.sizes = sizes
        self.dense = _weights(words, sizes, torch.Generator().manual_seed(seed))
        self._adam = torch.optim.Adam(self.dense.values(), fused=True)
        self._scratch = np.zeros(max(len(words.token_parts), len(words.path_nodes)), dtype=np.int64)

    def contexts(self, batch: Batch, dropout: float = 0.0) -> torch.Tensor:
        """The vector of each context: (methods, width, decoder)."""
        used, ends = distinct(batch.contexts[:, :, [0, 2]], self._scratch)
        tokens = self._tokens(self.words.token_parts[used])
        used, middles = distinct(batch.contexts[:, :, 1], self._scratch)
        paths = self._paths(self.words.path_nodes[used])
        if dropout:
            tokens, paths = F.dropout(tokens, dropout), F.dropout(paths, dropout)
        where, middle = torch.from_numpy(ends), torch.from_numpy(middles)
        contexts = F.embedding(where[:, :, 0], self._times(tokens, "left"))
        contexts = contexts + F.embedding(middle, self._times(paths, "path"))
        contexts = contexts + F.embedding(where[:, :, 1], self._times(tokens, "right"))
        return torch.tanh(contexts)

    def step(self, batch: Batch, targets: Longs, rate: float) -> float:
        """One optimiser step; the loss. targets: target indices a row, ended and filled by PAD."""
        dropout = self.sizes.dropout
        lengths = (targets != PAD).sum(1) + 1
        longest = min(int(lengths.max()), targets.shape[1])
        wanted = torch.from_numpy(targets[:, :longest])
        starts = torch.full((len(targets), 1), START)
        given = F.embedding(torch.cat([starts, wanted[:, :-1]], 1), self.dense["targets"])
        outputs = self._decode(self.contexts(batch, dropout), batch, F.dropout(given, dropout))
        live = torch.from_numpy(np.arange(longest) < lengths[:, None])
        logits = self._times(F.dropout(outputs[live], dropout), "output")
        loss = F.cross_entropy(
            logits, wanted[live], reduction="sum", label_smoothing=self.sizes.smoothing
        ) / len(targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.dense.values(), 5.0)
        for group in self._adam.param_groups:
            group["lr"] = rate
        self._adam.step()
        self._adam.zero_grad(set_to_none=True)
        return float(loss.item())

    def predict(self, batch: Batch, most: int = 7) -> list[str | None]:
        """The greedy name of each method."""
        mask = torch.from_numpy(batch.mask)
        with torch.no_grad():
            contexts = self.contexts(batch)
            hidden = cell = _mean(contexts, mask)
            state = (torch.zeros_like(hidden), hidden, cell)
            last = torch.full((len(hidden),), START)
            chosen = []
            for _ in range(most):
                given = F.embedding(last, self.dense["targets"])
                state = self._advance(given, state, contexts, mask)
                logits = self._times(state[0], "output")
                logits[:, [UNKNOWN, START]] = -1e9
                last = logits.argmax(1)
                chosen.append(last)
        return [self._name(row) for row in torch.stack(chosen, 1).tolist()]

    def state(self) -> dict[str, object]:
        """What a checkpoint must hold."""
        return state_of(self.dense, self._adam)

    def load(self, state: dict[str, object]) -> None:
        """Take over a checkpoint."""
        take_over(self.dense, self._adam, state)

    def _tokens(self, parts: Ints) -> torch.Tensor:
        """The sum of each token's subtoken embeddings."""
        there = parts != PAD
        starts = np.concatenate([[0], np.cumsum(there.sum(1))[:-1]])
        return F.embedding_bag(
            torch.from_numpy(parts[there].astype(np.int64)),
            self.dense["subtokens"],
            torch.from_numpy(starts.astype(np.int64)),
            mode="sum",
        )

    def _paths(self, nodes: Ints) -> torch.Tensor:
        """The last states of both LSTMs over each path."""
        forward = self._lstm("forward", nodes)
        backward = self._lstm("backward", reverse(nodes))
        return torch.cat([forward, backward], 1)

    def _lstm(self, name: str, nodes: Ints) -> torch.Tensor:
        """The last state of each row of node indices, shared prefixes being computed once."""
        inputs = self.dense["nodes"] @ self.dense[f"{name}_input"] + self.dense[f"{name}_bias"]
        lengths = (nodes != PAD).sum(1)
        before = np.zeros(len(nodes), dtype=np.int64)
        place = np.zeros(len(nodes), dtype=np.int64)
        hidden = cell = torch.zeros(1, self.sizes.lstm)
        states: list[torch.Tensor] = []
        total = 0
        for step in range(int(lengths.max())):
            live = np.flatnonzero(lengths > step)
            keys, where = np.unique(
                before[live] * len(inputs) + nodes[live, step], return_inverse=True
            )
            above = torch.from_numpy(keys // len(inputs))
            gates = F.embedding(torch.from_numpy(keys % len(inputs)), inputs)
            gates = gates + self._times(hidden.index_select(0, above), f"{name}_hidden")
            hidden, cell = _cell(gates, cell.index_select(0, above))
            before[live], place[live] = where, total + where
            total += len(keys)
            states.append(hidden)
        return torch.cat(states).index_select(0, torch.from_numpy(place))

    def _decode(self, contexts: torch.Tensor, batch: Batch, given: torch.Tensor) -> torch.Tensor:
        """The outputs before the last layer when the right words are given."""
        mask = torch.from_numpy(batch.mask)
        hidden = cell = _mean(contexts, mask)
        state = (torch.zeros_like(hidden), hidden, cell)
        if self.sizes.precision == "bfloat16":
            contexts = contexts.to(torch.bfloat16)
        outputs = []
        for step in range(given.shape[1]):
            state = self._advance(given[:, step], state, contexts, mask)
            outputs.append(state[0])
        return torch.stack(outputs, 1)

    def _advance(
        self, given: torch.Tensor, state: Gates, contexts: torch.Tensor, mask: torch.Tensor
    ) -> Gates:
        """One step of the decoder: (attention vector, hidden, cell)."""
        attention, hidden, cell = state
        gates = self._times(torch.cat([given, attention], 1), "decoder_input")
        gates = gates + self._times(hidden, "decoder_hidden") + self.dense["decoder_bias"]
        hidden, cell = _cell(gates, cell)
        precision = self.sizes.precision
        query = product(hidden, self.dense["memory"].T, precision).unsqueeze(2)
        scores = product(contexts, query, precision).squeeze(2).masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, 1).unsqueeze(1)
        context = product(weights, contexts, precision).squeeze(1)
        return self._times(torch.cat([hidden, context], 1), "attention"), hidden, cell

    def _times(self, left: torch.Tensor, name: str) -> torch.Tensor:
        return product(left, self.dense[name], self.sizes.precision)

    def _name(self, row: list[int]) -> str | None:
        end = row.index(PAD) if PAD in row else len(row)
        return "|".join(self.words.targets[index - 3] for index in row[:end]) or None


def reverse(nodes: Ints) -> Ints:
    """Each row's indices backwards, its padding still at the end."""
    lengths = (nodes != PAD).sum(1)
    place = lengths[:, None] - 1 - np.arange(nodes.shape[1])
    turned: Ints = np.take_along_axis(nodes, np.maximum(place, 0), axis=1)
    turned[place < 0] = PAD
    return turned


def _cell(gates: torch.Tensor, cell: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """An LSTM's hidden state and cell from its gates, in the order input, new, forget, output."""
    let_in, new, forget, output = gates.chunk(4, 1)
    cell = torch.sigmoid(forget + 1) * cell + torch.sigmoid(let_in) * torch.tanh(new)
    return torch.sigmoid(output) * torch.tanh(cell), cell


def _mean(contexts: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    there = mask.float().unsqueeze(2)
    return (contexts * there).sum(1) / there.sum(1).clamp(min=1)


def _weights(
    words: Words, sizes: Code2SeqSizes, generator: torch.Generator
) -> dict[str, torch.Tensor]:
    """All weights, drawn evenly within the Glorot bounds; biases are 0."""
    joined = 2 * sizes.embedding + 2 * sizes.lstm
    wide = math.sqrt(6 / (joined + sizes.decoder))
    targets = len(words.targets) + 3
    shapes: dict[str, tuple[int, int, float | None]] = {
        "subtokens": (len(words.subtokens) + 2, sizes.embedding, 0.1),
        "nodes": (len(words.nodes) + 2, sizes.node, 0.3),
        "targets": (targets, sizes.embedding, 0.1),
        "left": (sizes.embedding, sizes.decoder, wide),
        "path": (2 * sizes.lstm, sizes.decoder, wide),
        "right": (sizes.embedding, sizes.decoder, wide),
        "memory": (sizes.decoder, sizes.decoder, None),
        "decoder_input": (sizes.embedding + sizes.decoder, 4 * sizes.decoder, None),
        "decoder_hidden": (sizes.decoder, 4 * sizes.decoder, None),
        "decoder_bias": (1, 4 * sizes.decoder, 0.0),
        "attention": (2 * sizes.decoder, sizes.decoder, None),
        "output": (sizes.decoder, targets, 0.08),
    }
    for name in ("forward", "backward"):
        shapes[f"{name}_input"] = (sizes.node, 4 * sizes.lstm, None)
        shapes[f"{name}_hidden"] = (sizes.lstm, 4 * sizes.lstm, None)
        shapes[f"{name}_bias"] = (1, 4 * sizes.lstm, 0.0)
    weights = {}
    for name, (rows, width, bound) in shapes.items():
        limit = math.sqrt(6 / (rows + width)) if bound is None else bound
        drawn = (torch.rand(rows, width, generator=generator) * 2 - 1) * limit
        weights[name] = drawn.requires_grad_()
    return weights
