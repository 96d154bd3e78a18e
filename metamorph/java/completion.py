"""Whether a statement can complete normally (JLS 14.22), as far as its text tells.

The input is taken to compile, so every statement in it is reachable.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from metamorph.java.tree import Tree

Verdict = bool | None
"""True or False; None where a constant expression or an exhaustive switch decides."""


class _Jumps(NamedTuple):
    """The statements that a `break` leaves, and those that a `continue` continues."""

    broken: set[int]
    continued: set[int]


_Rule = Callable[[Tree, int, dict[int, Verdict], _Jumps], Verdict]

_LOOPS = frozenset({"while_statement", "do_statement", "for_statement", "enhanced_for_statement"})
_FENCES = frozenset({"lambda_expression", "class_body", "method_declaration"})
_JUMPS = frozenset(
    {
        "break_statement",
        "continue_statement",
        "return_statement",
        "throw_statement",
        "yield_statement",
    }
)
_NEVER_CONSTANT = frozenset(
    {
        "array_access",
        "assignment_expression",
        "instanceof_expression",
        "method_invocation",
        "null_literal",
        "object_creation_expression",
        "switch_expression",
        "this",
        "update_expression",
    }
)


def can_complete(tree: Tree, statement: int) -> Verdict:
    """Whether control can reach the end of the statement."""
    verdicts: dict[int, Verdict] = {}
    jumps = _jumps(tree, statement)
    for node in range(tree.after[statement] - 1, statement - 1, -1):
        rule = _RULES.get(tree.kind[node])
        if rule is not None:
            verdicts[node] = rule(tree, node, verdicts, jumps)
    verdict = verdicts.get(statement, True)
    return None if verdict and _overridden(tree, statement) else verdict


def breaks_out(tree: Tree, body: int) -> bool:
    """Whether a `break` in `body` leaves it."""
    inside = range(body, tree.after[body])
    return any(
        tree.kind[node] == "break_statement" and jump_target(tree, node) not in inside
        for node in inside
    )


def jump_target(tree: Tree, jump: int) -> int:
    """The loop, switch or labelled statement that a `break` or `continue` names, or -1."""
    label = tree.child_of_kind(jump, "identifier")
    wanted = tree.bytes_of(label) if label >= 0 else b""
    may_be_switch = tree.kind[jump] == "break_statement"
    for above in tree.ancestors(jump):
        kind = tree.kind[above]
        if kind in _FENCES:
            return -1
        if label >= 0:
            if kind == "labeled_statement" and tree.bytes_of(above + 1) == wanted:
                return above
        elif kind in _LOOPS or (may_be_switch and kind == "switch_expression"):
            return above
    return -1


def _jumps(tree: Tree, statement: int) -> _Jumps:
    jumps = _Jumps(set(), set())
    for node in range(statement, tree.after[statement]):
        if tree.kind[node] == "break_statement":
            jumps.broken.add(jump_target(tree, node))
        elif tree.kind[node] == "continue_statement":
            jumps.continued.add(_unlabeled(tree, jump_target(tree, node)))
    return jumps


def _unlabeled(tree: Tree, node: int) -> int:
    """The statement under the labels."""
    while node >= 0 and tree.kind[node] == "labeled_statement":
        *_, node = tree.named_children(node)
    return node


def _overridden(tree: Tree, statement: int) -> bool:
    """Whether a jump in a `finally` may override another one."""
    return any(
        tree.kind[node] == "finally_clause"
        and any(tree.kind[n] in _JUMPS for n in range(node, tree.after[node]))
        for node in range(statement, tree.after[statement])
    )


def _any(verdicts: Iterable[Verdict]) -> Verdict:
    seen = set(verdicts)
    return True if True in seen else None if None in seen else False


def _all(verdicts: Iterable[Verdict]) -> Verdict:
    seen = set(verdicts)
    return False if False in seen else None if None in seen else True


def _jump(tree: Tree, node: int, known: dict[int, Verdict], jumps: _Jumps) -> Verdict:
    return False


def _sequence(tree: Tree, node: int, known: dict[int, Verdict], jumps: _Jumps) -> Verdict:
    return _all(known.get(child, True) for child in tree.named_children(node))


def _labeled(tree: Tree, node: int, known: dict[int, Verdict], jumps: _Jumps) -> Verdict:
    return _any([node in jumps.broken, _sequence(tree, node, known, jumps)])


def _if(tree: Tree, node: int, known: dict[int, Verdict], jumps: _Jumps) -> Verdict:
    other = tree.child(node, "alternative")
    return other < 0 or _any(
        [known.get(tree.child(node, "consequence"), True), known.get(other, True)]
    )


def _loop(tree: Tree, node: int, known: dict[int, Verdict], jumps: _Jumps) -> Verdict:
    return True if node in jumps.broken else _not(_always(tree, tree.child(node, "condition")))


def _do(tree: Tree, node: int, known: dict[int, Verdict], jumps: _Jumps) -> Verdict:
    if node in jumps.broken:
        return True
    reaches = True if node in jumps.continued else known.get(tree.child(node, "body"), True)
    return _all([reaches, _not(_always(tree, tree.child(node, "condition")))])


def _switch(tree: Tree, node: int, known: dict[int, Verdict], jumps: _Jumps) -> Verdict:
    if node in jumps.broken:
        return True
    body = tree.child(node, "body")
    labels = [n for n in range(body, tree.after[body]) if tree.kind[n] == "switch_label"]
    groups = list(tree.named_children(body))
    ends = groups if groups and tree.kind[groups[0]] == "switch_rule" else groups[-1:]
    total = any(_is_default(tree, label) for label in labels)
    new = any(_is_new(tree, label) for label in labels)
    falls_past = False if total else None if new else True
    return _any([not groups, falls_past, *(known.get(end, True) for end in ends)])


def _try(tree: Tree, node: int, known: dict[int, Verdict], jumps: _Jumps) -> Verdict:
    parts: list[Verdict] = []
    last: Verdict = True
    for child in tree.named_children(node):
        if tree.kind[child] == "finally_clause":
            last = known.get(child, True)
        elif tree.kind[child] in ("block", "catch_clause"):
            parts.append(known.get(child, True))
    return _all([_any(parts), last])


def _not(verdict: Verdict) -> Verdict:
    return None if verdict is None else not verdict


def _always(tree: Tree, condition: int) -> Verdict:
    """Whether a loop's condition is a constant expression with the value true; none is true."""
    if condition < 0:
        return True
    kinds = {tree.kind[n] for n in range(condition, tree.after[condition]) if tree.named[n]} - {
        "parenthesized_expression",
        "line_comment",
        "block_comment",
    }
    if kinds == {"true"}:
        return True
    return False if kinds == {"false"} or kinds & _NEVER_CONSTANT else None


def _is_default(tree: Tree, label: int) -> bool:
    return any(tree.bytes_of(child) == b"default" for child in tree.children(label))


def _is_new(tree: Tree, label: int) -> bool:
    """Whether the label makes the switch one that must be exhaustive."""
    return any(tree.kind[child] in ("pattern", "null_literal") for child in tree.children(label))


_RULES: dict[str, _Rule] = {
    "break_statement": _jump,
    "continue_statement": _jump,
    "return_statement": _jump,
    "throw_statement": _jump,
    "yield_statement": _jump,
    "block": _sequence,
    "constructor_body": _sequence,
    "catch_clause": _sequence,
    "finally_clause": _sequence,
    "switch_block_statement_group": _sequence,
    "switch_rule": _sequence,
    "synchronized_statement": _sequence,
    "labeled_statement": _labeled,
    "if_statement": _if,
    "while_statement": _loop,
    "for_statement": _loop,
    "do_statement": _do,
    "switch_expression": _switch,
    "try_statement": _try,
    "try_with_resources_statement": _try,
}
