"""How contexts are written: paths as text, or hashed as Java hashes strings."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Literal

from metamorph.models.contexts.names import SHORT
from metamorph.models.contexts.paths import MAX_LENGTH, Group, Paths

Style = Literal["code2vec", "code2seq"]
Comments = Literal["strip", "official"]
Context = tuple[str, str, str]
Words = Mapping[int, str]

_MAX_CHILD_ID = 3
_LISTED = 2048
_MASK = 0xFFFFFFFF
_SIGN = 0x80000000
_KEEP_ID = frozenset({"ArrayAccessExpr", "FieldAccessExpr", "MethodCallExpr"})


@lru_cache(maxsize=1 << 12)
def _keeps_id(label: str) -> bool:
    """Whether nodes of this type make the extractor write child ids."""
    return label in _KEEP_ID or label.startswith("AssignExpr")


def java_hash(text: str) -> int:
    """Java's String.hashCode as an unsigned number."""
    value = 0
    for character in text:
        value = (value * 31 + ord(character)) & _MASK
    return value


@lru_cache(maxsize=1 << 15)
def _texts(style: Style, label: str, up_id: int, down_id: int) -> tuple[str, str, str]:
    """What a node adds to a path on the way up, at the top, and on the way down."""
    if style == "code2vec":
        top, down = f"({label}{_number(up_id)})", f"({label}{_number(down_id)})"
        return top + "^", top, "_" + down
    short = SHORT.get(label, label)
    top = f"{short}{_number(min(up_id, _MAX_CHILD_ID))}"
    return top + "|", top, f"|{short}{_number(min(down_id, _MAX_CHILD_ID))}"


def _number(child_id: int) -> str:
    return str(child_id) if child_id >= 0 else ""


@lru_cache(maxsize=1 << 15)
def _hashes(label: str, up_id: int, down_id: int) -> tuple[int, int, int, int, int, int]:
    """The same as hashes, each with 31 ** its length."""
    up, top, down = _texts("code2vec", label, up_id, down_id)
    return *_hash(up), *_hash(top), *_hash(down)


def _hash(text: str) -> tuple[int, int]:
    return java_hash(text), pow(31, len(text), _MASK + 1)


def _numbered(paths: Paths) -> Iterator[tuple[str, int, int]]:
    """Label, and child id on the way up and down, where one is written, else -1.

    A leaf always has one; going up the parent's type decides, going down the node's own.
    """
    nodes = paths.nodes
    label, parent, child_id, text = nodes.label, nodes.parent, nodes.child_id, nodes.text
    for node, name in enumerate(label):
        number = child_id[node]
        if text[node] is not None:
            yield name, number, number
        else:
            above = parent[node]
            up = number if above >= 0 and _keeps_id(label[above]) else -1
            yield name, up, number if _keeps_id(name) else -1


class TextWriter:
    """Contexts with their paths written out."""

    __slots__ = ("_paths", "_pieces", "_ways")

    def __init__(self, paths: Paths, style: Style) -> None:
        self._paths = paths
        self._pieces = [_texts(style, *numbered) for numbered in _numbered(paths)]
        self._ways: dict[int, list[tuple[int, int, str]]] = {}

    def contexts(self, group: Group, words: Words, most: int) -> list[Context]:
        """The contexts of one group, at least the first `most`."""
        leaf, above, other, budget = group
        parent, pieces = self._paths.nodes.parent, self._pieces
        head, node = pieces[leaf][0], parent[leaf]
        while node != above:
            head += pieces[node][0]
            node = parent[node]
        head += pieces[above][1]
        word, ways = words[leaf], self._down(other, budget, most)
        return [(word, head + way, words[right]) for right, n, way in ways if n <= budget]

    def _down(self, top: int, budget: int, most: int) -> list[tuple[int, int, str]]:
        """The ways down from a node: all of them, or of very many the first that fit."""
        known = self._ways.get(top)
        if known is None:
            ways = self._walk(top)
            if self._paths.size[top] > _LISTED:
                return list(islice((way for way in ways if way[1] <= budget), most))
            known = self._ways[top] = list(ways)
        return known

    def _walk(self, top: int) -> Iterator[tuple[int, int, str]]:
        """Leaf, number of nodes, text."""
        kids, size, pieces = self._paths.kids, self._paths.size, self._pieces
        text = self._paths.nodes.text
        stack = [(top, 1, "")]
        while stack:
            node, length, head = stack.pop()
            head += pieces[node][2]
            if text[node] is not None:
                yield node, length, head
            elif length < MAX_LENGTH - 1:
                stack += [(k, length + 1, head) for k in reversed(kids[node]) if size[k]]


class HashWriter:
    """Contexts with their paths hashed, in decimal; the hash of a whole comes from its parts'."""

    __slots__ = ("_paths", "_pieces", "_ways")

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._pieces = [_hashes(*numbered) for numbered in _numbered(paths)]
        self._ways: dict[int, list[tuple[int, int, int, int]]] = {}

    def contexts(self, group: Group, words: Words, most: int) -> list[Context]:
        """The contexts of one group, at least the first `most`."""
        leaf, above, other, budget = group
        parent, pieces, mask, sign = self._paths.nodes.parent, self._pieces, _MASK, _SIGN
        head, node = pieces[leaf][0], parent[leaf]
        while node != above:
            own, power, _, _, _, _ = pieces[node]
            head = head * power + own
            node = parent[node]
        _, _, own, power, _, _ = pieces[above]
        head = (head * power + own) & mask
        word, ways = words[leaf], self._down(other, budget, most)
        return [
            (word, str(((head * power + way + sign) & mask) - sign), words[right])
            for right, n, way, power in ways
            if n <= budget
        ]

    def _down(self, top: int, budget: int, most: int) -> list[tuple[int, int, int, int]]:
        """The ways down from a node: all of them, or of very many the first that fit."""
        known = self._ways.get(top)
        if known is None:
            ways = self._walk(top)
            if self._paths.size[top] > _LISTED:
                return list(islice((way for way in ways if way[1] <= budget), most))
            known = self._ways[top] = list(ways)
        return known

    def _walk(self, top: int) -> Iterator[tuple[int, int, int, int]]:
        """Leaf, number of nodes, hash, 31 ** length."""
        kids, size, pieces = self._paths.kids, self._paths.size, self._pieces
        text = self._paths.nodes.text
        stack = [(top, 1, 0, 1)]
        while stack:
            node, length, head, power = stack.pop()
            _, _, _, _, own, own_power = pieces[node]
            head = (head * own_power + own) & _MASK
            power = (power * own_power) & _MASK
            if text[node] is not None:
                yield node, length, head, power
            elif length < MAX_LENGTH - 1:
                stack += [(k, length + 1, head, power) for k in reversed(kids[node]) if size[k]]
