"""The official code2seq's network: contexts in, names with their probabilities out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.models import beams
from metamorph.models.bags import numbered
from metamorph.models.contexts import Context
from metamorph.models.numerics import Floats, Longs, attend, cell_step, dot, log_softmax, product
from metamorph.models.paths import PathEncoder
from metamorph.models.weights import Weights

CONTEXTS = 200
END, UNKNOWN, START = 0, 1, 2
SUBTOKEN_SPECIALS = ("<PAD>", "<UNK>")
TARGET_SPECIALS = ("<PAD>", "<UNK>", "<S>")
_TOKEN_PARTS = 5
_LONGEST_NAME = 7


@dataclass(frozen=True, slots=True)
class Name:
    """A decoded name: its subtokens without the end, special ones too, and its probability.

    steps: of a greedy name the probability of each choice, the end's too where it came;
    official_score: of a beam the number that the official program computes and never shows.
    """

    parts: tuple[str, ...]
    score: float
    steps: tuple[float, ...] = ()
    official_score: float | None = None


@dataclass(frozen=True, slots=True)
class _Memory:
    """What the decoder attends to: `lengths` contexts a row, row after row."""

    contexts: Floats
    lengths: Longs

    @property
    def starts(self) -> Longs:
        """Where each row's contexts begin."""
        starts: Longs = np.cumsum(self.lengths) - self.lengths
        return starts

    def take(self, rows: Longs) -> "_Memory":
        """The memory of these rows in their order, repeated where they are."""
        lengths = self.lengths[rows]
        shifts = np.repeat(self.starts[rows] - (np.cumsum(lengths) - lengths), lengths)
        return _Memory(self.contexts[np.arange(len(shifts)) + shifts], lengths)


@dataclass(frozen=True, slots=True)
class _State:
    """The decoder between two steps; hidden states and cells by layer."""

    hidden: tuple[Floats, ...]
    cells: tuple[Floats, ...]
    attention: Floats

    def take(self, rows: Longs) -> "_State":
        """The state of these rows."""
        hidden = tuple(layer[rows] for layer in self.hidden)
        return _State(hidden, tuple(layer[rows] for layer in self.cells), self.attention[rows])


