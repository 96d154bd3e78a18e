"""Where a pattern variable is in scope: exactly where its match is certain (JLS 6.3.1, 6.3.2)."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from metamorph.java.flow import Flow
from metamorph.java.literals import literal_truth
from metamorph.java.tree import Tree


class Span(NamedTuple):
    """A range of nodes in which a name means one variable; in doubt if not `certain`."""

    start: int
    end: int
    certain: bool = True


class _Step(NamedTuple):
    """What follows for the parent: in scope in `spans`, matched when it is `when`, or unknown."""

    spans: tuple[Span, ...] = ()
    when: bool | None = None
    after: bool | None = False


_BLOCKS = frozenset({"block", "constructor_body", "switch_block_statement_group", "program"})
_Rule = Callable[[Tree, int, int, bool], _Step]


def pattern_spans(tree: Tree, pattern: int) -> list[Span]:
    """The ranges in which the variables of a whole pattern or `instanceof` are in scope."""
    label = _label_above(tree, pattern)
    if label >= 0:
        return [Span(pattern, tree.after[tree.parent[label]])]
    return list(_climb(tree, pattern))


def _label_above(tree: Tree, pattern: int) -> int:
    """The switch label whose own pattern this is, or -1."""
    for above in tree.ancestors(pattern):
        if tree.kind[above] == "switch_label":
            return above
        if tree.kind[above] not in ("pattern", "record_pattern", "record_pattern_body"):
            return -1
    return -1


def _climb(tree: Tree, node: int) -> Iterator[Span]:
    """Go up from an `instanceof`, keeping whether it matched when the expression is true."""
    when = True
    while True:
        parent = tree.parent[node]
        rule = _RULES.get(tree.kind[parent]) if parent >= 0 else None
        if rule is None:
            return
        step = rule(tree, parent, node, when)
        yield from step.spans
        if step.after is not False:
            yield from _after(tree, parent, step.after is True)
        if step.when is None:
            return
        node, when = parent, step.when


def _after(tree: Tree, statement: int, certain: bool) -> Iterator[Span]:
    """The statements that follow it in its block."""
    parent = tree.parent[statement]
    while tree.kind[parent] == "labeled_statement":
        statement, parent = parent, tree.parent[parent]
    if tree.kind[parent] in _BLOCKS:
        yield Span(tree.after[statement], tree.after[parent], certain)


def _span(tree: Tree, node: int) -> tuple[Span, ...]:
    return (Span(node, tree.after[node]),) if node >= 0 else ()


def _pass(tree: Tree, node: int, child: int, when: bool) -> _Step:
    return _Step(when=when)


def _unary(tree: Tree, node: int, child: int, when: bool) -> _Step:
    return _Step(when=not when) if tree.bytes_of(node + 1) == b"!" else _Step()


def _binary(tree: Tree, node: int, child: int, when: bool) -> _Step:
    operator = tree.bytes_of(tree.child(node, "operator"))
    if operator != (b"&&" if when else b"||"):
        return _Step()
    right = tree.child(node, "right")
    return _Step(_span(tree, right) if child != right else (), when)


def _ternary(tree: Tree, node: int, child: int, when: bool) -> _Step:
    if tree.field[child] != "condition":
        return _Step()
    return _Step(_span(tree, tree.child(node, "consequence" if when else "alternative")))


def _guard(tree: Tree, node: int, child: int, when: bool) -> _Step:
    case = tree.parent[tree.parent[node]]
    return _Step((Span(tree.after[node], tree.after[case]),) if when else ())


def _if(tree: Tree, node: int, child: int, when: bool) -> _Step:
    if tree.field[child] != "condition":
        return _Step()
    then, other = tree.child(node, "consequence"), tree.child(node, "alternative")
    taken, left = (then, other) if when else (other, then)
    return _Step(_span(tree, taken), after=_only_way_on(tree, taken, left))


def _only_way_on(tree: Tree, taken: int, left: int) -> bool | None:
    """Whether control gets behind an `if` only through `taken`; a branch of -1 is empty."""
    escapes = _completes(tree, left)
    passes = _completes(tree, taken)
    if escapes is True or passes is False:
        return False
    return True if escapes is False and passes is True else None


def _completes(tree: Tree, branch: int) -> bool | None:
    return True if branch < 0 else _flow(tree).completes(branch)


def _breaks_out(tree: Tree, body: int) -> bool:
    inside = range(body, tree.after[body])
    targets = _flow(tree).target
    breaks = [node for node in inside if tree.kind[node] == "break_statement"]
    return any(targets.get(node, -1) not in inside for node in breaks)


@lru_cache(maxsize=2)
def _flow(tree: Tree) -> Flow:
    return Flow(tree, literal_truth)


def _loop(tree: Tree, node: int, child: int, when: bool) -> _Step:
    if tree.field[child] != "condition":
        return _Step()
    body = tree.child(node, "body")
    if not when:
        return _Step(after=not _breaks_out(tree, body))
    if tree.kind[node] == "do_statement":
        return _Step()
    return _Step((Span(tree.after[child], tree.after[node]),))


_RULES: dict[str, _Rule] = {
    "parenthesized_expression": _pass,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "ternary_expression": _ternary,
    "guard": _guard,
    "if_statement": _if,
    "while_statement": _loop,
    "do_statement": _loop,
    "for_statement": _loop,
}
