"""nlm: how surprising a method is to a feed-forward language model, by numpy alone."""

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt

from metamorph.duplicates.lexing import in_order, is_identifier, placed
from metamorph.errors import UserError
from metamorph.models.language import TokenScores
from metamorph.models.numerics import Floats, Longs, product
from metamorph.models.options import Options, only
from metamorph.models.protocol import Example, Prediction, TokenBits
from metamorph.models.spelling import SYMBOLS, bits_of
from metamorph.models.weights import Weights, read_weights
from metamorph.tasks.number import SURPRISE

PADDING, UNKNOWN = 0, 1
"""Numbers of what stands before the first token, and for one that is not in the vocabulary."""

Doubles = npt.NDArray[np.float64]

_ROWS = 128
_BITS = 1 / np.log(2)


class NeuralLanguageModel:
    """The network of Bengio et al. (2003) as Allamanis (2019, equation 3) has it.

    The next token's probabilities are softmax(outputs @ tanh(W @ [inputs of the `context` tokens
    before]) + bias). Where fewer stand before it, padding stands in for the others.
    """

    def __init__(self, weights: Weights, name: str = "nlm") -> None:
        self.name = name
        self._context = int(weights.facts["context"])
        self.identity = {
            "kind": "nlm",
            "sha256": weights.sha256,
            "context": str(self._context),
        }
        words = weights.strings("token_list")
        self._numbers = numbered(word.encode("utf-8", "surrogateescape") for word in words)
        self._inputs = weights.table("inputs").whole()
        self._hidden = weights.matrix("hidden")
        self._outputs = np.ascontiguousarray(weights.table("outputs").whole().T)
        self._bias = weights.matrix("bias")
        self._letters = weights.tensors["letters"]
        self._spelt = lru_cache(100_000)(partial(bits_of, self._letters))

    def label(self, method_name: str) -> str:
        """No surprise is the right one."""
        return ""

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The mean surprise of each method's tokens, in bits.

        A name that is not in the vocabulary surprises by being unknown, and by its spelling.
        """
        programs = [placed(_source(example)) for example in batch]
        parts = [windows(self._numbers_of(tokens), self._context) for tokens, _ in programs]
        bits, _ = self._scored(np.concatenate([np.zeros((0, self._context + 1), np.int32), *parts]))
        bits += self._spelling([token for tokens, _ in programs for token in tokens])
        ends = np.cumsum([len(part) for part in parts]).tolist()
        return [
            self._prediction(example, *program, bits[end - len(program[0]) : end])
            for example, program, end in zip(batch, programs, ends, strict=True)
        ]

    def token_scores(self, data: bytes) -> TokenScores:
        """Each token of a source, given those before it in that source."""
        tokens = in_order(data)
        numbers = self._numbers_of(tokens)
        bits, ranks = self._scored(windows(numbers, self._context))
        names = np.fromiter(map(is_identifier, tokens), np.bool_, len(tokens))
        return TokenScores(bits, ranks, numbers != UNKNOWN, names)

    def _prediction(
        self, example: Example, tokens: list[bytes], starts: list[int], bits: Doubles
    ) -> Prediction:
        mean = float(bits.mean()) if len(bits) else 0.0
        first = np.array(starts, np.int64) + example.tree.start[example.node]
        lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
        told = TokenBits(first, first + lengths, bits)
        return Prediction(example.id, f"{mean:.6f}", mean, tokens=told)

    def _spelling(self, tokens: Sequence[bytes]) -> Doubles:
        """What the spelling of each token adds: of names that are not in the vocabulary."""
        known = self._numbers
        bits = [
            self._spelt(token) if token not in known and is_identifier(token) else 0.0
            for token in tokens
        ]
        return np.array(bits, np.float64)

    def _numbers_of(self, tokens: Sequence[bytes]) -> npt.NDArray[np.int32]:
        known = self._numbers
        return np.fromiter((known.get(token, UNKNOWN) for token in tokens), np.int32, len(tokens))

    def _scored(self, rows: npt.NDArray[np.int32]) -> tuple[Doubles, Longs]:
        """Bits and rank of the last token of each window; equal windows are looked at once."""
        packed = np.ascontiguousarray(rows).view([("", np.int32)] * rows.shape[1]).ravel()
        _, first, place = np.unique(packed, return_index=True, return_inverse=True)
        bits, ranks = np.zeros(len(first)), np.zeros(len(first), np.int64)
        for start in range(0, len(first), _ROWS):
            chosen = rows[first[start : start + _ROWS]]
            scores = self._logits(chosen[:, :-1])
            wanted = np.take_along_axis(scores, chosen[:, -1:].astype(np.int64) - 1, axis=1)
            ranks[start : start + _ROWS] = np.count_nonzero(scores > wanted, axis=1) + 1
            most = scores.max(axis=1, keepdims=True)
            scores -= most
            totals = np.add.reduce(np.exp(scores, out=scores), axis=1)
            nats = np.log(totals) + (most - wanted)[:, 0]
            bits[start : start + _ROWS] = nats.astype(np.float64) * _BITS
        return bits[place], ranks[place]

    def _logits(self, contexts: npt.NDArray[np.int32]) -> Floats:
        """A column a token of the vocabulary, the unknown token's first."""
        told = self._inputs[contexts].reshape(len(contexts), -1)
        logits = product(np.tanh(product(told, self._hidden)), self._outputs)
        logits += self._bias
        return logits


def numbered(vocabulary: Iterable[bytes]) -> dict[bytes, int]:
    """The number of each token, behind padding and the unknown one."""
    return {token: number for number, token in enumerate(vocabulary, UNKNOWN + 1)}


def windows(numbers: npt.NDArray[np.int32], context: int) -> npt.NDArray[np.int32]:
    """For each token a row: the `context` tokens before it, then itself."""
    if not len(numbers):
        return np.zeros((0, context + 1), np.int32)
    padded = np.concatenate([np.full(context, PADDING, np.int32), numbers])
    rows: npt.NDArray[np.int32] = np.lib.stride_tricks.sliding_window_view(padded, context + 1)
    return rows


def _source(example: Example) -> bytes:
    """The method's bytes, its own name included."""
    tree = example.tree
    return tree.data[tree.start[example.node] : tree.end[example.node]]


def load(rest: str, options: Options) -> NeuralLanguageModel:
    """The default model, or that of the weights file `rest`."""
    only(options, "nlm")
    if options.task != SURPRISE:
        raise UserError(f"nlm: tells a method's surprise, no {options.task}; --task surprise")
    weights = read_weights("nlm", rest)
    if not _fit(weights):
        raise UserError(f"{weights.path}: damaged, or of another version; train it again")
    return NeuralLanguageModel(weights, f"nlm:{rest}" if rest else "nlm")


def _fit(weights: Weights) -> bool:
    """Whether all tensors are there, in sizes that go together."""
    context, shapes = weights.facts.get("context"), {n: t.shape for n, t in weights.tensors.items()}
    outputs = shapes.get("outputs", ())
    if not isinstance(context, int) or len(outputs) != 2 or min(context, *outputs) < 1:
        return False
    known, size = outputs
    wanted = {
        "inputs": (known + 1, size),
        "inputs.scale": (known + 1,),
        "outputs.scale": (known,),
        "hidden": (context * size, size),
        "bias": (known,),
        "letters": (SYMBOLS, SYMBOLS),
    }
    if any(shapes.get(name) != shape for name, shape in wanted.items()):
        return False
    return "token_list" in shapes and len(weights.strings("token_list")) == known - 1
