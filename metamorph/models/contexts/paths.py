"""Paths between leaves: which pairs there are, and how their paths are written or hashed."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from metamorph.models.contexts.build import Builder
from metamorph.models.contexts.names import SHORT

Style = Literal["code2vec", "code2seq"]
# A way down from a node to a leaf below: the leaf, how many nodes, its text, or its hash and
# 31 ** its length.
TextWay = tuple[int, int, str]
HashWay = tuple[int, int, int, int]
# Pairs of one leaf with the leaves below one node: leaf, node above both, top of the other side,
# how many nodes may follow down.
Group = tuple[int, int, int, int]

MAX_LENGTH = 8
MAX_WIDTH = 2
_MAX_CHILD_ID = 3
_LISTED = 2048
_MASK = 0xFFFFFFFF
_SIGN = 0x80000000
_KEEP_ID = frozenset({"ArrayAccessExpr", "FieldAccessExpr", "MethodCallExpr"})


@lru_cache(maxsize=1 << 12)
def keeps_id(label: str) -> bool:
    """Whether nodes of this type make the extractor write child ids."""
    return label in _KEEP_ID or label.startswith("AssignExpr")


def java_hash(text: str) -> int:
    """Java's String.hashCode as an unsigned number."""
    value = 0
    for character in text:
        value = (value * 31 + ord(character)) & _MASK
    return value


@lru_cache(maxsize=1 << 16)
def _text(style: Style, label: str, child_id: int, before: str, after: str) -> str:
    if style == "code2vec":
        return f"{before}({label}{child_id if child_id >= 0 else ''}){after}"
    number = min(child_id, _MAX_CHILD_ID) if child_id >= 0 else ""
    return f"{before and '|'}{SHORT.get(label, label)}{number}{after and '|'}"


@lru_cache(maxsize=1 << 16)
def _hash(label: str, child_id: int, before: str, after: str) -> tuple[int, int]:
    text = _text("code2vec", label, child_id, before, after)
    return java_hash(text), pow(31, len(text), _MASK + 1)


