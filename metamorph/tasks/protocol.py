"""What a task is: a question about a method, and how its answers are read."""

from typing import Protocol

from metamorph.java.tree import Tree


class Task(Protocol):
    """A question about a method; node `node` of `tree` is the method's declaration."""

    @property
    def name(self) -> str:
        """The name that `--task` takes."""
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
