"""Permute statement: two statements of a basic block change places.

Candidates are local variable declarations and expression statements that follow each other in
one block with nothing else between. A pair is a site when each of the two commutes with the
other and with every statement between, as `metamorph.java.commuting` tells. A refusal names what
keeps two neighbours in their order; pairs farther apart that do not commute are no candidates.
Never touched: statements of other kinds, and pairs more than 16 statements apart (`pair-limit`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from metamorph.java.commuting import conflict, guarded_nodes
from metamorph.java.edits import Edit
from metamorph.java.effects import Effect, effect_of
from metamorph.java.layout import begins_line
from metamorph.java.methods import Method
from metamorph.java.sites import Refusal, Site
from metamorph.java.stack_maps import stack_maps
from metamorph.java.tree import COMMENTS, Tree
from metamorph.java.types import file_types
from metamorph.transforms._protocol import Choices

CODE = "PS"
NAME = "permute statement"
PLACES = ("single", "random")

_KINDS = frozenset({"expression_statement", "local_variable_declaration"})
_REACH = 16


@dataclass(frozen=True, slots=True)
class _Run:
    """Statements with nothing but comments between, and what each of them does."""

    tree: Tree
    statements: list[int]
    effects: list[Effect]
    guarded: range | None

    def conflict(self, first: int, second: int) -> str:
        return conflict(self.effects[first], self.effects[second], self.guarded)


def sites(method: Method, choices: Choices) -> Iterator[Site | Refusal]:
    """Every pair of the method's blocks, by the places of its first and its second statement."""
    runs = list(_runs(method))
    if runs and (doubt := file_types(method.tree).doubt):
        yield Refusal(CODE, method.start, doubt)
        return
    found, maps = 0, stack_maps(method.tree, method.body)
    for first, second, reason in sorted(pair for run in runs for pair in _pairs(run)):
        anchor = method.tree.start[first]
        if reason := reason or maps.doubt(anchor):
            yield Refusal(CODE, anchor, reason)
        else:
            yield Site(CODE, found, anchor, _swap(method.tree, first, second))
            found += 1


def _runs(method: Method) -> Iterator[_Run]:
    """The runs of two or more candidates, block by block."""
    tree = method.tree
    for block in tree.of_kinds(("block",), method.body):
        for run in _neighbours(tree, block):
            effects = [effect_of(file_types(tree), statement) for statement in run]
            yield _Run(tree, run, effects, guarded_nodes(tree, block))


def _neighbours(tree: Tree, block: int) -> Iterator[list[int]]:
    run: list[int] = []
    for child in tree.named_children(block):
        if tree.kind[child] in _KINDS:
            run.append(child)
            continue
        if len(run) > 1:
            yield run
        run = []
    if len(run) > 1:
        yield run


def _pairs(run: _Run) -> Iterator[tuple[int, int, str]]:
    """First and second statement, and the reason of a refusal or ""."""
    nodes, count = run.statements, len(run.statements)
    down = [_reach(run, at, range(at + 1, min(at + _REACH, count - 1) + 1)) for at in range(count)]
    up = [_reach(run, at, range(at - 1, max(at - _REACH, 0) - 1, -1)) for at in range(count)]
    for first in range(count - 1):
        if down[first] == first:
            yield nodes[first], nodes[first + 1], run.conflict(first, first + 1)
        for second in range(first + 1, down[first] + 1):
            if up[second] <= first:
                same = _is_same(run.tree, nodes[first], nodes[second])
                if not same or second == first + 1:
                    yield nodes[first], nodes[second], "no-change" if same else ""
    far = (n for n in range(count - _REACH - 1) if down[n] == n + _REACH)
    yield from ((nodes[n], nodes[n + 1], "pair-limit") for n in far)


def _reach(run: _Run, at: int, others: range) -> int:
    """The last of the others that the statement can pass, one by one, or its own place."""
    reached = at
    for other in others:
        if run.conflict(min(at, other), max(at, other)):
            break
        reached = other
    return reached


def _is_same(tree: Tree, first: int, second: int) -> bool:
    return tree.bytes_of(first) == tree.bytes_of(second)


def _swap(tree: Tree, first: int, second: int) -> tuple[Edit, Edit]:
    """Each statement, with the comments that belong to it, in the place of the other."""
    data = tree.data
    upper, lower = (tree.start[first], tree.end[first]), (tree.start[second], tree.end[second])
    if b"\n" in data[upper[1] : lower[0]]:
        upper, lower = _with_comments(tree, first, second), _with_comments(tree, second, first)
    return Edit(*upper, data[slice(*lower)]), Edit(*lower, data[slice(*upper)])


def _with_comments(tree: Tree, statement: int, other: int) -> tuple[int, int]:
    """The bytes of a statement, the comments right above it and those behind it on its line."""
    start, end = tree.start[statement], tree.end[statement]
    above = statement - 1
    while tree.kind[above] in COMMENTS and begins_line(tree.data, tree.start[above]):
        if tree.data.count(b"\n", tree.end[above], start) > 1:
            break
        start = tree.start[above]
        above -= 1
    behind = _behind(tree, statement)
    code_follows = _behind(tree, other) is None
    if behind and not (code_follows and tree.kind[behind[-1]] == "line_comment"):
        end = tree.start[behind[-1]] + len(tree.bytes_of(behind[-1]).rstrip(b"\r"))
    return start, end


def _behind(tree: Tree, statement: int) -> list[int] | None:
    """The comments that begin on a statement's last line; None when code follows them there."""
    comments = []
    end, node = tree.end[statement], tree.after[statement]
    while b"\n" not in tree.data[end : tree.start[node]]:
        if tree.kind[node] not in COMMENTS:
            return None
        comments.append(node)
        end, node = tree.end[node], tree.after[node]
    return comments
