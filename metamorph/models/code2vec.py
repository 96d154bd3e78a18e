"""code2vec: a method's name from its bag of path contexts, by numpy alone."""

from collections.abc import Iterable, Sequence

import numpy as np

from metamorph.models.bags import distinct, numbered, with_cuts
from metamorph.models.checkpoints import is_official
from metamorph.models.code2vec_checkpoints import read_official
from metamorph.models.contexts import (
    Context,
    checked_comments,
    extract,
    method_label,
    no_comments,
)
from metamorph.models.numerics import Floats, Longs, attend, dot, highest, product, softmax
from metamorph.models.official_code2vec import OfficialCode2Vec
from metamorph.models.options import Options, only
from metamorph.models.protocol import Example, Prediction
from metamorph.models.segments import Segmenter
from metamorph.models.weights import Weights, read_weights

_CANDIDATES = 10


class Code2Vec:
    """The network of Alon et al. (POPL 2019); its model card tells what was changed.

    It sees the first `contexts` path contexts of a method, in the extractor's order, as the
    official prediction does.
    """

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
        self._path_rows = _indexed(map(str, weights.tensors["path_hashes"].tolist()))
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
        found = [extract(example.tree, example.node, "code2vec", self._limit) for example in batch]
        ids = [example.id for example in batch]
        return with_cuts(found, self.answer(ids, [each.contexts for each in found]))

    def answer(self, ids: Sequence[str], bags: Sequence[Sequence[Context]]) -> list[Prediction]:
        """The same from contexts that are at hand."""
        contexts, places = distinct(bags)
        known = np.array([self._means(context) for context in contexts], dtype=np.bool_)
        places = [found[known[found]] for found in places]
        asked = [index for index, found in enumerate(places) if len(found)]
        answers = [Prediction(id, None, error="no_contexts") for id in ids]
        if asked:
            vectors = self._vectors(contexts, [places[index] for index in asked])
            chances = softmax(product(vectors, self._targets))
            for index, row in zip(asked, chances, strict=True):
                best = self._best(row)
                answers[index] = Prediction(ids[index], *best[0], candidates=best)
        return answers

    def _means(self, context: Context) -> bool:
        """Whether any of the three parts is known."""
        left, path, right = context
        return path in self._path_rows or self._told(left) or self._told(right)

    def _told(self, token: str) -> bool:
        return token in self._rows or bool(self._segmenter.split(token))

    def _vectors(self, told: Sequence[Context], bags: Sequence[Longs]) -> Floats:
        """One vector a bag of places among the contexts."""
        tokens, paths, indices = numbered([told])
        token_vectors = self._token_vectors(tokens)
        rows = np.array([self._path_rows.get(path, 0) for path in paths], dtype=np.int64)
        contexts = product(token_vectors, self._left)[indices[:, 0]]
        contexts += product(self._paths.take(rows), self._path)[indices[:, 1]]
        contexts += product(token_vectors, self._right)[indices[:, 2]]
        np.tanh(contexts, out=contexts)
        lengths = np.array([len(bag) for bag in bags], dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        flat = np.concatenate(bags)
        return attend(dot(contexts, self._attention)[flat], contexts[flat], starts, lengths)

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

    def _best(self, chances: Floats) -> tuple[tuple[str, float], ...]:
        order = highest(chances, _CANDIDATES).tolist()
        return tuple((self._names[index], float(chances[index])) for index in order)


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
