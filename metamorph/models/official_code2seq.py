"""The official code2seq's predictions from its own checkpoints, by numpy alone."""

from collections.abc import Sequence

from metamorph.models.contexts import Context, checked_comments, extract_each, head, method_label
from metamorph.models.decoding import best_name, check_width
from metamorph.models.official_network import CONTEXTS, Name, Network
from metamorph.models.options import Options
from metamorph.models.protocol import Example, Prediction
from metamorph.models.weights import Weights

_DROPPED = ("<PAD>", "<UNK>", "</S>")
_ROWS = 64


class OfficialCode2Seq:
    """Alon et al.'s code2seq as their own program predicts, from its first 200 contexts.

    Without beams names are decoded greedily, and the score is the product of the steps'
    probabilities, as the official program tells none; with beams all of them are candidates, each
    with the probability of its sequence. Unknown subtokens are left out of a name, as there.
    """

    embedded = True

    def __init__(self, weights: Weights, name: str, options: Options) -> None:
        self.name = name
        self._beam = options.beam
        self._comments = checked_comments(options.comments)
        self._network = Network(weights)
        check_width(options.beam, self._network.words)
        self.identity = {
            "kind": "code2seq",
            "weights": "official",
            "sha256": weights.sha256,
            "contexts": str(CONTEXTS),
            "comments": self._comments,
            "beam": str(options.beam),
        }

    def label(self, method_name: str) -> str:
        """The method's name as subtokens joined by `|`."""
        return method_label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The name of each method."""
        shapes = (head(e.tree, e.node, CONTEXTS, self._comments) for e in batch)
        found = list(extract_each(shapes, "code2seq", CONTEXTS))
        names = self.names([each.contexts for each in found])
        return [
            best_name(example.id, [(official_label(n), n.score) for n in beams], not each.complete)
            for example, each, beams in zip(batch, found, names, strict=True)
        ]

    def names(self, bags: Sequence[Sequence[Context]]) -> list[list[Name]]:
        """The names of each method given by its contexts, best first; none of one without."""
        names: list[list[Name]] = [[] for _ in bags]
        asked = [index for index, bag in enumerate(bags) if bag]
        step = max(1, _ROWS // max(1, self._beam))
        for first in range(0, len(asked), step):
            part = asked[first : first + step]
            cut = [bags[index][:CONTEXTS] for index in part]
            for index, found in zip(part, self._decode(cut), strict=True):
                names[index] = found
        return names

    def _decode(self, bags: Sequence[Sequence[Context]]) -> list[list[Name]]:
        if self._beam:
            return self._network.beam_names(bags, self._beam)
        return [[name] for name in self._network.greedy(bags)]


def official_label(name: Name) -> str:
    """A name as the official program shows it: without unknown subtokens."""
    return "|".join(part for part in name.parts if part not in _DROPPED)
