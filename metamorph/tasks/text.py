"""The task text: write something about the method, such as a summary or a completion."""

from collections.abc import Mapping
from dataclasses import dataclass

from metamorph.java.tree import Tree
from metamorph.oracles.equality import Equality, permitted
from metamorph.tasks.renaming import renamed

THRESHOLD = 0.8
"""How alike two texts must be to count as the same, unless the user says otherwise."""

_ALIKE = Equality("similarity", THRESHOLD)
_RULES = ("exact", "ignore-case", "f1", "similarity")
_PROMPT = """\
Summarise in one sentence what the following Java method does.
Answer with the sentence alone.

{code}
"""


@dataclass(frozen=True, slots=True)
class Text:
    """Texts whose spaces and line ends do not count; `text:names` is for code and the like."""

    equality: Equality = _ALIKE
    name: str = "text"

    def code(self, tree: Tree, node: int) -> str:
        """The method's source, its own name included."""
        return tree.text(node)

    def prompt(self, code: str) -> str:
        """Asks for a summary; another text needs the user's own prompt."""
        return _PROMPT.format(code=code)

    def label(self, answer: str) -> str:
        """The text in one line, its words a space apart."""
        return " ".join(answer.split())

    def gold(self, method_name: str, target: str | None) -> str | None:
        """What the corpus says, if it does."""
        return (target and self.label(target)) or None

    def follow(self, answer: str, names: Mapping[str, str]) -> str:
        """With `text:names`, the text in the variant's names; prose stays as it is."""
        return renamed(answer, names) if self.name == "text:names" else answer

    def same(self, one: str, other: str) -> bool:
        """Whether the texts count as the same."""
        return self.equality.same(one, other)


def load(name: str, equality: str) -> Text:
    """The task with that equality."""
    return Text(permitted(equality, _RULES, str(_ALIKE)), name)
