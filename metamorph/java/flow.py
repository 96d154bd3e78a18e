"""Control flow: where jumps lead, and which statements can complete normally (JLS 14.22).

The answers are for code that compiles: every statement in it counts as reachable.
"""

from collections.abc import Callable
from functools import lru_cache

from metamorph.java.literals import Truth
from metamorph.java.tree import Tree

LOOPS = frozenset({"for_statement", "while_statement", "do_statement", "enhanced_for_statement"})
_BOUNDARIES = frozenset({"lambda_expression", "class_body", "interface_body", "enum_body"})
_ABRUPT = frozenset(
    {
        "return_statement",
        "throw_statement",
        "break_statement",
        "continue_statement",
        "yield_statement",
    }
)
_NO_STATEMENTS = frozenset({"line_comment", "block_comment", "switch_label"})
_BLOCKS = frozenset({"block", "constructor_body"})
_DECIDED = frozenset(
    {
        *LOOPS,
        *_BLOCKS,
        "labeled_statement",
        "switch_expression",
        "if_statement",
        "try_statement",
        "try_with_resources_statement",
        "synchronized_statement",
    }
)


class Flow:
    """The control flow of a whole tree.

    target: break or continue statement -> the statement that it leaves or goes on with (a loop,
    a switch, or the labeled statement that a break names); jumps: the reverse; truth: what is
    known of a loop's condition.
    """

    __slots__ = ("_completes", "jumps", "target", "tree", "truth")

    def __init__(self, tree: Tree, truth: Callable[[Tree, int], Truth]) -> None:
        self.tree = tree
        self.truth = truth
        self.target: dict[int, int] = {}
        self.jumps: dict[int, list[int]] = {}
        for node in tree.of_kinds(("break_statement", "continue_statement")):
            goal = _target(tree, node, tree.kind[node])
            self.target[node] = goal
            self.jumps.setdefault(goal, []).append(node)
        self._completes: dict[int, bool | None] = {}
        for node in reversed(tree.of_kinds(_DECIDED)):
            self._completes[node] = _decide(self, node)

    def completes(self, statement: int) -> bool | None:
        """Whether the statement can complete normally; None where a constant is unknown."""
        if self.tree.kind[statement] in _ABRUPT:
            return False
        return self._completes.get(statement, True)

    def jumps_to(self, statement: int, kind: str) -> list[int]:
        """The break or continue statements that lead to `statement` and that can get there."""
        jumps = self.jumps.get(statement, [])
        return [j for j in jumps if self.tree.kind[j] == kind and _escapes(self, j, statement)]

    def completes_all(self, statements: list[int]) -> bool | None:
        """Whether a list of statements, each reached from the one before, can complete."""
        return self.completes(statements[-1]) if statements else True


@lru_cache(maxsize=4)
def flow(tree: Tree) -> Flow:
    """The control flow of the tree, computed once."""
    # Constants are known by scopes, and the scopes of patterns by Flow.
    from metamorph.java.constants import truth

    return Flow(tree, truth)


def statements(tree: Tree, node: int) -> list[int]:
    """The statements directly in a block, switch group or rule, comments and labels left out."""
    kind, named = tree.kind, tree.named
    return [
        c
        for c in tree.children(node)
        if (named[c] and kind[c] not in _NO_STATEMENTS) or kind[c] == ";"
    ]


def labels_of(tree: Tree, statement: int) -> list[int]:
    """The labeled statements directly around a statement, innermost first."""
    found = []
    above = tree.parent[statement]
    while above >= 0 and tree.kind[above] == "labeled_statement":
        found.append(above)
        above = tree.parent[above]
    return found


def body_of(tree: Tree, statement: int) -> int:
    """The statement that a label names, further labels passed over."""
    while tree.kind[statement] == "labeled_statement":
        statement = statements(tree, statement)[-1]
    return statement


def label_name(tree: Tree, node: int) -> str:
    """The label of a labeled statement, or the one that a jump names, or ""."""
    name = tree.child_of_kind(node, "identifier")
    return tree.text(name) if name >= 0 else ""


