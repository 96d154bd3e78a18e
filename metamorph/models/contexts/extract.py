"""From a method to its path contexts."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from metamorph.errors import UserError
from metamorph.java.tree import COMMENTS, Tree
from metamorph.models.contexts import (
    declarations,
    expressions,
    lambdas,
    operators,
    statements,
    types,
)
from metamorph.models.contexts.bags import Bags, drawn, first
from metamorph.models.contexts.build import Builder, Handler
from metamorph.models.contexts.forest import NARROW, Flags, Forest, Longs
from metamorph.models.contexts.noted import Noted, noted
from metamorph.models.contexts.tokens import (
    METHOD_NAME,
    method_label,
    split_token,
    whole_token,
)
from metamorph.models.contexts.writers import Comments, Context, Style, hashes, texts

MOST = 300_000
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
class MethodContexts:
    """A method's label and its contexts (token, path, token) in the official order.

    complete: False where a limit cut the list.
    """

    name: str
    contexts: list[Context]
    complete: bool

    def line(self) -> str:
        """The line that the official extractor prints."""
        return " ".join([self.name, *(",".join(context) for context in self.contexts)])


@dataclass(frozen=True, slots=True)
class Numbers:
    """The contexts of several methods, method after method.

    tokens: the distinct ones; left, right: of each context, by their places there; hashes: the
    paths; starts: where each method's begin, and their number; complete: False where a limit cut.
    """

    tokens: list[str]
    left: Longs
    hashes: npt.NDArray[np.int32]
    right: Longs
    starts: Longs
    complete: list[bool]


def extract(
    tree: Tree,
    node: int,
    style: Style,
    limit: int | None = None,
    hashed: bool = True,
    comments: Comments = "strip",
) -> MethodContexts:
    """The first `limit` contexts of the method declaration `node`, or all, but at most MOST.

    comments: `strip` for the contexts of the method without its comments, `official` for those
    that the official extractor makes of the method alone, with the comments within it. What
    stands around it in `tree` never matters.
    """
    if comments == "official" and _has_comments(tree, node) and _is_sound(tree, node):
        return _extracted(
            tree, node, *noted(tree, _HANDLERS, node).method(node), style, limit, hashed
        )
    return _extracted(tree, node, convert(tree, node), {}, style, limit, hashed)


def extract_numbers(programs: Sequence[tuple[Tree, int]], limit: int) -> Numbers:
    """The first `limit` contexts of several methods for code2vec, as numbers."""
    tokens: dict[str, int] = {}
    parts = [_numbers(trees, limit, tokens) for trees in _together(programs)]
    left, paths, right, counts, complete = (
        np.concatenate(each) for each in zip(*parts, strict=True)
    )
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return Numbers(list(tokens), left, paths, right, starts, complete.tolist())


def _together(programs: Sequence[tuple[Tree, int]]) -> Iterator[list[Builder]]:
    """The trees of methods, as many at a time as are quick to look at together."""
    trees: list[Builder] = []
    size = 0
    for tree, node in programs:
        nodes = convert(tree, node)
        if trees and size + len(nodes.label) >= NARROW:
            yield trees
            trees, size = [], 0
        trees.append(nodes)
        size += len(nodes.label)
    yield trees


def _numbers(
    trees: Sequence[Builder], limit: int, known: dict[str, int]
) -> tuple[Longs, npt.NDArray[np.int32], Longs, Longs, Flags]:
    """Contexts as numbers, how many each tree has, and whether it has no more; tokens are added."""
    forest = Forest(trees)
    bags = first(forest, limit)
    words = [word for nodes in trees for word in tokens(nodes, "code2vec", {})]
    numbers = np.array([known.setdefault(word, len(known)) for word in words], dtype=np.int64)
    pairs = bags.pairs
    paths = hashes(trees, forest, pairs)
    return numbers[pairs.left], paths, numbers[pairs.right], np.diff(bags.starts), bags.complete


def extract_in_file(
    tree: Tree, node: int, style: Style, limit: int | None = None, hashed: bool = True
) -> MethodContexts:
    """The same with the comments of the whole file, some of which may reach into the method."""
    file = noted_file(tree)
    if file is None:
        return extract(tree, node, style, limit, hashed)
    return _extracted(tree, node, *file.method(node), style, limit, hashed)


def _extracted(
    tree: Tree,
    node: int,
    nodes: Builder,
    notes: Mapping[int, str],
    style: Style,
    limit: int | None,
    hashed: bool,
) -> MethodContexts:
    forest = Forest([nodes])
    bags = first(forest, MOST if limit is None else limit)
    words = tokens(nodes, style, notes)
    return _told(tree, node, nodes, forest, bags, style, hashed, words)


def _told(
    tree: Tree,
    node: int,
    nodes: Builder,
    forest: Forest,
    bags: Bags,
    style: Style,
    hashed: bool,
    words: Sequence[str],
) -> MethodContexts:
    """The contexts in words."""
    pairs = bags.pairs
    if hashed and style == "code2vec":
        paths: Iterable[str] = map(str, hashes([nodes], forest, pairs).tolist())
    else:
        paths = texts(nodes, forest, style, pairs)
    left = map(words.__getitem__, pairs.left.tolist())
    right = map(words.__getitem__, pairs.right.tolist())
    found = list(zip(left, paths, right, strict=True))
    return MethodContexts(_name(tree, node), found, bool(bags.complete[0]))


def checked_comments(told: str) -> Comments:
    """What a user says of comments, if contexts can be made that way."""
    if told == "strip":
        return "strip"
    if told == "official":
        return "official"
    raise UserError(f"--comments {told}: unknown; give strip or official")


def no_comments(told: str) -> None:
    """Refuse what a user says of comments for a model that was trained without them."""
    if checked_comments(told) != "strip":
        way_out = "leave it out, or give an official checkpoint"
        raise UserError(f"--comments {told}: this model was trained without comments; {way_out}")


def sample(tree: Tree, node: int, style: Style, size: int, rng: random.Random) -> MethodContexts:
    """At most `size` contexts, drawn uniformly without repetition, in the official order."""
    nodes = convert(tree, node)
    forest = Forest([nodes])
    bags = drawn(forest, size, rng)
    return _told(tree, node, nodes, forest, bags, style, True, tokens(nodes, style, {}))


def convert(tree: Tree, node: int) -> Builder:
    """The method as a JavaParser tree; one with syntax errors keeps the shape of its own tree."""
    builder = Builder(tree, _HANDLERS if _is_sound(tree, node) else _LEAVES)
    builder.run(node)
    return builder


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


def tokens(nodes: Builder, style: Style, notes: Mapping[int, str]) -> list[str]:
    """The token of each leaf; notes: what is printed for those with comments."""
    label, parent = nodes.label, nodes.parent
    token = whole_token if style == "code2vec" else split_token
    found: list[str] = []
    for node, text in enumerate(nodes.text):
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


def _name(tree: Tree, node: int) -> str:
    name = tree.child(node, "name")
    return method_label(tree.text(name) if name >= 0 else "")
