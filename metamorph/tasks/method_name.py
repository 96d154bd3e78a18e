"""The task method-name: name the method, its own name being masked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from metamorph.java.tree import Tree
from metamorph.oracles.equality import EXACT, Equality, permitted

MASK = "METHOD_NAME"
"""What stands in the place of the declared name, as in code2vec and code2seq."""

_RULES = ("exact", "ignore-case", "f1")
_SUBTOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PROMPT = """\
Suggest a name for the following Java method, whose own name was replaced by {mask}.
Answer with the name alone, in camelCase: no code, no quotes, no explanation.

{code}
"""


@dataclass(frozen=True, slots=True)
class MethodName:
    """Names as lower-case subtokens joined by `|`.

    `ignore-case` compares the letters alone, however they are split: `getURL` and `geturl`.
    """

    equality: Equality = EXACT
    name: str = "method-name"

    def code(self, tree: Tree, node: int) -> str:
        """The method's source with its own name masked where it is declared; calls keep it."""
        name = tree.child(node, "name")
        before = tree.data[tree.start[node] : tree.start[name]]
        after = tree.data[tree.end[name] : tree.end[node]]
        return (before + MASK.encode() + after).decode("utf-8", "surrogateescape")

    def prompt(self, code: str) -> str:
        """Asks for the bare name."""
        return _PROMPT.format(mask=MASK, code=code)

    def label(self, answer: str) -> str:
        """The subtokens of a name, in lower case, joined by `|`."""
        return "|".join(part.lower() for part in _SUBTOKEN.findall(answer))

    def gold(self, method_name: str, target: str | None) -> str | None:
        """The declared name, whatever else the corpus says."""
        return self.label(method_name) or None

    def follow(self, answer: str, names: Mapping[str, str]) -> str:
        """The answer as it is: no transformation renames a method."""
        return answer

    def same(self, one: str, other: str) -> bool:
        """Whether the names count as the same."""
        if self.equality.rule == "ignore-case":
            one, other = one.replace("|", ""), other.replace("|", "")
        return self.equality.same(one, other)


def load(name: str, equality: str) -> MethodName:
    """The task with that equality."""
    return MethodName(permitted(equality, _RULES, "exact"), name)
