"""Decoding names step by step from the contexts of several methods: states, memory, beams."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metamorph.errors import UserError
from metamorph.models import beams
from metamorph.models.bags import numbered
from metamorph.models.contexts import Context
from metamorph.models.numerics import Floats, Longs, log_softmax, product
from metamorph.models.protocol import Prediction


@dataclass(frozen=True, slots=True)
class Memory:
    """What the decoder attends to: `lengths` contexts a row, row after row."""

    contexts: Floats
    lengths: Longs

    @property
    def starts(self) -> Longs:
        """Where each row's contexts begin."""
        starts: Longs = np.cumsum(self.lengths) - self.lengths
        return starts

    @property
    def means(self) -> Floats:
        """The mean of each row's contexts, with which all layers of a decoder begin."""
        sums: Floats = np.add.reduceat(self.contexts, self.starts, axis=0)
        means: Floats = np.divide(sums, self.lengths[:, None], dtype=np.float32)
        return means

    def take(self, rows: Longs) -> "Memory":
        """The memory of these rows in their order, repeated where they are."""
        lengths = self.lengths[rows]
        shifts = np.repeat(self.starts[rows] - (np.cumsum(lengths) - lengths), lengths)
        return Memory(self.contexts[np.arange(len(shifts)) + shifts], lengths)


@dataclass(frozen=True, slots=True)
class State:
    """The decoder between two steps; hidden states and cells by layer."""

    hidden: tuple[Floats, ...]
    cells: tuple[Floats, ...]
    attention: Floats

    def take(self, rows: Longs) -> "State":
        """The state of these rows."""
        hidden = tuple(layer[rows] for layer in self.hidden)
        return State(hidden, tuple(layer[rows] for layer in self.cells), self.attention[rows])


Take = Callable[[Longs], Floats]
"""Rows of a table by their numbers."""

Step = Callable[[Longs, State, Memory], tuple[State, Floats]]
"""One step of a decoder: from each row's last word to the state after it and all words' logits."""


def first_state(memory: Memory, layers: int) -> State:
    """The state before the first step."""
    mean = memory.means
    return State((mean,) * layers, (mean,) * layers, np.zeros_like(mean))


@dataclass(frozen=True, slots=True)
class Words:
    """The words between which a name is put together, and its greatest length."""

    start: int
    end: int
    longest: int


def subtoken_sums(
    tokens: Iterable[str], parts: int, rows: Mapping[str, int], unknown: int, take: Take
) -> Floats:
    """One vector a token: the sum of its first `parts` subtokens' rows of a table.

    take: gives the table's rows; rows: subtoken -> its row, `unknown` being all others'.
    """
    splits = [token.split("|")[:parts] for token in tokens]
    flat = [rows.get(part, unknown) for split in splits for part in split]
    lengths = np.array([len(split) for split in splits], dtype=np.int64)
    found = take(np.array(flat, dtype=np.int64))
    sums: Floats = np.add.reduceat(found, np.cumsum(lengths) - lengths, axis=0)
    return sums


def context_vectors(
    bags: Sequence[Sequence[Context]],
    token_vectors: Callable[[Iterable[str]], Floats],
    path_vectors: Callable[[Iterable[str]], Floats],
    weights: Mapping[str, Floats],
) -> Memory:
    """The memory of several bags: each context from its path and its tokens, left and right."""
    tokens, paths, indices = numbered(bags)
    vectors = token_vectors(tokens)
    contexts = product(vectors, weights["left"])[indices[:, 0]]
    contexts += path_vectors(paths)[indices[:, 1]]
    contexts += product(vectors, weights["right"])[indices[:, 2]]
    np.tanh(contexts, out=contexts)
    return Memory(contexts, np.array([len(bag) for bag in bags], dtype=np.int64))


def check_width(beam: int, words: int) -> None:
    """Refuse a beam that could not be filled at the first step."""
    if beam > words:
        raise UserError(
            f"--beam {beam}: wider than the {words} words that names are made of; give fewer"
        )


def beam_search(
    step: Step, memory: Memory, layers: int, words: Words, width: int
) -> list[list[beams.Beam]]:
    """The `width` sequences of each row of the memory that a beam search finds, best first."""
    count = len(memory.lengths)
    memory = memory.take(np.repeat(np.arange(count, dtype=np.int64), width))
    state = first_state(memory, layers)
    methods = np.arange(count, dtype=np.int64)
    last = np.full(count * width, words.start, dtype=np.int64)
    search = beams.begin(count, width, words.end)
    found: dict[int, list[beams.Beam]] = {}
    for number in range(1, words.longest + 1):
        state, logits = step(last, state, memory)
        search = beams.advance(search, log_softmax(logits).reshape(len(methods), width, -1))
        first = np.arange(len(methods), dtype=np.int64)[:, None] * width
        state = state.take((first + search.parents[-1]).reshape(-1))
        done = search.finished.all(axis=1) | (number == words.longest)
        for row in np.flatnonzero(done).tolist():
            found[int(methods[row])] = beams.sequences(search, row)
        live = np.flatnonzero(~done)
        if not len(live):
            break
        search, methods = search.take(live), methods[live]
        kept = (first[live] + np.arange(width)).reshape(-1)
        state, memory, last = state.take(kept), memory.take(kept), search.ids[-1].reshape(-1)
    return [found[method] for method in range(count)]


def best_name(id: str, names: Sequence[tuple[str, float]], truncated: bool = False) -> Prediction:
    """The prediction of (name, score) pairs, best first; empty names are no candidates."""
    if not names:
        return Prediction(id, None, error="no_contexts", truncated=truncated)
    label, score = names[0]
    if not np.isfinite(score):
        return Prediction(id, None, error="not_finite", truncated=truncated)
    if not label:
        return Prediction(id, None, error="empty_name", truncated=truncated)
    return Prediction(
        id, label, score, tuple(pair for pair in names if pair[0]), truncated=truncated
    )
