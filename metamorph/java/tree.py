"""Java syntax trees, parsed by tree-sitter and flattened once into plain lists.

A node is an index. Indices run in pre-order, so a subtree is the range `node .. after[node]`,
and a pass over a tree is a loop over integers: no recursion, no tree-sitter object in sight.
"""

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import tree_sitter

from metamorph import limits
from metamorph.java.flattening import LANGUAGE, Earlier, Lists, flatten, places
from metamorph.limits import Guard, OverLimitError

_PARSER = tree_sitter.Parser(LANGUAGE)
_NOWHERE = (0, 0)
"""Edits of a parsed tree ask for lines and columns too, which nothing here reads."""
_LISTS = ("kind", "start", "end", "parent", "field", "after", "named")
_MADE = frozenset({*_LISTS, "taken"})
_SMALL = 4096
"""Texts of fewer bytes are parsed in seconds, whatever they are."""
_CHUNK = 65_536
_MOST_ANGLES = 5000
"""Of more `<` that nothing closes the parser makes a square of work, in one step."""
_MANY_EDITS = 64
"""So many are not told to the parser one by one: each costs the depth of the tree."""

COMMENTS = frozenset({"line_comment", "block_comment"})


class Tree:
    """A flattened syntax tree over untouched bytes; every list has one entry a node.

    kind: the grammar's node kind; start, end: byte offsets; parent: index or -1; field: the
    field that the node fills in its parent, or ""; after: index after the subtree's last node;
    named: False for punctuation, operators and keywords. The lists are made when one of them is
    first asked for: many a tree is only parsed to see that it can be. earlier: the tree of the
    text before its edits, where it is known; taken: nodes that are the same there, with their
    indices there, the outermost of them only. most: what a `head` goes by.
    """

    __slots__ = (
        "_by_kind",
        "_edits",
        "_places",
        "_root",
        "data",
        "earlier",
        "most",
        "syntax",
        *_MADE,
    )

    kind: list[str]
    start: list[int]
    end: list[int]
    parent: list[int]
    field: list[str]
    after: list[int]
    named: list[bool]
    taken: dict[int, int]

    def __init__(
        self,
        data: bytes,
        syntax: tree_sitter.Tree,
        root: tree_sitter.Node,
        earlier: "Tree | None" = None,
        edits: Sequence[tuple[int, int, int]] = (),
        most: int = sys.maxsize,
    ) -> None:
        self.data = data
        self.syntax = syntax
        self.earlier = earlier
        self.most = most
        self._edits = edits
        self._root = root
        self._by_kind: dict[str, list[int]] | None = None
        self._places: dict[tuple[int, int], int] | None = None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> list:
            """One of the lists, none of which has been made."""
            if name not in _MADE:
                raise AttributeError(name)
            self._flatten()
            return getattr(self, name)

    def _flatten(self) -> None:
        before = None if self.earlier is None else self.earlier.before(self._edits)
        lists, self.taken = flatten(self._root, before, self.most)
        for name in _LISTS:
            setattr(self, name, getattr(lists, name))

    def before(self, edits: Sequence[tuple[int, int, int]]) -> Earlier:
        """This tree as what the tree of the edited text is made from."""
        lists = Lists(*(getattr(self, name) for name in _LISTS))
        if self._places is None:
            self._places = places(lists)
        return Earlier(lists, self._places, edits)

    def head(self, most: int) -> "Tree":
        """A method's tree without the statements of its body that have `most` nodes before them."""
        return Tree(self.data, self.syntax, self._root, self.earlier, self._edits, most)

    def __len__(self) -> int:
        return self._root.descendant_count

    @property
    def has_error(self) -> bool:
        """Whether any node of the whole parse is an ERROR or MISSING node."""
        return self.syntax.root_node.has_error

    @property
    def is_whole(self) -> bool:
        """Whether the first node ends where the text does."""
        return self._root.end_byte == len(self.data)

    def of_kinds(self, kinds: Iterable[str], within: int = 0) -> list[int]:
        """The nodes of these kinds, tokens of that name too, in a subtree, in source order."""
        if self._by_kind is None:
            self._by_kind = _by_kind(self.kind)
        stop = self.after[within]
        found: list[int] = []
        for kind in kinds:
            nodes = self._by_kind.get(kind)
            if nodes:
                first = bisect_left(nodes, within)
                found += nodes[first : bisect_left(nodes, stop, first)]
        found.sort()
        return found

    def bytes_of(self, node: int) -> bytes:
        """The source bytes of a node."""
        return self.data[self.start[node] : self.end[node]]

    def text(self, node: int) -> str:
        """The source text of a node; bytes that are not UTF-8 are kept as surrogates."""
        return self.data[self.start[node] : self.end[node]].decode("utf-8", "surrogateescape")

    def children(self, node: int) -> Iterator[int]:
        """All children in source order: named nodes, tokens and comments."""
        after = self.after
        child, stop = node + 1, after[node]
        while child < stop:
            yield child
            child = after[child]

    def named_children(self, node: int) -> Iterator[int]:
        """The named children in source order, without comments."""
        named, kind = self.named, self.kind
        return (c for c in self.children(node) if named[c] and kind[c] not in COMMENTS)

    def child(self, node: int, field: str) -> int:
        """The first child that fills `field`, or -1."""
        fields, after = self.field, self.after
        child, stop = node + 1, after[node]
        while child < stop:
            if fields[child] == field:
                return child
            child = after[child]
        return -1

    def child_of_kind(self, node: int, kind: str) -> int:
        """The first child of that kind, or -1."""
        kinds, after = self.kind, self.after
        child, stop = node + 1, after[node]
        while child < stop:
            if kinds[child] == kind:
                return child
            child = after[child]
        return -1

    def ancestors(self, node: int) -> Iterator[int]:
        """The parent, its parent, and so on up to the root."""
        node = self.parent[node]
        while node >= 0:
            yield node
            node = self.parent[node]


