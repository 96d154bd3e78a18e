"""What a model is: examples in, predictions out, matched by id."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from metamorph.java.tree import Tree


@dataclass(frozen=True, slots=True)
class Example:
    """A method put to a model: node `node` of `tree` is its declaration."""

    id: str
    tree: Tree
    node: int

    @property
    def code(self) -> str:
        """The method's source text, its own name included."""
        return self.tree.text(self.node)


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer to the example of that id.

    label: the answer, for method names its lower-case subtokens joined by `|`, or None when the
    model gave none; error: then the short name of the reason, such as `no_contexts`; score: the
    model's own, comparable within one model only; candidates: (label, score), best first.
    """

    id: str
    label: str | None
    score: float | None = None
    candidates: tuple[tuple[str, float], ...] = ()
    error: str = ""


class Model(Protocol):
    """Anything that answers examples; the answers may come in any order."""

    @property
    def name(self) -> str:
        """The name that the user gave: `code2vec`."""
        ...

    @property
    def identity(self) -> Mapping[str, str]:
        """What tells this model from another: its kind and version, the hash of its weights."""
        ...

    def label(self, method_name: str) -> str:
        """The right answer for a method of that name, in the model's own form."""
        ...

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        """One prediction an example; a failure is a prediction with an error, not an exception."""
        ...
