"""Variable renaming: a local variable or parameter and every name that means it become `varN`.

Never touched: fields, whatever follows a dot, method names, labels, types, annotation elements,
and variables of the same name in another scope.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from metamorph.java.edits import Edit
from metamorph.java.methods import Method
from metamorph.java.scopes import Binding, declared_within
from metamorph.java.sites import Refusal, Site
from metamorph.java.tree import COMMENTS, Tree
from metamorph.transforms._protocol import Choices

CODE = "VN"
NAME = "variable renaming"
PLACES = ("single", "all", "random")

_TAG = re.compile(rb"^(?:[ \t]*\**|/\*\*+|///+)[ \t]*@param[\s*]+([\w$\x80-\xff]+)", re.MULTILINE)


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """Every variable that is declared within the method, in source order."""
    tree = method.tree
    lambdas = _serializable_lambdas(tree, method.node)
    index = 0
    for binding in declared_within(tree, method.node):
        anchor = tree.start[binding.node]
        if binding.kind == "field":
            if tree.kind[binding.owner] == "record_declaration" and _is_component(tree, binding):
                yield Refusal(CODE, anchor, "record-component")
        elif binding.doubt:
            yield Refusal(CODE, anchor, binding.doubt)
        elif any(_gives_name_to(tree, binding, each) for each in lambdas):
            yield Refusal(CODE, anchor, "serializable-lambda")
        else:
            new = choices.fresh()
            edits = tuple(_edits(tree, binding, new.encode()))
            yield Site(CODE, index, anchor, edits, names=((binding.name, new),), fresh=(new,))
            index += 1


def _is_component(tree: Tree, binding: Binding) -> bool:
    """Whether it is a record's component: its name is that of an accessor too."""
    return tree.kind[binding.declaration] in ("formal_parameter", "spread_parameter")


def _serializable_lambdas(tree: Tree, node: int) -> list[int]:
    """The lambdas within a node that a cast makes serializable."""
    if b"Serializable" not in tree.bytes_of(node):
        return []
    return [
        each
        for each in tree.of_kinds(("lambda_expression",), node)
        if tree.kind[tree.parent[each]] == "cast_expression"
        and b"Serializable" in tree.data[tree.start[tree.parent[each]] : tree.start[each]]
    ]


def _gives_name_to(tree: Tree, binding: Binding, each: int) -> bool:
    """Whether the name of a serializable lambda's method, which streams hold, depends on it.

    javac makes that name from the variables that the lambda captures or is assigned to.
    """
    inside = range(each, tree.after[each])
    captured = binding.node not in inside and any(node in inside for node in binding.references)
    return captured or binding.declaration < each < tree.after[binding.declaration]


def _edits(tree: Tree, binding: Binding, new: bytes) -> Iterator[Edit]:
    for node in (binding.node, *binding.references):
        yield Edit(tree.start[node], tree.end[node], new)
    if binding.kind == "parameter":
        name = tree.bytes_of(binding.node)
        for tag, start, end in _javadoc_names(tree, binding.owner):
            if tag == name:
                yield Edit(start, end, new)


@lru_cache(maxsize=2)
def _javadoc_names(tree: Tree, declaration: int) -> list[tuple[bytes, int, int]]:
    """The names that the Javadoc of a method or constructor has behind `@param`, and where."""
    return [
        (match[1], tree.start[comment] + match.start(1), tree.start[comment] + match.end(1))
        for comment in _javadoc(tree, declaration)
        for match in _TAG.finditer(tree.bytes_of(comment))
    ]


def _javadoc(tree: Tree, declaration: int) -> list[int]:
    """The comments of the Javadoc directly above: one block, or lines of three slashes."""
    lines: list[int] = []
    for node in range(declaration - 1, -1, -1):
        if tree.kind[node] not in COMMENTS or tree.parent[node] != tree.parent[declaration]:
            break
        text = tree.bytes_of(node)[:3]
        if text == b"///":
            lines.append(node)
        elif lines:
            break
        elif text == b"/**":
            return [node]
    return lines