class Network:
    """Alon et al.'s network as their program runs it when it predicts; exact to rounding.

    A method is given as at most 200 contexts, at least one. The empty places of a shorter one
    are contexts of zeros in the official program, on which attention falls too.
    """

    def __init__(self, weights: Weights) -> None:
        specials = len(SUBTOKEN_SPECIALS)
        subtokens = weights.strings("subtoken_list")
        self._subtoken_rows = {part: row for row, part in enumerate(subtokens, specials)}
        self._targets = [*TARGET_SPECIALS, *weights.strings("target_list")]
        self._subtokens, self._embeddings = weights.tensors["subtokens"], weights.tensors["targets"]
        names = ("left", "right", "attention", "output")
        self._weights = {name: weights.matrix(name) for name in names}
        self._weights["query"] = np.ascontiguousarray(weights.matrix("memory").T)
        self._layers = [
            tuple(weights.matrix(f"decoder{layer}_{part}") for part in ("input", "hidden", "bias"))
            for layer in range(int(weights.facts["layers"]))
        ]
        self._encoder = PathEncoder(weights)

    @property
    def words(self) -> int:
        """How many words names are made of, the special ones among them."""
        return len(self._targets)

    def greedy(self, bags: Sequence[Sequence[Context]]) -> list[Name]:
        """The name of each method, the likeliest subtoken at each step."""
        memory = self._memory(bags)
        state = self._first(memory)
        rows = np.arange(len(bags), dtype=np.int64)
        last = np.full(len(bags), START, dtype=np.int64)
        parts: list[list[str]] = [[] for _ in bags]
        steps: list[list[float]] = [[] for _ in bags]
        for _ in range(_LONGEST_NAME):
            state, logits = self._advance(last, state, memory)
            last = logits.argmax(axis=1)
            logs = log_softmax(logits)[np.arange(len(last)), last]
            for row, word, log in zip(rows.tolist(), last.tolist(), logs.tolist(), strict=True):
                steps[row].append(exp(log))
                if word != END:
                    parts[row].append(self._targets[word])
            live = np.flatnonzero(last != END)
            if not len(live):
                break
            rows, last = rows[live], last[live]
            state, memory = state.take(live), memory.take(live)
        return [
            Name(tuple(name), float(np.prod(chances)), tuple(chances))
            for name, chances in zip(parts, steps, strict=True)
        ]

    def beam_names(self, bags: Sequence[Sequence[Context]], width: int) -> list[list[Name]]:
        """The `width` names of each method that a beam search finds, best first."""
        memory = self._memory(bags)
        memory = memory.take(np.repeat(np.arange(len(bags), dtype=np.int64), width))
        state = self._first(memory)
        methods = np.arange(len(bags), dtype=np.int64)
        last = np.full(len(bags) * width, START, dtype=np.int64)
        search = beams.begin(len(bags), width, END)
        found: dict[int, list[Name]] = {}
        for step in range(1, _LONGEST_NAME + 1):
            state, logits = self._advance(last, state, memory)
            search = beams.advance(search, log_softmax(logits).reshape(len(methods), width, -1))
            first = np.arange(len(methods), dtype=np.int64)[:, None] * width
            state = state.take((first + search.parents[-1]).reshape(-1))
            done = search.finished.all(axis=1) | (step == _LONGEST_NAME)
            for row in np.flatnonzero(done).tolist():
                found[int(methods[row])] = self._names(search, row)
            live = np.flatnonzero(~done)
            if not len(live):
                break
            search, methods = search.take(live), methods[live]
            kept = (first[live] + np.arange(width)).reshape(-1)
            state, memory, last = state.take(kept), memory.take(kept), search.ids[-1].reshape(-1)
        return [found[method] for method in range(len(bags))]

    def _names(self, search: beams.Search, method: int) -> list[Name]:
        return [
            Name(
                tuple(self._targets[word] for word in beam.words),
                score=exp(beam.total),
                official_score=exp(beam.slot_total),
            )
            for beam in beams.sequences(search, method)
        ]

    def _memory(self, bags: Sequence[Sequence[Context]]) -> _Memory:
        tokens, paths, indices = numbered(bags)
        vectors = self._token_vectors(tokens)
        contexts = product(vectors, self._weights["left"])[indices[:, 0]]
        contexts += self._encoder.encode(paths)[indices[:, 1]]
        contexts += product(vectors, self._weights["right"])[indices[:, 2]]
        np.tanh(contexts, out=contexts)
        return _Memory(contexts, np.array([len(bag) for bag in bags], dtype=np.int64))

    def _token_vectors(self, tokens: Iterable[str]) -> Floats:
        """The sum of each token's first subtokens."""
        splits = [token.split("|")[:_TOKEN_PARTS] for token in tokens]
        rows = self._subtoken_rows
        flat = [rows.get(part, UNKNOWN) for parts in splits for part in parts]
        lengths = np.array([len(parts) for parts in splits], dtype=np.int64)
        found = _rows(self._subtokens, np.array(flat, dtype=np.int64))
        sums: Floats = np.add.reduceat(found, np.cumsum(lengths) - lengths, axis=0)
        return sums

    def _first(self, memory: _Memory) -> _State:
        """All layers begin with the mean of the contexts."""
        sums: Floats = np.add.reduceat(memory.contexts, memory.starts, axis=0)
        mean = np.divide(sums, memory.lengths[:, None], dtype=np.float32)
        layers = (mean,) * len(self._layers)
        return _State(layers, layers, np.zeros_like(mean))

    def _advance(self, last: Longs, state: _State, memory: _Memory) -> tuple[_State, Floats]:
        """One step of the decoder: the state after it and the logits of all subtokens."""
        weights = self._weights
        given = np.concatenate([_rows(self._embeddings, last), state.attention], axis=1)
        after: list[tuple[Floats, Floats]] = []
        for layer, before, cell in zip(self._layers, state.hidden, state.cells, strict=True):
            gates = product(given, layer[0]) + product(before, layer[1]) + layer[2]
            after.append(cell_step(gates, cell))
            given = after[-1][0]
        queries = np.repeat(product(given, weights["query"]), memory.lengths, axis=0)
        scores = dot(memory.contexts, queries)
        empty = CONTEXTS - memory.lengths
        context = attend(scores, memory.contexts, memory.starts, memory.lengths, empty)
        attention = product(np.concatenate([given, context], axis=1), weights["attention"])
        hidden, cells = zip(*after, strict=True)
        return _State(hidden, cells, attention), product(attention, weights["output"])


def _rows(table: npt.NDArray[Any], ids: Longs) -> Floats:
    """Rows of a mapped table, which may be of half precision."""
    found: Floats = table[ids].astype(np.float32, copy=False)
    return found
