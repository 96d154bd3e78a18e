"""code2vec as its authors released it: the network of their TensorFlow program, by numpy alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.models.bags import distinct, numbered
from metamorph.models.code2vec_checkpoints import Checkpoint
from metamorph.models.contexts import Comments, Context, extract_each, head, method_label
from metamorph.models.numerics import Floats, attend_to, dot, highest, product, softmax
from metamorph.models.protocol import Example, Prediction

_CONTEXTS = 200
_CANDIDATES = 10
_TOGETHER = 64
_NO_CONTEXTS = "no_contexts"
_NOT_FINITE = "not_finite"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the network says of one method.

    names: the likeliest ten, best first, without the word that stands for all unknown names;
    chances: theirs among all names; official: the authors' program's, which are shares of the
    ten alone; vector: the code vector.
    """

    names: tuple[str, ...]
    chances: tuple[float, ...]
    official: tuple[float, ...]
    vector: Floats


class OfficialCode2Vec:
    """The network of a checkpoint, asked about the first 200 contexts, as the authors' program.

    Nothing of its large tables is copied: rows are read from the mapped file when needed.
    """

    embedded = True

    def __init__(
        self, checkpoint: Checkpoint, name: str = "code2vec", comments: Comments = "strip"
    ) -> None:
        self.name = name
        self.identity: Mapping[str, str] = {
            "kind": "code2vec",
            "weights": "official",
            "sha256": checkpoint.sha256,
            "contexts": str(_CONTEXTS),
            "comments": comments,
        }
        self._comments: Comments = comments
        self._words, tables = checkpoint.words, checkpoint.tables
        self._tokens, self._paths = tables["tokens"], tables["paths"]
        size, width = self._tokens.shape[1], self._paths.shape[1]
        transform = tables["transform"]
        self._left = _ready(transform[:size])
        self._path = _ready(transform[size : size + width])
        self._right = _ready(transform[size + width :])
        self._attention = _ready(tables["attention"]).ravel()
        self._targets = _ready(tables["targets"]).T

    def label(self, method_name: str) -> str:
        """The method's name as subtokens joined by `|`."""
        return method_label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The ten likeliest names of each method."""
        shapes = (head(e.tree, e.node, _CONTEXTS, self._comments) for e in batch)
        found = list(extract_each(shapes, "code2vec", _CONTEXTS))
        answers = self.answers([contexts.contexts for contexts in found])
        return [
            _prediction(example.id, answer, not contexts.complete)
            for example, contexts, answer in zip(batch, found, answers, strict=True)
        ]

    def answers(self, bags: Sequence[Sequence[Context]]) -> list[Answer | None]:
        """The same from contexts at hand: None where the network knows none of a method's."""
        found: list[Answer | None] = []
        for start in range(0, len(bags), _TOGETHER):
            found += self._answers(bags[start : start + _TOGETHER])
        return found

    def _answers(self, bags: Sequence[Sequence[Context]]) -> Iterator[Answer | None]:
        vectors, known = self._vectors([bag[:_CONTEXTS] for bag in bags])
        logits = product(vectors, self._targets)
        rows = zip(vectors, logits, strict=True)
        for some in known:
            yield self._answer(*next(rows)) if some else None

    def _answer(self, vector: Floats, logits: Floats) -> Answer:
        best = highest(logits, _CANDIDATES)
        chances = np.exp(logits[best] - logits[best[0]])
        whole = np.exp(logits - logits[best[0]]).sum(dtype=np.float64)
        official = softmax(logits[best][None])[0]
        words = self._words["targets"]
        named = [(row, place) for place, row in enumerate(best.tolist()) if row >= words.first]
        return Answer(
            tuple(words.word(row) for row, _ in named),
            tuple(float(chances[place] / whole) for _, place in named),
            tuple(float(official[place]) for _, place in named),
            vector,
        )

    def _vectors(self, bags: Sequence[Sequence[Context]]) -> tuple[Floats, list[bool]]:
        """The code vectors of the bags with a known context, and which bags these are."""
        tokens, paths, rows = numbered(bags)
        rows, places = distinct(rows.reshape(-1, 3))
        left, path, right = rows.T
        token_rows = self._words["tokens"].rows(tokens)
        path_rows = self._words["paths"].rows(paths)
        valid = (token_rows[left] != 0) | (path_rows[path] != 0) | (token_rows[right] != 0)
        found = np.split(places, np.cumsum([len(bag) for bag in bags[:-1]]))
        known = [bag[valid[bag]] for bag in found]
        asked = [bag for bag in known if len(bag)]
        if not asked:
            return np.zeros((0, len(self._targets)), np.float32), [False] * len(bags)
        vectors = self._tokens[token_rows].astype(np.float32, copy=False)
        between = self._paths[path_rows].astype(np.float32, copy=False)
        contexts = product(vectors, self._left)[left]
        contexts += product(between, self._path)[path]
        contexts += product(vectors, self._right)[right]
        np.tanh(contexts, out=contexts)
        scores = dot(contexts, self._attention)
        return attend_to(scores, contexts, asked), [len(bag) > 0 for bag in known]


def _prediction(id: str, answer: Answer | None, truncated: bool) -> Prediction:
    if answer is None:
        return Prediction(id, None, error=_NO_CONTEXTS, truncated=truncated)
    if not answer.names or not np.isfinite(answer.chances[0]):
        return Prediction(id, None, error=_NOT_FINITE, truncated=truncated)
    candidates = tuple(zip(answer.names, answer.chances, strict=True))
    label, score = candidates[0]
    return Prediction(id, label, score, candidates=candidates, truncated=truncated)


def _ready(matrix: npt.NDArray[Any]) -> Floats:
    """A matrix as the arithmetic wants it, copied only where it is not so already."""
    found: Floats = np.require(matrix, np.float32, ["C_CONTIGUOUS", "ALIGNED"])
    return found
