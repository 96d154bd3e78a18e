"""The task label: put the method, as it stands, into one of a classifier's classes."""

from collections.abc import Mapping
from dataclasses import dataclass

from metamorph.java.tree import Tree
from metamorph.oracles.equality import EXACT, Equality, permitted
from metamorph.tasks.renaming import permutation

_RULES = ("exact", "ignore-case")
_PROMPT = """\
Classify the following Java method.
Answer with the label alone: no code, no quotes, no explanation.

{code}
"""


@dataclass(frozen=True, slots=True)
class Label:
    """Classes as the model spells them; with `label:names` a class is a variable's name."""

    equality: Equality = EXACT
    name: str = "label"

    def code(self, tree: Tree, node: int) -> str:
        """The method's source, its own name included."""
        return tree.text(node)

    def prompt(self, code: str) -> str:
        """Asks for a bare label; the classes themselves only the user's own prompt can tell."""
        return _PROMPT.format(code=code)

    def label(self, answer: str) -> str:
        """The answer without space around it."""
        return answer.strip()

    def gold(self, method_name: str, target: str | None) -> str | None:
        """What the corpus says, if it does."""
        return (target and self.label(target)) or None

    def follow(self, answer: str, names: Mapping[str, str]) -> str:
        """A class stays; the name of a renamed variable becomes its new one."""
        return permutation(names).get(answer, answer) if self.name == "label:names" else answer

    def same(self, one: str, other: str) -> bool:
        """Whether the labels count as the same."""
        return self.equality.same(one, other)


def load(name: str, equality: str) -> Label:
    """The task with that equality."""
    return Label(permitted(equality, _RULES, "exact"), name)
