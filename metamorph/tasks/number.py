"""The tasks number and surprise: say a number about the method, such as a score."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from metamorph.java.tree import Tree
from metamorph.oracles.equality import EXACT, Equality, permitted

SURPRISE = "surprise"

_RULES = ("within", "exact")
_DEFAULTS = {"number": EXACT, SURPRISE: Equality("within", 0.1)}
_PROMPT = """\
Rate the following Java method.
Answer with the number alone: no code, no words, no unit.

{code}
"""


@dataclass(frozen=True, slots=True)
class Number:
    """Finite decimal numbers; of `surprise` bits a token, of which none is the right one."""

    equality: Equality = EXACT
    name: str = "number"

    def code(self, tree: Tree, node: int) -> str:
        """The method's source, its own name included."""
        return tree.text(node)

    def prompt(self, code: str) -> str:
        """Asks for a bare number; what it is to rate only the user's own prompt can tell."""
        return _PROMPT.format(code=code)

    def label(self, answer: str) -> str:
        """The number, to twelve digits; "" where it is none."""
        try:
            number = float(answer)
        except ValueError:
            return ""
        return f"{number:.12g}" if isfinite(number) else ""

    def gold(self, method_name: str, target: str | None) -> str | None:
        """What the corpus says, if it does and the number is not a surprise."""
        told = target is not None and self.name != SURPRISE
        return (told and self.label(str(target))) or None

    def follow(self, answer: str, names: Mapping[str, str]) -> str:
        """The number as it is: it names nothing."""
        return answer

    def same(self, one: str, other: str) -> bool:
        """Whether the numbers count as the same."""
        return self.equality.same(one, other)


def load(name: str, equality: str) -> Number:
    """The task with that equality."""
    return Number(permitted(equality, _RULES, str(_DEFAULTS[name])), name)
