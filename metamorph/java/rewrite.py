"""Edits of whole tokens and statements that leave comments and layout in place."""

from collections.abc import Iterable, Iterator

from metamorph.java.edits import Edit
from metamorph.java.layout import begins_line, blank_end, blank_start, ends_line, line_start
from metamorph.java.tree import COMMENTS, Tree


def replaced(tree: Tree, nodes: Iterable[int], text: bytes) -> Iterator[Edit]:
    """Neighbouring nodes become `text`; comments within and between them stay, behind it."""
    for number, (start, end) in enumerate(_runs(tree, nodes)):
        yield Edit(start, end, b"" if number else text)


def erased(tree: Tree, nodes: Iterable[int]) -> Iterator[Edit]:
    """Neighbouring nodes vanish, with their line where nothing else is on it, or the space."""
    for start, end in _runs(tree, nodes):
        yield _gap(tree.data, start, end)


def code_of(tree: Tree, node: int) -> bytes:
    """The text of a node, with a space for each comment in it."""
    pieces, at = [], tree.start[node]
    for inner in range(node, tree.after[node]):
        if tree.kind[inner] in COMMENTS:
            pieces.append(tree.data[at : tree.start[inner]].rstrip())
            at = blank_end(tree.data, tree.end[inner])
    return b" ".join([*pieces, tree.data[at : tree.end[node]]])


def _gap(data: bytes, start: int, end: int) -> Edit:
    rest = blank_end(data, end)
    if not ends_line(data, rest):
        return Edit(start, rest, b"")
    if begins_line(data, start):
        return Edit(line_start(data, start), data.index(b"\n", rest) + 1, b"")
    before = blank_start(data, start)
    return Edit(before if data[before - 1 : before] in (b";", b"}") else start, rest, b"")


def _runs(tree: Tree, nodes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The byte ranges of the nodes, broken by comments, white space between kept in."""
    start = end = -1
    for node in nodes:
        part = node
        while part < tree.after[node]:
            if tree.kind[part] in COMMENTS:
                if start >= 0:
                    yield start, end
                start = -1
            elif COMMENTS.isdisjoint(tree.kind[part : tree.after[part]]):
                start = tree.start[part] if start < 0 else start
                end = tree.end[part]
            else:
                part += 1
                continue
            part = tree.after[part]
    if start >= 0:
        yield start, end
