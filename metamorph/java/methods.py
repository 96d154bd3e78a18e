"""Methods with a body: the programs of a study."""

from collections.abc import Iterator
from dataclasses import dataclass

from metamorph.java.source import SourceFile, line_of, line_starts
from metamorph.java.tree import Tree

_TYPES = frozenset(
    {
        "annotation_type_declaration",
        "class_declaration",
        "enum_declaration",
        "interface_declaration",
        "record_declaration",
    }
)


@dataclass(frozen=True, slots=True)
class Method:
    """A method declaration that has a body, in its file.

    node, body: indices in `tree`; owner: the names of the classes around it, dotted, "" for a
    bare method; line: 1-based line of its first byte; index: its place among the file's methods.
    """

    file: SourceFile
    tree: Tree
    node: int
    body: int
    name: str
    owner: str
    line: int
    index: int

    @property
    def start(self) -> int:
        """Byte offset of the declaration (its modifiers included, its Javadoc not)."""
        return self.tree.start[self.node]

    @property
    def end(self) -> int:
        """Byte offset after the body's closing brace."""
        return self.tree.end[self.node]

    @property
    def title(self) -> str:
        """The readable name: `StringUtils.indexOf`."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


def methods(file: SourceFile, tree: Tree) -> Iterator[Method]:
    """Every method with a body in source order, those of nested and anonymous classes too.

    Constructors, initialisers, lambdas and methods without a body are no methods of the study.
    """
    starts = line_starts(file.data)
    owners: dict[int, str] = {-1: ""}
    found = 0
    for node in tree.of_kinds(("method_declaration",)):
        name, body = tree.child(node, "name"), tree.child(node, "body")
        if name < 0 or body < 0:
            continue
        line = line_of(starts, tree.start[node])
        owner = _owner(tree, tree.parent[node], owners)
        yield Method(file, tree, node, body, tree.text(name), owner, line, found)
        found += 1


def _owner(tree: Tree, node: int, known: dict[int, str]) -> str:
    """The dotted names of the classes that a node is, or lies in.

    known: what was found so far, by node, so that deep trees are walked up once.
    """
    passed = []
    while node not in known:
        passed.append(node)
        node = tree.parent[node]
    owner = known[node]
    for below in reversed(passed):
        if name := _class_name(tree, below):
            owner = f"{owner}.{name}" if owner else name
        known[below] = owner
    return owner


def _class_name(tree: Tree, node: int) -> str:
    """The name of a class, "" for other nodes."""
    if tree.kind[node] in _TYPES:
        name = tree.child(node, "name")
        return tree.text(name) if name >= 0 else "?"
    return "<anonymous>" if tree.kind[node] == "object_creation_expression" else ""