def _target(tree: Tree, jump: int, kind: str) -> int:
    name = label_name(tree, jump)
    for above in tree.ancestors(jump):
        what = tree.kind[above]
        if what in _BOUNDARIES:
            break
        if name:
            if what == "labeled_statement" and label_name(tree, above) == name:
                return body_of(tree, above) if kind == "continue_statement" else above
        elif what in LOOPS or (what == "switch_expression" and kind == "break_statement"):
            return above
    return -1


def _escapes(flow: Flow, jump: int, goal: int) -> bool:
    """Whether no `finally` on the way from the jump to its goal ends abruptly."""
    tree, inner = flow.tree, jump
    for above in tree.ancestors(jump):
        if above == goal:
            return True
        last = tree.child_of_kind(above, "finally_clause")
        if last >= 0 and last != inner and _finally_completes(flow, last) is False:
            return False
        inner = above
    return True


def _decide(flow: Flow, node: int) -> bool | None:
    tree = flow.tree
    kind = tree.kind[node]
    if kind in _BLOCKS:
        return flow.completes_all(statements(tree, node))
    if flow.jumps_to(node, "break_statement"):
        return True
    if kind == "labeled_statement":
        return flow.completes(statements(tree, node)[-1])
    if kind in LOOPS:
        return _loop_completes(flow, node)
    if kind == "if_statement":
        alternative = tree.child(node, "alternative")
        if alternative < 0:
            return True
        return _either(flow.completes(tree.child(node, "consequence")), flow.completes(alternative))
    if kind == "switch_expression":
        return _switch_completes(flow, node)
    if kind == "synchronized_statement":
        return flow.completes(tree.child(node, "body"))
    return _try_completes(flow, node)


def _loop_completes(flow: Flow, node: int) -> bool | None:
    tree, kind = flow.tree, flow.tree.kind[node]
    if kind == "enhanced_for_statement":
        return True
    condition = tree.child(node, "condition")
    value = flow.truth(tree, condition) if condition >= 0 else Truth.TRUE
    ends = {Truth.TRUE: False, Truth.UNKNOWN: None}.get(value, True)
    if kind != "do_statement" or flow.jumps_to(node, "continue_statement"):
        return ends
    return _both(flow.completes(tree.child(node, "body")), ends)


def _switch_completes(flow: Flow, node: int) -> bool | None:
    tree = flow.tree
    entries = list(tree.named_children(tree.child(node, "body")))
    labels = [c for e in entries for c in tree.children(e) if tree.kind[c] == "switch_label"]
    if not any(is_default(tree, label) for label in labels):
        modern = any(needs_exhaustion(tree, label) for label in labels)
        if not modern:
            return None if labels and all(_is_qualified(tree, x) for x in labels) else True
    if tree.kind[entries[-1]] == "switch_block_statement_group":
        return flow.completes_all(statements(tree, entries[-1]))
    result: bool | None = False
    for entry in entries:
        result = _either(result, flow.completes_all(statements(tree, entry)))
    return result


def _is_qualified(tree: Tree, label: int) -> bool:
    """Whether the label may name the constant of an enum that implements a sealed selector."""
    return tree.child_of_kind(label, "field_access") >= 0


def is_default(tree: Tree, label: int) -> bool:
    """Whether a switch label is, or holds, `default`."""
    return any(tree.text(c) == "default" for c in tree.children(label))


def needs_exhaustion(tree: Tree, label: int) -> bool:
    """Whether the label makes its switch an enhanced one: a pattern, or `null`."""
    return any(tree.kind[c] in ("pattern", "null_literal") for c in tree.children(label))


def _try_completes(flow: Flow, node: int) -> bool | None:
    tree = flow.tree
    result = flow.completes(tree.child(node, "body"))
    for part in tree.children(node):
        if tree.kind[part] == "catch_clause":
            result = _either(result, flow.completes(tree.child(part, "body")))
        elif tree.kind[part] == "finally_clause":
            result = _both(result, _finally_completes(flow, part))
    return result


def _finally_completes(flow: Flow, clause: int) -> bool | None:
    return flow.completes(flow.tree.child_of_kind(clause, "block"))


def _either(one: bool | None, other: bool | None) -> bool | None:
    if one or other:
        return True
    return None if one is None or other is None else False


def _both(one: bool | None, other: bool | None) -> bool | None:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True
