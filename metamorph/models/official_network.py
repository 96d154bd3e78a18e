"""The official code2seq's network: contexts in, names with their probabilities out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.models.beams import Beam
from metamorph.models.contexts import Context
from metamorph.models.decoding import (
    Memory,
    State,
    Words,
    beam_search,
    context_vectors,
    first_state,
    subtoken_sums,
)
from metamorph.models.numerics import Floats, Longs, attend, cell_step, dot, log_softmax, product
from metamorph.models.paths import PathEncoder
from metamorph.models.weights import Weights

CONTEXTS = 200
END, UNKNOWN, START = 0, 1, 2
SUBTOKEN_SPECIALS = ("<PAD>", "<UNK>")
TARGET_SPECIALS = ("<PAD>", "<UNK>", "<S>")
_TOKEN_PARTS = 5
_WORDS = Words(START, END, longest=7)


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
        state = first_state(memory, len(self._layers))
        rows = np.arange(len(bags), dtype=np.int64)
        last = np.full(len(bags), START, dtype=np.int64)
        parts: list[list[str]] = [[] for _ in bags]
        steps: list[list[float]] = [[] for _ in bags]
        for _ in range(_WORDS.longest):
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
        found = beam_search(self._advance, self._memory(bags), len(self._layers), _WORDS, width)
        return [[self._name(beam) for beam in row] for row in found]

    def _name(self, beam: Beam) -> Name:
        return Name(
            tuple(self._targets[word] for word in beam.words),
            score=exp(beam.total),
            official_score=exp(beam.slot_total),
        )

    def _memory(self, bags: Sequence[Sequence[Context]]) -> Memory:
        return context_vectors(bags, self._token_vectors, self._encoder.encode, self._weights)

    def _token_vectors(self, tokens: Iterable[str]) -> Floats:
        """The sum of each token's first subtokens."""
        take = partial(_rows, self._subtokens)
        return subtoken_sums(tokens, _TOKEN_PARTS, self._subtoken_rows, UNKNOWN, take)

    def _advance(self, last: Longs, state: State, memory: Memory) -> tuple[State, Floats]:
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
        return State(hidden, cells, attention), product(attention, weights["output"])


def _rows(table: npt.NDArray[Any], ids: Longs) -> Floats:
    """Rows of a mapped table, which may be of half precision."""
    found: Floats = table[ids].astype(np.float32, copy=False)
    return found
