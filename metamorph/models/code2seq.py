"""code2seq: a method's name, subtoken by subtoken, from its path contexts, by numpy alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metamorph.models.bags import numbered
from metamorph.models.checkpoints import is_official
from metamorph.models.code2seq_checkpoints import read_official
from metamorph.models.contexts import Context, extract, method_label, no_comments
from metamorph.models.numerics import Floats, Longs, attend, cell_step, dot, product, softmax
from metamorph.models.official_code2seq import OfficialCode2Seq
from metamorph.models.options import Options
from metamorph.models.paths import PathEncoder
from metamorph.models.protocol import Example, Prediction
from metamorph.models.weights import Weights, read_weights

_END, _UNKNOWN, _START = 0, 1, 2
_SPECIALS = 3
_LONGEST_NAME = 7
_TOKEN_PARTS = 6


@dataclass(frozen=True, slots=True)
class _Memory:
    """What the decoder attends to: the contexts of each method, method after method."""

    contexts: Floats
    owner: Longs
    starts: Longs
    lengths: Longs


class Code2Seq:
    """The network of Alon et al. (ICLR 2019); its model card tells what was changed.

    It sees the first `contexts` path contexts of a method, in the extractor's order, as the
    official prediction does, and decodes greedily; a name's score is the product of its steps'.
    """

    def __init__(self, weights: Weights, name: str = "code2seq") -> None:
        self.name = name
        self._limit = int(weights.facts["contexts"])
        self.identity = {
            "kind": "code2seq",
            "sha256": weights.sha256,
            "contexts": str(self._limit),
        }
        subtokens = weights.strings("subtoken_list")
        self._subtoken_rows = {part: row for row, part in enumerate(subtokens, 2)}
        self._targets = weights.strings("target_list")
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
        """The greedy name of each method."""
        found = [
            extract(example.tree, example.node, "code2seq", self._limit).contexts
            for example in batch
        ]
        return self.answer([example.id for example in batch], found)

    def answer(self, ids: Sequence[str], bags: Sequence[Sequence[Context]]) -> list[Prediction]:
        """The same from contexts that are at hand."""
        answers = [Prediction(id, None, error="no_contexts") for id in ids]
        asked = [index for index, bag in enumerate(bags) if bag]
        if asked:
            names, scores = self._decode(self._memory([bags[index] for index in asked]))
            for index, name, score in zip(asked, names, scores, strict=True):
                answers[index] = (
                    Prediction(ids[index], name, score, ((name, score),))
                    if name
                    else Prediction(ids[index], None, error="empty_name")
                )
        return answers

    def _memory(self, bags: Sequence[Sequence[Context]]) -> _Memory:
        tokens, paths, indices = numbered(bags)
        vectors = self._token_vectors(tokens)
        contexts = product(vectors, self._weights["left"])[indices[:, 0]]
        contexts += self._encoder.encode(paths)[indices[:, 1]]
        contexts += product(vectors, self._weights["right"])[indices[:, 2]]
        np.tanh(contexts, out=contexts)
        lengths = np.array([len(bag) for bag in bags], dtype=np.int64)
        owner = np.repeat(np.arange(len(bags), dtype=np.int64), lengths)
        return _Memory(contexts, owner, np.cumsum(lengths) - lengths, lengths)

    def _token_vectors(self, tokens: Iterable[str]) -> Floats:
        """The sum of each token's subtokens."""
        splits = [token.split("|")[:_TOKEN_PARTS] for token in tokens]
        rows = self._subtoken_rows
        flat = [rows.get(part, _UNKNOWN) for parts in splits for part in parts]
        lengths = np.array([len(parts) for parts in splits], dtype=np.int64)
        found = self._subtokens.take(np.array(flat, dtype=np.int64))
        sums: Floats = np.add.reduceat(found, np.cumsum(lengths) - lengths, axis=0)
        return sums

    def _decode(self, memory: _Memory) -> tuple[list[str], list[float]]:
        """The greedy name of each method, and its probability."""
        count = len(memory.lengths)
        sums: Floats = np.add.reduceat(memory.contexts, memory.starts, axis=0)
        hidden = np.divide(sums, memory.lengths[:, None], dtype=np.float32)
        cell = hidden
        attention: Floats = np.zeros_like(hidden)
        last = np.full(count, _START, dtype=np.int64)
        names: list[list[str]] = [[] for _ in range(count)]
        scores = np.ones(count, dtype=np.float64)
        live = np.ones(count, dtype=np.bool_)
        for _ in range(_LONGEST_NAME):
            attention, hidden, cell = self._advance(last, attention, hidden, cell, memory)
            logits = product(attention, self._output)
            logits[:, [_UNKNOWN, _START]] = -np.inf
            chances = softmax(logits)
            last = chances.argmax(axis=1)
            scores[live] *= chances[live, last[live]]
            live &= last != _END
            if not live.any():
                break
            for index in np.flatnonzero(live).tolist():
                names[index].append(self._targets[last[index] - _SPECIALS])
        return ["|".join(parts) for parts in names], scores.tolist()

    def _advance(
        self, last: Longs, attention: Floats, hidden: Floats, cell: Floats, memory: _Memory
    ) -> tuple[Floats, Floats, Floats]:
        """One step of the decoder."""
        weights = self._weights
        given = np.concatenate([self._target_rows.take(last), attention], axis=1)
        gates = product(given, weights["decoder_input"])
        gates += product(hidden, weights["decoder_hidden"]) + weights["decoder_bias"]
        hidden, cell = cell_step(gates, cell)
        queries = product(hidden, weights["query"])[memory.owner]
        scores = dot(memory.contexts, queries)
        context = attend(scores, memory.contexts, memory.starts, memory.lengths)
        joined = np.concatenate([hidden, context], axis=1)
        return product(joined, weights["attention"]), hidden, cell


def load(rest: str, options: Options) -> Code2Seq | OfficialCode2Seq:
    """The default model, that of the weights file `rest`, or an official checkpoint's."""
    if rest and is_official(rest):
        return OfficialCode2Seq(read_official(rest), f"code2seq:{rest}", options)
    no_comments(options.comments)
    return Code2Seq(read_weights("code2seq", rest), f"code2seq:{rest}" if rest else "code2seq")
