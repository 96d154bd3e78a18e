"""What a model is: examples in, predictions out, matched by id."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from metamorph.java.tree import Tree


@dataclass(frozen=True, slots=True)
class Example:
    """A method put to a model: node `node` of `tree` is its declaration.

    repeat: how often the same has been asked before, for models whose answers vary.
    """

    id: str
    tree: Tree
    node: int
    repeat: int = 0

    @property
    def code(self) -> str:
        """The method's source text, its own name included."""
        return self.tree.text(self.node)


@dataclass(frozen=True, slots=True)
class TokenBits:
    """How much each token of a program surprises a model, in order.

    starts, ends: in bytes of the example's source, its tree's `data`; bits: of each.
    """

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    bits: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer to the example of that id.

    label: the answer, for method names its lower-case subtokens joined by `|`, or None when the
    model gave none; error: then the short name of the reason, such as `no_contexts`; score: the
    model's own, comparable within one model only; candidates: (label, score), best first;
    truncated: the model did not see the whole of the example; finish_reason: why a generating
    model stopped, in the server's word; usage: tokens read and tokens written, where told;
    text: the answer as it came, where the label was read out of it; cached: kept from an earlier
    asking, so that nothing was spent on it; tokens: what a language model's answer is the mean of.
    """

    id: str
    label: str | None
    score: float | None = None
    candidates: tuple[tuple[str, float], ...] = ()
    error: str = ""
    truncated: bool = False
    finish_reason: str = ""
    usage: tuple[int, int] | None = None
    text: str = ""
    cached: bool = False
    tokens: TokenBits | None = field(default=None, compare=False, repr=False)


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


@runtime_checkable
class Embedded(Protocol):
    """A model whose work is this program's own: the limits on time and memory hold for it too."""

    embedded: bool


@runtime_checkable
class Asked(Protocol):
    """A model that is told a text, and whose answers are worth keeping: they are cached."""

    def question(self, example: Example) -> str:
        """All that the model is told of the example: prompt and code."""
        ...


@runtime_checkable
class Streaming(Protocol):
    """A model that tells each answer as soon as it has it, so that none is lost with the others."""

    def answers(self, batch: Sequence[Example]) -> Iterator[Prediction]:
        """What `predict` returns, one by one in any order."""
        ...


@runtime_checkable
class Counting(Protocol):
    """A model that knows its tokens."""

    def tokens(self, example: Example) -> int:
        """How many tokens the example's question is to the model."""
        ...
