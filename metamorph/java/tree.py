"""Java syntax trees, parsed by tree-sitter and flattened once into plain lists.

A node is an index. Indices run in pre-order, so a subtree is the range `node .. after[node]`,
and a pass over a tree is a loop over integers: no recursion, no tree-sitter object in sight.
"""

from collections.abc import Iterator

import tree_sitter
import tree_sitter_java_orchard

_LANGUAGE = tree_sitter.Language(tree_sitter_java_orchard.language())
_PARSER = tree_sitter.Parser(_LANGUAGE)
_KINDS = [_LANGUAGE.node_kind_for_id(i) or "" for i in range(_LANGUAGE.node_kind_count)]
_NAMED = [_LANGUAGE.node_kind_is_named(i) for i in range(_LANGUAGE.node_kind_count)]
_FIELDS = ["", *(_LANGUAGE.field_name_for_id(i + 1) or "" for i in range(_LANGUAGE.field_count))]
_ERROR_ID = 65535

COMMENTS = frozenset({"line_comment", "block_comment"})


class Tree:
    """A flattened syntax tree over untouched bytes; every list has one entry a node.

    kind: the grammar's node kind; start, end: byte offsets; parent: index or -1; field: the
    field that the node fills in its parent, or ""; after: index after the subtree's last node;
    named: False for punctuation, operators and keywords.
    """

    __slots__ = ("after", "data", "end", "field", "kind", "named", "parent", "start", "syntax")

    def __init__(self, data: bytes, syntax: tree_sitter.Tree, root: tree_sitter.Node) -> None:
        self.data = data
        self.syntax = syntax
        self.kind: list[str] = []
        self.start: list[int] = []
        self.end: list[int] = []
        self.parent: list[int] = []
        self.field: list[str] = []
        self.after: list[int] = []
        self.named: list[bool] = []
        _flatten(self, root)

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def has_error(self) -> bool:
        """Whether any node of the whole parse is an ERROR or MISSING node."""
        return self.syntax.root_node.has_error

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
        fields = self.field
        for child in self.children(node):
            if fields[child] == field:
                return child
        return -1

    def child_of_kind(self, node: int, kind: str) -> int:
        """The first child of that kind, or -1."""
        kinds = self.kind
        for child in self.children(node):
            if kinds[child] == kind:
                return child
        return -1

    def ancestors(self, node: int) -> Iterator[int]:
        """The parent, its parent, and so on up to the root."""
        node = self.parent[node]
        while node >= 0:
            yield node
            node = self.parent[node]


def parse(data: bytes) -> Tree:
    """Parse a file, or a bare method without a class."""
    syntax = _PARSER.parse(data)
    return Tree(data, syntax, syntax.root_node)


def parse_syntax(data: bytes) -> tree_sitter.Tree:
    """Parse without flattening."""
    return _PARSER.parse(data)


def parse_method(text: bytes) -> Tree | None:
    """The tree of a method's text by itself, node 0 being its declaration; None if it is none.

    A method parses alone as it does among the members of its class.
    """
    syntax = _PARSER.parse(text)
    node = syntax.root_node.named_child(0)
    if node is None or node.type != "method_declaration":
        return None
    return Tree(text, syntax, node)


def _flatten(tree: Tree, root: tree_sitter.Node) -> None:
    """Fill the lists in pre-order with one cursor."""
    kinds, fields, named_kinds = _KINDS, _FIELDS, _NAMED
    kind, start, end, parent = tree.kind, tree.start, tree.end, tree.parent
    field, after, named = tree.field, tree.after, tree.named
    cursor = root.walk()
    above = -1
    while True:
        node = cursor.node
        assert node is not None
        kind_id = node.kind_id
        index = len(kind)
        if kind_id == _ERROR_ID:
            kind.append("ERROR")
            named.append(True)
        else:
            kind.append(kinds[kind_id])
            named.append(named_kinds[kind_id])
        start.append(node.start_byte)
        end.append(node.end_byte)
        parent.append(above)
        field.append(fields[cursor.field_id or 0])
        after.append(0)
        if cursor.goto_first_child():
            above = index
            continue
        after[index] = index + 1
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            after[above] = len(kind)
            above = parent[above]
