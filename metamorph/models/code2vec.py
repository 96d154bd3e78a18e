"""code2vec: a method's name from its bag of path contexts, by numpy alone."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.models.bags import distinct, numbered, with_cuts
from metamorph.models.checkpoints import is_official
from metamorph.models.code2vec_checkpoints import read_official
from metamorph.models.contexts import (
    Context,
    checked_comments,
    extract_numbers,
    method_label,
    no_comments,
)
from metamorph.models.numerics import Floats, Longs, attend_to, dot, highest, product
from metamorph.models.official_code2vec import OfficialCode2Vec
from metamorph.models.options import Options, only
from metamorph.models.protocol import Example, Prediction
from metamorph.models.segments import Segmenter
from metamorph.models.weights import Weights, read_weights

_CANDIDATES = 10
_NO_HASH = 1 << 40


class Code2Vec:
    """The network of Alon et al. (POPL 2019); its model card tells what was changed.

    It sees the first `contexts` path contexts of a method, in the extractor's order, as the
    official prediction does.
    """

    embedded = True

    def __init__(self, weights: Weights, name: str = "code2vec") -> None:
        self.name = name
        self._limit = int(weights.facts["contexts"])
        self.identity = {
            "kind": "code2vec",
            "sha256": weights.sha256,
            "contexts": str(self._limit),
        }
        words = weights.strings("word_list")
        self._rows = _indexed(weights.strings("token_list"))
        self._word_rows = {word: row for row, word in enumerate(words)}
        counts = weights.tensors["word_counts"].tolist()
        self._segmenter = Segmenter(dict(zip(words, counts, strict=True)))
        hashes = weights.tensors["path_hashes"]
        order = np.argsort(hashes)
        self._hashes = hashes[order], order
        self._names = weights.strings("name_list")
        self._tokens = weights.table("tokens")
        self._words = weights.table("words")
        self._paths = weights.table("paths")
        self._left, self._right = weights.matrix("left"), weights.matrix("right")
        self._path = weights.matrix("path")
        self._attention = weights.matrix("attention").ravel()
        self._targets = np.ascontiguousarray(weights.table("names").whole().T)

    def label(self, method_name: str) -> str:
        """The method's name as subtokens joined by `|`."""
        return method_label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The ten likeliest names of each method."""
        programs = [(example.tree, example.node) for example in batch]
        found = extract_numbers(programs, self._limit)
        hashes, places = np.unique(found.hashes, return_inverse=True)
        rows = np.stack([found.left, self._path_rows(hashes)[places], found.right], axis=1)
        answers = self._answers([example.id for example in batch], found.tokens, rows, found.starts)
        return with_cuts(found.complete, answers)

    def answer(self, ids: Sequence[str], bags: Sequence[Sequence[Context]]) -> list[Prediction]:
        """The same from contexts that are at hand."""
        tokens, paths, rows = numbered(bags)
        hashes = np.array([_hash_of(path) for path in paths], dtype=np.int64)
        rows = rows.reshape(-1, 3)
        rows[:, 1] = self._path_rows(hashes)[rows[:, 1]]
        starts = np.cumsum([0, *map(len, bags)])
        return self._answers(ids, list(tokens), rows, starts)

    def _path_rows(self, hashes: npt.NDArray[np.integer[Any]]) -> Longs:
        """A row a path; row 0 is the unknown one's."""
        known, order = self._hashes
        if not len(known):
            return np.zeros(len(hashes), dtype=np.int64)
        at = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        found: Longs = np.where(known[at] == hashes, order[at] + 1, 0)
        return found

    def _answers(
        self, ids: Sequence[str], tokens: Sequence[str], rows: Longs, starts: Longs
    ) -> list[Prediction]:
        """rows: of a context its left token, the row of its path, its right token; starts: where
        those of each method begin, and their number. Methods of the same contexts, as variants
        often are, are looked at once."""
        told = np.array([self._told(token) for token in tokens], dtype=np.bool_)
        kept = (rows[:, 1] > 0) | told[rows[:, 0]] | told[rows[:, 2]]
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[starts]
        contexts, flat = distinct(rows[kept])
        bags: dict[bytes, int] = {}
        which = [
            bags.setdefault(flat[begin:end].tobytes(), len(bags)) if begin < end else -1
            for begin, end in pairwise(starts.tolist())
        ]
        if not bags:
            return [Prediction(id, None, error="no_contexts") for id in ids]
        vectors = self._vectors(tokens, contexts, [np.frombuffer(bag, np.int64) for bag in bags])
        best = [self._best(logits) for logits in product(vectors, self._targets)]
        return [
            Prediction(id, *best[bag][0], candidates=best[bag])
            if bag >= 0
            else Prediction(id, None, error="no_contexts")
            for id, bag in zip(ids, which, strict=True)
        ]

    def _told(self, token: str) -> bool:
        return token in self._rows or bool(self._segmenter.split(token))

    def _vectors(self, tokens: Sequence[str], told: Longs, bags: Sequence[Longs]) -> Floats:
        """One vector a bag of places among the contexts."""
        token_vectors = self._token_vectors(tokens)
        paths, places = np.unique(told[:, 1], return_inverse=True)
        contexts = product(token_vectors, self._left)[told[:, 0]]
        contexts += product(self._paths.take(paths), self._path)[places]
        contexts += product(token_vectors, self._right)[told[:, 2]]
        np.tanh(contexts, out=contexts)
        return attend_to(dot(contexts, self._attention), contexts, bags)

    def _token_vectors(self, tokens: Iterable[str]) -> Floats:
        """A row a token: its own row, or the unknown token's, and the mean of its words'."""
        tokens = list(tokens)
        rows = np.array([self._rows.get(token, 0) for token in tokens], dtype=np.int64)
        vectors = self._tokens.take(rows)
        splits = [self._segmenter.split(token) for token in tokens]
        split = np.array([index for index, words in enumerate(splits) if words], dtype=np.int64)
        if len(split):
            flat = [self._word_rows[word] for words in splits for word in words]
            lengths = np.array([len(splits[index]) for index in split], dtype=np.int64)
            starts: Longs = np.cumsum(lengths) - lengths
            found = self._words.take(np.array(flat, dtype=np.int64))
            sums = np.add.reduceat(found, starts, axis=0)
            vectors[split] += sums / lengths[:, None].astype(np.float32)
        return vectors

    def _best(self, logits: Floats) -> tuple[tuple[str, float], ...]:
        """The likeliest names and their shares of all."""
        order = highest(logits, _CANDIDATES)
        powers = np.exp(logits - logits[order[0]])
        chances = powers[order] / powers.sum()
        return tuple(
            zip(map(self._names.__getitem__, order.tolist()), chances.tolist(), strict=True)
        )


def load(rest: str, options: Options) -> Code2Vec | OfficialCode2Vec:
    """The default model, that of the weights file `rest`, or an official checkpoint's."""
    only(options, "code2vec", "comments")
    if rest and is_official(rest):
        return OfficialCode2Vec(
            read_official(rest), f"code2vec:{rest}", checked_comments(options.comments)
        )
    no_comments(options.comments)
    return Code2Vec(read_weights("code2vec", rest), f"code2vec:{rest}" if rest else "code2vec")


def _indexed(words: Iterable[str]) -> dict[str, int]:
    """Word -> row; row 0 is the unknown one's."""
    return {word: row for row, word in enumerate(words, 1)}


def _hash_of(path: str) -> int:
    """The number that a path is written as; of another text one that no path has."""
    number = int(path) if path.lstrip("-").isdecimal() else _NO_HASH
    return number if str(number) == path else _NO_HASH
