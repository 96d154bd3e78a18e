"""Boolean constant expressions (JLS 15.29), as far as one file tells."""

from enum import Enum

from metamorph.java.scopes import Binding, resolve
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


def truth(tree: Tree, condition: int) -> Truth:
    """Whether a condition is the constant true or false, surely none, or perhaps one.

    Literals under parentheses and `!` are decided. One operand that is no constant settles the
    rest; a final variable with an initialiser, or a name that the file does not declare, may be
    a constant.
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
    kinds = tree.kind[node : tree.after[node]]
    if not _NEVER_CONSTANT.isdisjoint(kinds):
        return Truth.VARIES
    bindings = resolve(tree).of
    for name in range(node, tree.after[node]):
        binding = bindings.get(name)
        if binding is not None and not _may_be_constant(tree, binding):
            return Truth.VARIES
    return Truth.UNKNOWN


def _may_be_constant(tree: Tree, binding: Binding) -> bool:
    """Whether a variable is final and initialised: more is needed, less will not do."""
    if binding.kind not in ("local", "field") or tree.child(binding.declaration, "value") < 0:
        return False
    declaration = tree.parent[binding.declaration]
    if tree.kind[declaration] == "constant_declaration":
        return True
    modifiers = tree.child_of_kind(declaration, "modifiers")
    return modifiers >= 0 and b"final" in tree.bytes_of(modifiers).split()


def _inner(tree: Tree, node: int) -> int:
    return next(c for c in tree.children(node) if tree.named[c] and tree.kind[c] not in COMMENTS)
