"""code2seq: a method's name, subtoken by subtoken, from its path contexts, by numpy alone."""

from collections.abc import Iterable, Sequence
from math import exp

import numpy as np

from metamorph.models.bags import with_cuts
from metamorph.models.checkpoints import is_official
from metamorph.models.code2seq_checkpoints import read_official
from metamorph.models.contexts import Context, extract_each, head, method_label, no_comments
from metamorph.models.decoding import (
    Memory,
    State,
    Words,
    beam_search,
    best_name,
    check_width,
    context_vectors,
    first_state,
    subtoken_sums,
)
from metamorph.models.numerics import Floats, Longs, attend, cell_step, dot, product, softmax
from metamorph.models.official_code2seq import OfficialCode2Seq
from metamorph.models.options import Options, only
from metamorph.models.paths import PathEncoder
from metamorph.models.protocol import Example, Prediction
from metamorph.models.weights import Weights, read_weights

_END, _UNKNOWN, _START = 0, 1, 2
_SPECIALS = 3
_WORDS = Words(_START, _END, longest=7)
_ROWS = 64
_TOKEN_PARTS = 6


class Code2Seq:
    """The network of Alon et al. (ICLR 2019); its model card tells what was changed.

    It sees the first `contexts` path contexts of a method, in the extractor's order, as the
    official prediction does, and decodes greedily or with beams, all of which are candidates; a
    name's score is the product of its steps'.
    """

    embedded = True

    def __init__(self, weights: Weights, name: str = "code2seq", beam: int = 0) -> None:
        self.name = name
        self._beam = beam
        self._limit = int(weights.facts["contexts"])
        self.identity = {
            "kind": "code2seq",
            "sha256": weights.sha256,
            "contexts": str(self._limit),
        }
        if beam:
            self.identity["beam"] = str(beam)
        subtokens = weights.strings("subtoken_list")
        self._subtoken_rows = {part: row for row, part in enumerate(subtokens, 2)}
        self._targets = weights.strings("target_list")
        check_width(beam, len(self._targets) + 1)
        self._subtokens = weights.table("subtokens")
        self._target_rows = weights.table("targets")
        self._output = np.ascontiguousarray(weights.table("output").whole().T)
        self._encoder = PathEncoder(weights)
        names = ("left", "right", "decoder_input", "decoder_hidden", "decoder_bias", "attention")
        self._weights = {name: weights.matrix(name) for name in names}
        self._weights["query"] = np.ascontiguousarray(weights.matrix("memory").T)

    def label(self, method_name: str) -> str:
        """The method's name as subtokens joined by `|`."""
        return method_label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The name of each method."""
        shapes = (head(example.tree, example.node, self._limit) for example in batch)
        found = list(extract_each(shapes, "code2seq", self._limit))
        ids = [example.id for example in batch]
        return with_cuts(
            [each.complete for each in found], self.answer(ids, [each.contexts for each in found])
        )

    def answer(self, ids: Sequence[str], bags: Sequence[Sequence[Context]]) -> list[Prediction]:
        """The same from contexts that are at hand."""
        names: list[list[tuple[str, float]]] = [[] for _ in bags]
        asked = [index for index, bag in enumerate(bags) if bag]
        step = max(1, _ROWS // self._beam) if self._beam else max(1, len(asked))
        for first in range(0, len(asked), step):
            part = asked[first : first + step]
            memory = self._memory([bags[index] for index in part])
            found = self._beams(memory) if self._beam else self._greedy(memory)
            for index, each in zip(part, found, strict=True):
                names[index] = each
        return [best_name(id, each) for id, each in zip(ids, names, strict=True)]

    def _memory(self, bags: Sequence[Sequence[Context]]) -> Memory:
        return context_vectors(bags, self._token_vectors, self._encoder.encode, self._weights)

    def _token_vectors(self, tokens: Iterable[str]) -> Floats:
        """The sum of each token's subtokens."""
        rows, take = self._subtoken_rows, self._subtokens.take
        return subtoken_sums(tokens, _TOKEN_PARTS, rows, _UNKNOWN, take)

    def _beams(self, memory: Memory) -> list[list[tuple[str, float]]]:
        """The beams of each method, best first, with their probabilities."""
        found = beam_search(self._advance, memory, 1, _WORDS, self._beam)
        return [[(self._named(beam.words), exp(beam.total)) for beam in each] for each in found]

    def _greedy(self, memory: Memory) -> list[list[tuple[str, float]]]:
        """The greedy name of each method, and its probability."""
        count = len(memory.lengths)
        state = first_state(memory, 1)
        last = np.full(count, _START, dtype=np.int64)
        names: list[list[int]] = [[] for _ in range(count)]
        scores = np.ones(count, dtype=np.float64)
        live = np.ones(count, dtype=np.bool_)
        for _ in range(_WORDS.longest):
            state, logits = self._advance(last, state, memory)
            chances = softmax(logits)
            last = chances.argmax(axis=1)
            scores[live] *= chances[live, last[live]]
            live &= last != _END
            if not live.any():
                break
            for index in np.flatnonzero(live).tolist():
                names[index].append(int(last[index]))
        pairs = zip(names, scores.tolist(), strict=True)
        return [[(self._named(words), score)] for words, score in pairs]

    def _named(self, words: Iterable[int]) -> str:
        return "|".join(self._targets[word - _SPECIALS] for word in words)

    def _advance(self, last: Longs, state: State, memory: Memory) -> tuple[State, Floats]:
        """One step of the decoder, which writes neither the unknown word nor the start."""
        weights = self._weights
        given = np.concatenate([self._target_rows.take(last), state.attention], axis=1)
        gates = product(given, weights["decoder_input"])
        gates += product(state.hidden[0], weights["decoder_hidden"]) + weights["decoder_bias"]
        hidden, cell = cell_step(gates, state.cells[0])
        queries = np.repeat(product(hidden, weights["query"]), memory.lengths, axis=0)
        scores = dot(memory.contexts, queries)
        context = attend(scores, memory.contexts, memory.starts, memory.lengths)
        attention = product(np.concatenate([hidden, context], axis=1), weights["attention"])
        logits = product(attention, self._output)
        logits[:, [_UNKNOWN, _START]] = -np.inf
        return State((hidden,), (cell,), attention), logits


def load(rest: str, options: Options) -> Code2Seq | OfficialCode2Seq:
    """The default model, that of the weights file `rest`, or an official checkpoint's."""
    only(options, "code2seq", "beam", "comments")
    if rest and is_official(rest):
        return OfficialCode2Seq(read_official(rest), f"code2seq:{rest}", options)
    no_comments(options.comments)
    name = f"code2seq:{rest}" if rest else "code2seq"
    return Code2Seq(read_weights("code2seq", rest), name, options.beam)
