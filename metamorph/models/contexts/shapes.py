"""A method's tree in the shape that contexts are made from, and what its leaves are called."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from metamorph.java.tree import COMMENTS, Tree
from metamorph.models.contexts import (
    declarations,
    expressions,
    lambdas,
    operators,
    statements,
    types,
)
from metamorph.models.contexts.build import Builder, Handler, Recorded
from metamorph.models.contexts.noted import Noted, noted
from metamorph.models.contexts.tokens import (
    METHOD_NAME,
    method_label,
    split_token,
    whole_token,
)
from metamorph.models.contexts.writers import Comments, Style

_HANDLERS: dict[str, Handler] = {
    **types.HANDLERS,
    **operators.HANDLERS,
    **expressions.HANDLERS,
    **lambdas.HANDLERS,
    **declarations.HANDLERS,
    **statements.HANDLERS,
}
_LEAVES = {
    kind: _HANDLERS[kind]
    for kind in (
        "boolean_type",
        "floating_point_type",
        "identifier",
        "integral_type",
        "super",
        "this",
        "type_identifier",
        "void_type",
    )
}


@dataclass(frozen=True, slots=True)
class Shape:
    """A method: its label, its nodes, and what is printed for leaves with comments.

    whole: the tree of the method, where these are the nodes of its head only.
    """

    name: str
    nodes: Builder
    notes: Mapping[int, str]
    whole: Tree | None = None

    def tokens(self, style: Style) -> list[str]:
        """The token of each leaf."""
        label, parent, notes = self.nodes.label, self.nodes.parent, self.notes
        token = whole_token if style == "code2vec" else split_token
        found: list[str] = []
        for node, text in enumerate(self.nodes.text):
            if text is None:
                continue
            name = label[node]
            if name == "NameExpr" and label[parent[node]] == "MethodDeclaration":
                found.append(METHOD_NAME)
            elif node in notes:
                found.append(token(name, text, notes[node]))
            else:
                found.append(token(name, text))
        return found


def shape(tree: Tree, node: int, comments: Comments = "strip") -> Shape:
    """The method declaration `node`; comments: `official` for those within it."""
    if comments == "official" and _has_comments(tree, node) and _is_sound(tree, node):
        return Shape(_name(tree, node), *noted(tree, _HANDLERS, node).method(node))
    return Shape(_name(tree, node), convert(tree, node), {})


def shape_in_file(tree: Tree, node: int) -> Shape:
    """The same with the comments of the whole file, some of which may reach into the method."""
    file = noted_file(tree)
    return shape(tree, node) if file is None else Shape(_name(tree, node), *file.method(node))


def convert(tree: Tree, node: int) -> Builder:
    """The method as a JavaParser tree; one with syntax errors keeps the shape of its own tree."""
    sound = _is_sound(tree, node)
    before = tree.earlier if sound and node == 0 else None
    earlier = _recorded(before, tree.most) if before else None
    builder = Builder(tree, _HANDLERS if sound else _LEAVES, earlier)
    builder.run(node)
    return builder


@lru_cache(maxsize=2)
def _recorded(tree: Tree, most: int) -> Recorded:
    """What is built of a method of which variants come, or of its head."""
    return Recorded(tree if most >= len(tree) else tree.head(most), _HANDLERS)


@lru_cache(maxsize=2)
def noted_file(tree: Tree) -> Noted | None:
    """The whole file with its comments given away, if it has comments and no errors."""
    return None if tree.has_error or not _has_comments(tree, 0) else noted(tree, _HANDLERS, 0)


def _has_comments(tree: Tree, node: int) -> bool:
    return bool(tree.of_kinds(COMMENTS, node))


def _is_sound(tree: Tree, node: int) -> bool:
    """Whether a part of a tree has no errors itself; missing tokens are empty."""
    if not tree.has_error:
        return True
    span = range(node, tree.after[node])
    return all(tree.kind[n] != "ERROR" and tree.start[n] < tree.end[n] for n in span)


def _name(tree: Tree, node: int) -> str:
    name = tree.child(node, "name")
    return method_label(tree.text(name) if name >= 0 else "")
