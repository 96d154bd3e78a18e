"""Syntax trees as plain lists, walked with a cursor or taken from those of an earlier version."""

import dataclasses
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tree_sitter
import tree_sitter_java_orchard

from metamorph import limits

LANGUAGE = tree_sitter.Language(tree_sitter_java_orchard.language())
_KINDS = [LANGUAGE.node_kind_for_id(i) or "" for i in range(LANGUAGE.node_kind_count)]
_NAMED = [LANGUAGE.node_kind_is_named(i) for i in range(LANGUAGE.node_kind_count)]
_FIELDS = ["", *(LANGUAGE.field_name_for_id(i + 1) or "" for i in range(LANGUAGE.field_count))]
_ERROR_ID = 65535
_NODE_BYTES = 150
"""What a node takes in the lists, roughly."""

TAKEN_OVER = frozenset(
    {
        "assignment_expression",
        "binary_expression",
        "block",
        "catch_clause",
        "do_statement",
        "enhanced_for_statement",
        "expression_statement",
        "for_statement",
        "formal_parameter",
        "if_statement",
        "lambda_expression",
        "local_variable_declaration",
        "method_invocation",
        "object_creation_expression",
        "return_statement",
        "synchronized_statement",
        "throw_statement",
        "try_statement",
        "try_with_resources_statement",
        "while_statement",
    }
)
"""The kinds of nodes that are taken over whole where no edit touches them."""

_TAKEN_IDS = frozenset(i for i, kind in enumerate(_KINDS) if kind in TAKEN_OVER)
_NONE: frozenset[int] = frozenset()


@dataclass(slots=True)
class Lists:
    """One entry a node, in pre-order; see `Tree`."""

    kind: list[str] = dataclasses.field(default_factory=list)
    start: list[int] = dataclasses.field(default_factory=list)
    end: list[int] = dataclasses.field(default_factory=list)
    parent: list[int] = dataclasses.field(default_factory=list)
    field: list[str] = dataclasses.field(default_factory=list)
    after: list[int] = dataclasses.field(default_factory=list)
    named: list[bool] = dataclasses.field(default_factory=list)


class Earlier:
    """What a text's tree takes over from that of the text before its edits.

    edits: start and end before, and the length of the new text, by position. A node that no edit
    touches has the same bytes as before, and so the same nodes below it.
    """

    __slots__ = ("_begins", "_ends", "_shifts", "lists", "places")

    def __init__(
        self,
        lists: Lists,
        places: dict[tuple[int, int], int],
        edits: Sequence[tuple[int, int, int]],
    ) -> None:
        self.lists = lists
        self.places = places
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._shifts = [0]
        for start, end, length in edits:
            begin = start + self._shifts[-1]
            self._begins.append(begin)
            self._ends.append(begin + length)
            self._shifts.append(self._shifts[-1] + length - (end - start))

    def node(self, kind: str, start: int, end: int) -> int:
        """The untouched node of that kind that now is there, or -1."""
        behind = bisect_right(self._begins, start)
        if behind and self._ends[behind - 1] > start:
            return -1
        if behind < len(self._begins) and self._begins[behind] < end:
            return -1
        shift = self._shifts[behind]
        node = self.places.get((start - shift, end - shift), -1)
        return node if node >= 0 and self.lists.kind[node] == kind else -1


def places(lists: Lists) -> dict[tuple[int, int], int]:
    """Where the nodes are that can be taken over, of several at one place the outermost."""
    found: dict[tuple[int, int], int] = {}
    for node, kind in enumerate(lists.kind):
        if kind in TAKEN_OVER:
            found.setdefault((lists.start[node], lists.end[node]), node)
    return found


def flatten(
    root: tree_sitter.Node, earlier: Earlier | None = None, most: int = sys.maxsize
) -> tuple[Lists, dict[int, int]]:
    """The lists, filled in pre-order with one cursor; which nodes are which earlier ones.

    most: statements of a method's body that have so many nodes before them are left out.
    """
    if guard := limits.current():
        guard.claim(root.descendant_count * _NODE_BYTES)
    kinds, fields, named_kinds = _KINDS, _FIELDS, _NAMED
    found = Lists()
    taken: dict[int, int] = {}
    kind, start, end, parent = found.kind, found.start, found.end, found.parent
    field, after, named = found.field, found.after, found.named
    looked_up = _TAKEN_IDS if earlier else _NONE
    cursor = root.walk()
    down, aside, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    above, inside = -1, True
    while inside:
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
        after.append(index + 1)
        if kind_id in looked_up and earlier:
            old = earlier.node(kind[index], start[index], end[index])
            if old >= 0:
                taken[index] = old
                _take(found, earlier.lists, index, old)
            elif down():
                above = index
                continue
        elif down():
            above = index
            continue
        while not aside():
            if not up():
                inside = False
                break
            after[above] = len(kind)
            above = parent[above]
        if len(kind) >= most and parent[above] == 0 and field[above] == "body":
            break
    while above >= 0:
        after[above] = len(kind)
        above = parent[above]
    return found, taken


def _take(found: Lists, old: Lists, index: int, node: int) -> None:
    """Take over the nodes below an earlier node; `index` is its own, noted already."""
    stop = old.after[node]
    part = slice(node + 1, stop)
    moved, shift = index - node, found.start[index] - old.start[node]
    found.kind += old.kind[part]
    found.field += old.field[part]
    found.named += old.named[part]
    found.start += _shifted(old.start[part], shift)
    found.end += _shifted(old.end[part], shift)
    found.parent += _shifted(old.parent[part], moved)
    found.after += _shifted(old.after[part], moved)
    found.after[index] = stop + moved


def _shifted(numbers: list[int], by: int) -> Iterator[int] | list[int]:
    return [number + by for number in numbers] if by else numbers