class Paths:
    """The leaves of one method's tree, and the paths between them in the official order."""

    __slots__ = ("_hash_ways", "_kids", "_place", "_size", "_text_ways", "leaves", "nodes", "style")

    def __init__(self, nodes: Builder, style: Style) -> None:
        self.nodes = nodes
        self.style = style
        self.leaves = [i for i, text in enumerate(nodes.text) if text is not None]
        parent, text = nodes.parent, nodes.text
        kids: list[list[int]] = [[] for _ in parent]
        place = [0] * len(parent)
        for node in range(1, len(parent)):
            siblings = kids[parent[node]]
            place[node] = len(siblings)
            siblings.append(node)
        size = [0 if t is None else 1 for t in text]
        for node in range(len(parent) - 1, 0, -1):
            size[parent[node]] += size[node]
        self._kids, self._place, self._size = kids, place, size
        self._hash_ways: dict[int, list[HashWay]] = {}
        self._text_ways: dict[int, list[TextWay]] = {}

    def groups(self) -> Iterator[Group]:
        """All pairs in official order: by left leaf, then by right leaf."""
        parent, child_id = self.nodes.parent, self.nodes.child_id
        kids, place, size = self._kids, self._place, self._size
        for leaf in self.leaves:
            node = leaf
            for budget in range(MAX_LENGTH - 1, 0, -1):
                above = parent[node]
                if above < 0:
                    break
                widest = child_id[node] + MAX_WIDTH
                siblings = kids[above]
                for at in range(place[node] + 1, len(siblings)):
                    other = siblings[at]
                    if child_id[other] > widest:
                        break
                    if size[other]:
                        yield leaf, above, other, budget
                node = above

    def within(self) -> list[list[int]]:
        """For each node and each number of nodes down, itself included, how many leaves."""
        parent, text = self.nodes.parent, self.nodes.text
        found = [[0] * MAX_LENGTH if t is None else [0, *[1] * (MAX_LENGTH - 1)] for t in text]
        for node in range(len(parent) - 1, 0, -1):
            mine, above = found[node], found[parent[node]]
            for budget in range(1, MAX_LENGTH):
                above[budget] += mine[budget - 1]
        return found

    def texts(self, leaf: int, above: int, other: int, budget: int) -> Iterator[tuple[int, str]]:
        """Right leaves and path texts of one group."""
        head = self._up_text(leaf, above)
        for right, length, way in self._text_ways_of(other):
            if length <= budget:
                yield right, head + way

    def hashes(self, leaf: int, above: int, other: int, budget: int) -> Iterator[tuple[int, str]]:
        """Right leaves and path hashes, as Java prints them, of one group."""
        head = self._up_hash(leaf, above)
        for right, length, way, power in self._hash_ways_of(other):
            if length <= budget:
                yield right, str(((head * power + way + _SIGN) & _MASK) - _SIGN)

    def _up_text(self, leaf: int, above: int) -> str:
        style, nodes = self.style, self.nodes
        label, parent, child_id = nodes.label, nodes.parent, nodes.child_id
        pieces = [_text(style, label[leaf], child_id[leaf], "", "^")]
        node = parent[leaf]
        while True:
            kept = parent[node] >= 0 and keeps_id(label[parent[node]])
            number = child_id[node] if kept else -1
            if node == above:
                pieces.append(_text(style, label[node], number, "", ""))
                return "".join(pieces)
            pieces.append(_text(style, label[node], number, "", "^"))
            node = parent[node]

    def _up_hash(self, leaf: int, above: int) -> int:
        nodes = self.nodes
        label, parent, child_id = nodes.label, nodes.parent, nodes.child_id
        value, _ = _hash(label[leaf], child_id[leaf], "", "^")
        node = parent[leaf]
        while True:
            kept = parent[node] >= 0 and keeps_id(label[parent[node]])
            number = child_id[node] if kept else -1
            own, power = _hash(label[node], number, "", "" if node == above else "^")
            value = (value * power + own) & _MASK
            if node == above:
                return value
            node = parent[node]

    def _text_ways_of(self, top: int) -> list[TextWay] | Iterator[TextWay]:
        known = self._text_ways.get(top)
        if known is None:
            if self._size[top] > _LISTED:
                return self._walk_texts(top)
            known = self._text_ways[top] = list(self._walk_texts(top))
        return known

    def _hash_ways_of(self, top: int) -> list[HashWay] | Iterator[HashWay]:
        known = self._hash_ways.get(top)
        if known is None:
            if self._size[top] > _LISTED:
                return self._walk_hashes(top)
            known = self._hash_ways[top] = list(self._walk_hashes(top))
        return known

    def _walk_texts(self, top: int) -> Iterator[TextWay]:
        style, nodes, kids, size = self.style, self.nodes, self._kids, self._size
        label, child_id, text = nodes.label, nodes.child_id, nodes.text
        stack = [(top, 1, "")]
        while stack:
            node, length, head = stack.pop()
            leaf = text[node] is not None
            number = child_id[node] if leaf or keeps_id(label[node]) else -1
            head += _text(style, label[node], number, "_", "")
            if leaf:
                yield node, length, head
            elif length < MAX_LENGTH - 1:
                stack += [(k, length + 1, head) for k in reversed(kids[node]) if size[k]]

    def _walk_hashes(self, top: int) -> Iterator[HashWay]:
        nodes, kids, size = self.nodes, self._kids, self._size
        label, child_id, text = nodes.label, nodes.child_id, nodes.text
        stack = [(top, 1, 0, 1)]
        while stack:
            node, length, head, power = stack.pop()
            leaf = text[node] is not None
            number = child_id[node] if leaf or keeps_id(label[node]) else -1
            own, own_power = _hash(label[node], number, "_", "")
            head = (head * own_power + own) & _MASK
            power = (power * own_power) & _MASK
            if leaf:
                yield node, length, head, power
            elif length < MAX_LENGTH - 1:
                stack += [(k, length + 1, head, power) for k in reversed(kids[node]) if size[k]]
