"""Edits of whole tokens and statements that leave comments and layout in place."""

from collections.abc import Iterator, Sequence

from metamorph.java.edits import Edit
from metamorph.java.layout import begins_line, blank_end, line_start
from metamorph.java.tree import COMMENTS, Tree


def replaced(tree: Tree, nodes: Sequence[int], text: bytes) -> Iterator[Edit]:
    """Neighbouring nodes become `text`; comments among them stay, behind it."""
    for number, (start, end) in enumerate(_runs(tree, nodes)):
        yield Edit(start, end, b"" if number else text)


def erased(tree: Tree, nodes: Sequence[int]) -> Iterator[Edit]:
    """Neighbouring nodes vanish, with their line where nothing else is on it."""
    for start, end in _runs(tree, nodes):
        yield _gap(tree.data, start, end)


def _gap(data: bytes, start: int, end: int) -> Edit:
    rest = blank_end(data, end)
    line_end = data.find(b"\n", rest)
    alone = line_end >= 0 and not data[rest:line_end].strip(b"\r") and begins_line(data, start)
    if alone:
        return Edit(line_start(data, start), line_end + 1, b"")
    return Edit(start, rest, b"")


def _runs(tree: Tree, nodes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The byte ranges of neighbouring nodes, broken by comments, white space between kept in."""
    start = end = -1
    for node in nodes:
        if tree.kind[node] in COMMENTS:
            if start >= 0:
                yield start, end
            start = -1
            continue
        start = tree.start[node] if start < 0 else start
        end = tree.end[node]
    if start >= 0:
        yield start, end
