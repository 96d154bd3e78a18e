"""Changes to a whole file that move lines: a comment, an empty line, imports in another order.

They are no transformations of methods: what they change lies between the tokens of a file, or in
its head. So they are applied once a file, at a place drawn by chance, and stand here rather than
among those that `metamorph run` knows. None changes what the program means.
"""

import random
from collections.abc import Callable, Iterator

from metamorph.java.edits import Edit
from metamorph.java.layout import begins_line, ends_line, indentation, newline
from metamorph.java.source import line_starts
from metamorph.java.tree import COMMENTS, Tree

_BOM = b"\xef\xbb\xbf"
_WHOLE = COMMENTS | {"string_literal", "character_literal"}
_TEXT = b"// metamorph"

Mover = Callable[[Tree, random.Random], tuple[Edit, ...]]
"""The edits of one file; none where there is no place for them."""


def _comment(tree: Tree, rng: random.Random) -> tuple[Edit, ...]:
    """A comment on a line of its own, indented as the line below."""
    at = rng.choice(_boundaries(tree))
    line = tree.data[at:].partition(b"\n")[0]
    margin = line[: len(line) - len(line.lstrip(b" \t"))]
    return (Edit(at, at, margin + _TEXT + newline(tree.data)),)


def _blank_line(tree: Tree, rng: random.Random) -> tuple[Edit, ...]:
    """An empty line."""
    at = rng.choice(_boundaries(tree))
    return (Edit(at, at, newline(tree.data)),)


def _imports(tree: Tree, rng: random.Random) -> tuple[Edit, ...]:
    """Two imports, each alone on its line, change places."""
    found = list(_whole_line_imports(tree))
    if len(found) < 2:
        return ()
    one, other = sorted(rng.sample(found, 2))
    first, second = tree.data[slice(*one)], tree.data[slice(*other)]
    return () if first == second else (Edit(*one, second), Edit(*other, first))


MOVERS: dict[str, Mover] = {"comment": _comment, "blank-line": _blank_line, "imports": _imports}


def _boundaries(tree: Tree) -> list[int]:
    """Where lines begin, but for those that begin within a comment or a text block."""
    inside = {
        start
        for node in range(len(tree))
        if tree.kind[node] in _WHOLE
        for start in _within(tree.data, tree.start[node], tree.end[node])
    }
    first = len(_BOM) if tree.data.startswith(_BOM) else 0
    return [first, *(at for at in line_starts(tree.data)[1:] if at not in inside)]


def _within(data: bytes, start: int, end: int) -> Iterator[int]:
    """The beginnings of lines behind the start and before the end."""
    at = data.find(b"\n", start, end)
    while 0 <= at < end - 1:
        yield at + 1
        at = data.find(b"\n", at + 1, end)


def _whole_line_imports(tree: Tree) -> Iterator[tuple[int, int]]:
    for node in tree.of_kinds(("import_declaration",)):
        if tree.kind[node] != "import_declaration" or not tree.named[node]:
            continue
        start, end = tree.start[node], tree.end[node]
        alone = begins_line(tree.data, start) and ends_line(tree.data, end)
        if alone and not indentation(tree.data, start) and b"\n" not in tree.data[start:end]:
            yield start, end
