"""Unused statement: a String variable that nothing reads is declared somewhere in a block.

Each block of the method is a site; where in the block the declaration goes is drawn by the
seed. It never stands where control cannot come, nor before `this(...)` or `super(...)`, nor where
javac may then write a wrong stack map.
"""

from collections.abc import Iterator

from metamorph.java.edits import Edit
from metamorph.java.flow import flow, statements
from metamorph.java.layout import begins_line, deeper, indentation, line_start, newline
from metamorph.java.methods import Method
from metamorph.java.sites import Refusal, Site
from metamorph.java.stack_maps import REASON, StackMaps, stack_maps
from metamorph.java.tree import COMMENTS, Tree
from metamorph.java.types import file_types, means
from metamorph.transforms._protocol import Choices

CODE = "UN"
NAME = "unused statement"
PLACES = ("single", "random")


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """Every block of the method, nested and empty ones too."""
    tree, found = method.tree, 0
    types = file_types(tree)
    known = means(types, "String", "java.lang.String") and not types.doubt
    maps = stack_maps(tree, method.body)
    for node in tree.of_kinds(("block", "constructor_body"), method.body):
        if not known:
            reason = types.doubt or "string-means-another-class"
            yield Refusal(CODE, tree.start[node], reason)
            continue
        spots = _spots(tree, node, maps)
        if not spots:
            yield Refusal(CODE, tree.start[node], REASON)
            continue
        name = choices.fresh()
        declaration = f'String {name} = "unused";'.encode()
        edit = _insertion(tree, node, choices.rng.choice(spots), declaration)
        yield Site(CODE, found, edit.start, (edit,), fresh=(name,))
        found += 1


def _spots(tree: Tree, block: int, maps: StackMaps) -> list[int]:
    """The children of the block that a statement may go before; its brace at the end is one."""
    inside = statements(tree, block)
    calls = (s for s in inside if tree.kind[s] == "explicit_constructor_invocation")
    last_call = max(calls, default=-1)
    spots = [s for s in inside if s > last_call]
    if flow(tree).completes(block):
        spots.append(tree.after[block] - 1)
    return [spot for spot in spots if not maps.doubt(tree.start[spot])]


def _insertion(tree: Tree, block: int, spot: int, declaration: bytes) -> Edit:
    """Above the spot and the comments that stand over it."""
    data = tree.data
    at = tree.start[_with_comments(tree, block, spot)]
    closing = spot == tree.after[block] - 1
    if not begins_line(data, at):
        before = b" " if data[at - 1 : at] == b"{" else b""
        return Edit(at, at, before + declaration + b" ")
    line = line_start(data, at)
    margin = indentation(data, at)
    if closing:
        inside = statements(tree, block)
        first = tree.start[inside[0]] if inside else 0
        own_line = bool(inside) and begins_line(data, first)
        margin = indentation(data, first) if own_line else deeper(margin)
    return Edit(line, line, margin + declaration + newline(data))


def _with_comments(tree: Tree, block: int, spot: int) -> int:
    """The first of the comments on lines of their own directly above, or the spot itself."""
    children = list(tree.children(block))
    index = children.index(spot)
    while index > 1:
        above = children[index - 1]
        gap = tree.data[tree.end[above] : tree.start[children[index]]]
        alone = begins_line(tree.data, tree.start[above])
        if tree.kind[above] not in COMMENTS or not alone or gap.count(b"\n") != 1:
            break
        index -= 1
    return children[index]
