"""How paths are written: as text, or hashed as Java hashes strings."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from threading import Lock
from typing import Literal

import numpy as np
import numpy.typing as npt

from metamorph.models.contexts.build import Builder
from metamorph.models.contexts.forest import MAX_LENGTH, Flags, Forest, Pairs
from metamorph.models.contexts.names import SHORT

Style = Literal["code2vec", "code2seq"]
Comments = Literal["strip", "official"]
Context = tuple[str, str, str]

_MAX_CHILD_ID = 3
_REMEMBERED = 1 << 16
_MASK = 0xFFFFFFFF
_KEEP_ID = frozenset({"ArrayAccessExpr", "FieldAccessExpr", "MethodCallExpr"})
Words32 = npt.NDArray[np.uint32]


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


def _hashes(label: str, child_id: int) -> list[int]:
    """The same as hashes, each with 31 ** its length."""
    texts = _texts("code2vec", label, child_id, child_id)
    return [each for text in texts for each in (java_hash(text), pow(31, len(text), _MASK + 1))]


def _numbered(nodes: Builder) -> Iterator[tuple[str, int, int]]:
    """Label, and child id on the way up and down, where one is written, else -1.

    A leaf always has one; going up the parent's type decides, going down the node's own.
    """
    label, parent, child_id, text = nodes.label, nodes.parent, nodes.child_id, nodes.text
    for node, name in enumerate(label):
        number = child_id[node]
        if text[node] is not None:
            yield name, number, number
        else:
            above = parent[node]
            up = number if above >= 0 and _keeps_id(label[above]) else -1
            yield name, up, number if _keeps_id(name) else -1


def texts(trees: Sequence[Builder], forest: Forest, style: Style, pairs: Pairs) -> list[str]:
    """The paths of pairs, written out."""
    pieces = [_texts(style, *each) for nodes in trees for each in _numbered(nodes)]
    above = forest.above.T.tolist()
    tails: dict[int, str] = {}
    written = []
    head, last = "", -1
    for left, level, right, depth in _listed(pairs):
        if left * MAX_LENGTH + level != last:
            last = left * MAX_LENGTH + level
            chain_up = above[left]
            head = "".join([pieces[node][0] for node in chain_up[:level]])
            head += pieces[chain_up[level]][1]
        key = right * MAX_LENGTH + depth
        tail = tails.get(key)
        if tail is None:
            way = [pieces[node][2] for node in above[right][depth::-1]]
            tail = tails[key] = "".join(way)
        written.append(head + tail)
    return written


def _listed(pairs: Pairs) -> Iterator[tuple[int, int, int, int]]:
    lists = (pairs.left, pairs.level, pairs.right, pairs.depth)
    return zip(*(each.tolist() for each in lists), strict=True)


class _Pieces(dict[tuple[str, int], int]):
    """Hashes of nodes by label and child id, each computed once: the numbers of their rows.

    The first row is that of no node, so that there is one where no method was seen yet. A limit may
    end the work between any two steps: a row is added by one, and one without a key does no harm.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._rows: list[tuple[list[int], bool]] = [([0] * 12, False)]
        self._arrays: tuple[Words32, Flags] = (np.zeros((0, 12), np.uint32), np.zeros(0, np.bool_))

    def __missing__(self, key: tuple[str, int]) -> int:
        with self._lock:
            if key not in self:
                hashes = _hashes(*key) + _hashes(key[0], -1)
                self._rows.append((hashes, _keeps_id(key[0])))
                self[key] = len(self._rows) - 1
            return self[key]

    def arrays(self) -> tuple[Words32, Flags]:
        """Up, top and down with the child id, then without; whether the type keeps ids."""
        with self._lock:
            known = len(self._arrays[0])
            if known < len(self._rows):
                fresh = self._rows[known:]
                rows = np.array([hashes for hashes, _ in fresh], dtype=np.uint32)
                keeps = np.array([keeps for _, keeps in fresh], dtype=np.bool_)
                self._arrays = (
                    np.concatenate([self._arrays[0], rows]),
                    np.concatenate([self._arrays[1], keeps]),
                )
            return self._arrays


_pieces = _Pieces()


def _remembered() -> _Pieces:
    """The pieces known so far, unless they are too many."""
    global _pieces
    if len(_pieces) > _REMEMBERED:
        _pieces = _Pieces()
    return _pieces


def hashes(trees: Sequence[Builder], forest: Forest, pairs: Pairs) -> npt.NDArray[np.int32]:
    """The hashes of paths; that of a whole comes from its parts'."""
    up, top, down = _hashed(trees, forest)
    above = forest.above
    head = up[above[0], 0]
    tops = np.zeros(above.shape, dtype=np.uint32)
    for level in range(1, MAX_LENGTH):
        own, power = top[above[level]].T
        tops[level] = head * power + own
        own, power = up[above[level]].T
        head = head * power + own
    ways, powers = np.zeros(above.shape, np.uint32), np.ones(above.shape, np.uint32)
    ways[0], powers[0] = down[above[0]].T
    for depth in range(1, MAX_LENGTH):
        own, power = down[above[depth]].T
        ways[depth] = own * powers[depth - 1] + ways[depth - 1]
        powers[depth] = power * powers[depth - 1]
    right = (pairs.depth, pairs.right)
    return (tops[pairs.level, pairs.left] * powers[right] + ways[right]).view(np.int32)


def _hashed(trees: Sequence[Builder], forest: Forest) -> tuple[Words32, Words32, Words32]:
    """For each node what it adds on the way up, at the top and down: hash and 31 ** length."""
    pieces = _remembered()
    none = len(forest.parent) - 1
    labels = chain.from_iterable(tree.label for tree in trees)
    ids = chain.from_iterable(tree.child_id for tree in trees)
    rows = np.zeros(none + 1, dtype=np.int64)
    rows[:none] = np.fromiter(
        map(pieces.__getitem__, zip(labels, ids, strict=True)), np.int64, none
    )
    known, keeping = pieces.arrays()
    keeps = keeping[rows]
    keeps[none] = False
    numbered_up = forest.is_leaf | keeps[forest.parent]
    numbered_down = forest.is_leaf | keeps
    found = known[rows]
    going_up = np.where(numbered_up[:, None], found[:, :4], found[:, 6:10])
    down = np.where(numbered_down[:, None], found[:, 4:6], found[:, 10:])
    return going_up[:, :2], going_up[:, 2:], down
