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
    found = 0
    for node in tree.of_kinds(("method_declaration",)):
        name, body = tree.child(node, "name"), tree.child(node, "body")
        if name < 0 or body < 0:
            continue
        line = line_of(starts, tree.start[node])
        owner = _owner(tree, node)
        yield Method(file, tree, node, body, tree.text(name), owner, line, found)
        found += 1


def _owner(tree: Tree, node: int) -> str:
    names = []
    for above in tree.ancestors(node):
        if tree.kind[above] in _TYPES:
            name = tree.child(above, "name")
            names.append(tree.text(name) if name >= 0 else "?")
        elif tree.kind[above] == "object_creation_expression":
            names.append("<anonymous>")
    return ".".join(reversed(names))
