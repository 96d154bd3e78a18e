"""What a task is: a question about a method, how its answers are read, and when they agree."""

from collections.abc import Mapping
from typing import Protocol

from metamorph.java.tree import Tree
from metamorph.oracles.equality import Equality


class Task(Protocol):
    """A question about a method; node `node` of `tree` is the method's declaration."""

    @property
    def name(self) -> str:
        """The name that `--task` takes."""
        ...

    @property
    def equality(self) -> Equality:
        """When answers count as the same; the same rule tells whether one is right."""
        ...

    def code(self, tree: Tree, node: int) -> str:
        """The program as the model sees it: nothing in it gives the answer away."""
        ...

    def prompt(self, code: str) -> str:
        """The question to a model that is asked in words."""
        ...

    def label(self, answer: str) -> str:
        """An answer in the form in which answers are compared; "" where it says nothing."""
        ...

    def gold(self, method_name: str, target: str | None) -> str | None:
        """The right answer, from the method's name or from the corpus; None if not known."""
        ...

    def follow(self, answer: str, names: Mapping[str, str]) -> str:
        """An answer about the original as it reads where variables have new names.

        names: old name -> new name. Only answers of a task that names variables change.
        """
        ...

    def same(self, one: str, other: str) -> bool:
        """Whether two answers, both in the form of `label`, count as the same."""
        ...