def parse(data: bytes) -> Tree:
    """Parse a file, or a bare method without a class."""
    syntax = _parsed(data)
    return Tree(data, syntax, syntax.root_node)


def parse_syntax(data: bytes) -> tree_sitter.Tree:
    """Parse without flattening."""
    return _parsed(data)


def parse_method(text: bytes) -> Tree | None:
    """The tree of a method's text by itself, node 0 being its declaration; None if it is none.

    A method parses alone as it does among the members of its class.
    """
    return _declaration(text, _parsed(text))


def parse_edited(
    original: bytes, edits: Sequence[tuple[int, int, int]], text: bytes
) -> Tree | None:
    """What `parse_method` makes of `text`, from what it made of the original: 3 times as fast.

    edits: start and end in the original, and the length of the new text, by position. An error
    is looked at afresh, for it may be told differently.
    """
    if len(edits) > _MANY_EDITS:
        return parse_method(text)
    before, earlier = _alone(original)
    if before.root_node.has_error:
        return parse_method(text)
    edited = before.copy()
    for start, end, length in reversed(edits):
        edited.edit(start, end, start + length, _NOWHERE, _NOWHERE, _NOWHERE)
    syntax = _parsed(text, edited)
    if syntax.root_node.has_error:
        return parse_method(text)
    return _declaration(text, syntax, earlier, edits)


@lru_cache(maxsize=2)
def _alone(text: bytes) -> tuple[tree_sitter.Tree, Tree | None]:
    syntax = _parsed(text)
    return syntax, _declaration(text, syntax)


def _parsed(data: bytes, before: tree_sitter.Tree | None = None) -> tree_sitter.Tree:
    """Parse, within the limits of the work in hand: some garbage takes the parser for ever."""
    guard = limits.current()
    if guard is None or len(data) < _SMALL:
        return _PARSER.parse(data) if before is None else _PARSER.parse(data, before)
    if data.count(b"<") > _MOST_ANGLES and _open_angles(data) > _MOST_ANGLES:
        raise OverLimitError(limits.TIME)
    return _guarded(data, before, guard)


def _guarded(data: bytes, before: tree_sitter.Tree | None, guard: Guard) -> tree_sitter.Tree:
    """Parse, and look at the limits now and then."""
    calls = 0
    reason = ""

    def read(at: int, point: object) -> bytearray:
        _CHUNK_READ[:] = data[at : at + _CHUNK] if at else data
        return _CHUNK_READ

    def is_over(offset: int, has_error: bool) -> bool:
        nonlocal calls, reason
        calls += 1
        if calls % 64 == 0:
            reason = guard.over()
        return bool(reason)

    guard.held = True
    try:
        if before is None:
            return _PARSER.parse(read, progress_callback=is_over)
        return _PARSER.parse(read, before, progress_callback=is_over)
    except ValueError as error:
        _PARSER.reset()
        raise OverLimitError(reason or limits.TIME) from error
    finally:
        guard.held = False
        _CHUNK_READ.clear()


_CHUNK_READ = bytearray()
"""What the parser reads from: it never lets go of an object that it was given, so there is one."""


def _open_angles(data: bytes) -> int:
    """The most `<` that stand in one statement and nothing in it closes; shifts are none."""
    statements = _code(data).replace(b"<<", b"").translate(_TO_SEMICOLON).split(b";")
    return max(s.count(b"<") - s.count(b">") for s in statements)


def _code(data: bytes) -> bytes:
    """The text without literals and comments; all of it where the parser may see others."""
    if b"\\{" in data or data.rfind(b"/*") > data.rfind(b"*/"):
        return data
    code = _QUOTED.sub(lambda found: b'"' if found["end"] == b"" else b" ", data)
    return data if b'"' in code or b"'" in code else code


_QUOTED = re.compile(
    rb'"""(?s:.*?)"""|"[^"\\\n]*(?:\\.[^"\\\n]*)*(?P<end>"?)'
    rb"|'(?:[^'\\\n]{1,4}|\\.[0-9A-Fa-fu]{0,9})'|//[^\n]*|/\*(?s:.*?)\*/"
)
"""Literals and comments; of a string that its line does not close, `end` is empty."""

_TO_SEMICOLON = bytes.maketrans(b"{}", b";;")


def _declaration(
    text: bytes,
    syntax: tree_sitter.Tree,
    earlier: Tree | None = None,
    edits: Sequence[tuple[int, int, int]] = (),
) -> Tree | None:
    node = syntax.root_node.named_child(0) if syntax.root_node.named_child_count else None
    if node is None or node.type != "method_declaration":
        return None
    return Tree(text, syntax, node, earlier, edits)


def _by_kind(kinds: list[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for node, kind in enumerate(kinds):
        if kind in found:
            found[kind].append(node)
        else:
            found[kind] = [node]
    return found
