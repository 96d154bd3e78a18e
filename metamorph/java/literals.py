"""Conditions whose value can be read off without knowing any variable (JLS 15.29)."""

from enum import Enum

from metamorph.java.tree import COMMENTS, Tree


class Truth(Enum):
    """What is known of a condition as a constant expression."""

    TRUE = "true"
    FALSE = "false"
    VARIES = "no constant"
    UNKNOWN = "perhaps a constant"


_NEVER_CONSTANT = frozenset(
    {
        "method_invocation",
        "assignment_expression",
        "update_expression",
        "instanceof_expression",
        "array_access",
        "object_creation_expression",
        "null_literal",
        "this",
        "lambda_expression",
        "switch_expression",
        "class_literal",
    }
)


def literal_truth(tree: Tree, condition: int) -> Truth:
    """The truth of a condition, every name in it being perhaps a constant.

    Literals under parentheses and `!` are decided; one operand that is no constant settles the
    rest.
    """
    negated = False
    node = condition
    while True:
        kind = tree.kind[node]
        if kind == "parenthesized_expression":
            node = _inner(tree, node)
        elif kind == "unary_expression" and tree.text(tree.child(node, "operator")) == "!":
            negated = not negated
            node = tree.child(node, "operand")
        else:
            break
    if kind in ("true", "false"):
        return Truth.TRUE if (kind == "true") != negated else Truth.FALSE
    return Truth.UNKNOWN if may_be_constant(tree, node) else Truth.VARIES


def may_be_constant(tree: Tree, expression: int) -> bool:
    """Whether an expression has no part that a constant expression cannot have."""
    return _NEVER_CONSTANT.isdisjoint(tree.kind[expression : tree.after[expression]])


def _inner(tree: Tree, node: int) -> int:
    return next(c for c in tree.children(node) if tree.named[c] and tree.kind[c] not in COMMENTS)
