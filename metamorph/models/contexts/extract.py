"""From a method to its path contexts."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

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
from metamorph.models.contexts.build import Builder, Handler
from metamorph.models.contexts.noted import Noted, noted
from metamorph.models.contexts.paths import Paths
from metamorph.models.contexts.tokens import (
    METHOD_NAME,
    method_label,
    split_token,
    whole_token,
)
from metamorph.models.contexts.writers import Comments, Context, HashWriter, Style, TextWriter

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
    most = MOST if limit is None else limit
    paths = Paths(nodes)
    words = tokens(paths, style, notes)
    writer = HashWriter(paths) if hashed and style == "code2vec" else TextWriter(paths, style)
    found: list[Context] = []
    complete = True
    for group in paths.groups():
        found += writer.contexts(group, words, most + 1)
        if len(found) > most:
            del found[most:]
            complete = False
            break
    return MethodContexts(_name(tree, node), found, complete)


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
    paths = Paths(convert(tree, node))
    within = paths.within()
    total = sum(within[other][budget] for _, _, other, budget in paths.groups())
    picks = range(total) if total <= size else sorted(rng.sample(range(total), size))
    words = tokens(paths, style, {})
    writer = HashWriter(paths) if style == "code2vec" else TextWriter(paths, style)
    found: list[Context] = []
    offset = at = 0
    for group in paths.groups():
        if at == len(picks):
            break
        count = within[group[2]][group[3]]
        if picks[at] < offset + count:
            contexts = writer.contexts(group, words, count)
            while at < len(picks) and picks[at] < offset + count:
                found.append(contexts[picks[at] - offset])
                at += 1
        offset += count
    return MethodContexts(_name(tree, node), found, total <= size)


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


def tokens(paths: Paths, style: Style, notes: Mapping[int, str]) -> dict[int, str]:
    """The token of each leaf; notes: what is printed for those with comments."""
    nodes = paths.nodes
    label, parent, text = nodes.label, nodes.parent, nodes.text
    token = whole_token if style == "code2vec" else split_token
    found = {leaf: token(label[leaf], text[leaf] or "") for leaf in paths.leaves}
    for leaf, note in notes.items():
        found[leaf] = token(label[leaf], text[leaf] or "", note)
    for leaf in paths.leaves:
        if label[leaf] == "NameExpr" and label[parent[leaf]] == "MethodDeclaration":
            found[leaf] = METHOD_NAME
    return found


def _name(tree: Tree, node: int) -> str:
    name = tree.child(node, "name")
    return method_label(tree.text(name) if name >= 0 else "")
