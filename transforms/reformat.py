"""Reformat: white space is changed between tokens, and nothing else.

A control: lines are indented otherwise, blank lines come or go, braces move to lines of their own,
parentheses and commas get or lose their spaces. Literals and comments stay to the byte, and so
does the order of all tokens.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from metamorph.java.edits import Edit
from metamorph.java.layout import indentation, newline
from metamorph.java.methods import Method
from metamorph.java.sites import Refusal, Site
from metamorph.java.tree import COMMENTS, Tree
from metamorph.transforms._protocol import Choices

CODE = "reformat"
NAME = "white space changed"
PLACES = ("single", "all", "random")
CONTROL = True

_UNITS = (b"\t", b"  ", b"   ", b"      ")
_WHOLE = COMMENTS | {"character_literal", "string_literal"}
_CLOSED = frozenset({";", "{", "}", ":", "->", *COMMENTS})


@dataclass(frozen=True, slots=True)
class _Style:
    """How a method is laid out: line end, margin of its first line, and what is chosen."""

    line_end: bytes
    margin: bytes
    unit: bytes
    padded: bool
    airy: bool
    braces_below: bool
    comma: bytes


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """The whole method, once."""
    edits = tuple(_edits(method, _style(method, choices)))
    if edits:
        yield Site(CODE, 0, method.start, edits)
    else:
        yield Refusal(CODE, method.start, "no-white-space-to-change")


def _style(method: Method, choices: Choices) -> _Style:
    """Chosen by chance, but for the parentheses: they get spaces where they have none."""
    tree, rng = method.tree, choices.rng
    parameters = tree.child(method.node, "parameters")
    first = tree.start[parameters] + 1
    return _Style(
        newline(tree.data),
        indentation(tree.data, method.start),
        rng.choice(_UNITS),
        not tree.data[first : first + 1].isspace(),
        rng.random() < 0.5,
        rng.random() < 0.5,
        rng.choice((b"", b"  ")),
    )


def _edits(method: Method, style: _Style) -> Iterator[Edit]:
    """What changes of the white space between each token and the next."""
    tree = method.tree
    data, depth = tree.data, 0
    before = -1
    for token in _tokens(tree, method.node):
        if before >= 0:
            depth += tree.kind[before] == "{"
            depth -= tree.kind[token] == "}"
            start, end = tree.end[before], tree.start[token]
            old = data[start:end]
            if not old.strip(b" \t\r\n\f"):
                new = _gap(style, tree.kind[before], tree.kind[token], old, depth)
                if b"\n" in new and data[start - 1 : start] == b"\r":
                    new = new.removeprefix(b"\r")
                if new != old:
                    yield Edit(start, end, new)
        before = token


def _tokens(tree: Tree, node: int) -> Iterator[int]:
    """The tokens of a subtree; comments and literals are one each."""
    stop = tree.after[node]
    while node < stop:
        if tree.kind[node] in _WHOLE or tree.after[node] == node + 1:
            if tree.start[node] < tree.end[node]:
                yield node
            node = tree.after[node]
        else:
            node += 1


def _gap(style: _Style, before: str, after: str, old: bytes, depth: int) -> bytes:
    """The white space between two tokens; no token is ever joined to another."""
    if b"\n" in old:
        blank = style.airy and before in (";", "}") and after != "}"
        return style.line_end * (1 + blank) + _indent(style, before, depth)
    if after == "{" and before == ")":
        return style.line_end + _indent(style, ";", depth) if style.braces_below else b" "
    if before == "(" or after == ")":
        return b" " if style.padded else b""
    if before == ",":
        return style.comma
    return old


def _indent(style: _Style, before: str, depth: int) -> bytes:
    """The start of a line; what goes on from the line before stands further in."""
    return style.margin + style.unit * (depth + 2 * (before not in _CLOSED))
