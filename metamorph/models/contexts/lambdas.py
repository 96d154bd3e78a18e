"""Lambdas, method references, and the casts and conditionals that they change."""

from functools import partial

from metamorph.models.contexts.build import Builder, Child, Handler
from metamorph.models.contexts.expressions import has_no_range
from metamorph.models.contexts.operators import name
from metamorph.models.contexts.types import Segment, argument_children, qualified_type

_ENDING = frozenset({"cast_expression", "ternary_expression"})
_TYPES = frozenset(
    {
        "annotated_type",
        "array_type",
        "boolean_type",
        "floating_point_type",
        "generic_type",
        "integral_type",
        "scoped_type_identifier",
        "type_identifier",
        "void_type",
    }
)


def conditional(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`a ? b : c`; a method reference of an expression in c swallows the whole."""
    parent, child_id, scope = _swallowed(b, node, parent, child_id)
    this = b.add("ConditionalExpr", parent, child_id)
    tree = b.tree
    condition, then = tree.child(node, "condition"), tree.child(node, "consequence")
    last = tree.child(node, "alternative")
    unranged = [has_no_range(b, n) for n in (then, last)]
    children: list[tuple[int, int, Handler | None]] = [(0, condition, None), (1, then, None)]
    children += [(1 if all(unranged) else i, n, h) for i, n, h in _tail(b, last, 2, scope)]
    b.then_numbered(this, children)


def cast(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A cast; to an intersection it is two casts, the last bound moved to the outer one."""
    parent, child_id, scope = _swallowed(b, node, parent, child_id)
    this = b.add("CastExpr", parent, child_id)
    kids = b.kids(node)
    types = [k for k in kids if b.field[k] == "type"]
    value = kids[-1]
    if len(types) > 1:
        b.stack.append((node, this, 1, partial(_inner_cast, types=types, scope=scope)))
        b.stack.append((types[-1], this, 0, None))
        return
    b.then_numbered(this, [(0, types[0], None), *_tail(b, value, 1, scope)])


def _inner_cast(
    b: Builder, node: int, parent: int, child_id: int, types: list[int], scope: int
) -> None:
    this = b.add("CastExpr", parent, child_id)
    intersection = b.add("IntersectionType", this, 0)
    b.then_numbered(this, _tail(b, b.kids(node)[-1], 1, scope))
    b.then(intersection, [(t, None) for t in types[:-1]])


def _tail(b: Builder, node: int, first: int, scope: int) -> list[tuple[int, int, Handler | None]]:
    """The last operand of a cast or conditional.

    Here the parser reads a lambda's parameter as an operand before it sees the arrow, and leaves
    that operand behind as a child; the lambda of a bare name has the name's range, and so its
    child id. A method reference that swallowed the whole leaves its scope.
    """
    if scope >= 0 and b.kind[node] == "method_reference":
        return [(first, scope, _scope_handler(b, scope))]
    if b.kind[node] != "lambda_expression":
        return [(first, node, None)]
    given = b.tree.child(node, "parameters")
    if b.kind[given] in ("identifier", "underscore_pattern"):
        return [(first, given, name), (first, node, None)]
    parts = b.parts(given)
    if not parts or (len(parts) == 1 and b.kind[given] == "inferred_parameters"):
        return [(first, given, _left_behind), (first + 1, node, None)]
    return [(first, node, None)]


def _left_behind(b: Builder, node: int, parent: int, child_id: int) -> None:
    parts = b.parts(node)
    this = b.add("EnclosedExpr", parent, child_id, None if parts else "()")
    b.then(this, [(p, name) for p in parts])


def _swallowed(b: Builder, node: int, parent: int, child_id: int) -> tuple[int, int, int]:
    """Put a MethodReferenceExpr around a cast or conditional that ends in `expression::name`.

    Gives the parent and child id for the node itself, and the scope to leave in place of the
    reference, or -1. Only the outermost of nested casts and conditionals is wrapped.
    """
    above = b.tree.parent[node] if node else -1
    nested = above >= 0 and b.kind[above] in _ENDING and b.kids(above)[-1] == node
    last = b.kids(node)[-1]
    while not nested and b.kind[last] in _ENDING:
        last = b.kids(last)[-1]
    if b.kind[last] != "method_reference":
        return parent, child_id, -1
    scope = b.parts(last)[0]
    if b.kind[scope] == "super" or _is_type(b, scope):
        return parent, child_id, -1
    if nested:
        return parent, child_id, scope
    this = b.add("MethodReferenceExpr", parent, child_id)
    _reference_arguments(b, last, this)
    return this, 0, scope


def reference(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`a::b`: what looks like a type is a TypeExpr; the name is no node."""
    scope = b.parts(node)[0]
    this = b.add("MethodReferenceExpr", parent, child_id)
    _reference_arguments(b, node, this)
    if not _is_type(b, scope):
        b.stack.append((scope, this, 0, _scope_handler(b, scope)))
        return
    wrapper = b.add("TypeExpr", this, 0)
    if b.kind[scope] in _TYPES:
        b.stack.append((scope, wrapper, 0, None))
    else:
        qualified_type(b, _name_segments(b, scope), wrapper, 0)


def _reference_arguments(b: Builder, node: int, this: int) -> None:
    for child in b.parts(node)[1:]:
        if b.kind[child] == "type_arguments":
            b.then_numbered(this, argument_children(b, b.parts(child), 1))


def _is_type(b: Builder, node: int) -> bool:
    """Whether the parser reads what stands before `::` as a type."""
    while b.kind[node] == "field_access":
        kids = b.kids(node)
        if len(kids) != 3 or b.kind[kids[2]] != "identifier":
            return False
        node = kids[0]
    if _scope_handler(b, node) is not None:
        return False
    return b.kind[node] == "identifier" or b.kind[node] in _TYPES


def _scope_handler(b: Builder, node: int) -> Handler | None:
    """The syntax tree has `A.super` before `::` as a type."""
    kind = b.kind[node]
    is_super = kind == "scoped_type_identifier" and b.tree.text(b.parts(node)[-1]) == "super"
    return _named_super if is_super else None


def _named_super(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`a.B.super`: a SuperExpr of names."""
    this = b.add("SuperExpr", parent, child_id)
    node = b.parts(node)[0]
    while b.kind[node] == "scoped_type_identifier":
        b.at = node
        parts = b.parts(node)
        this = b.add("FieldAccessExpr", this, 0)
        b.stack.append((parts[-1], this, 2, name))
        node = parts[0]
    b.at = node
    b.add("NameExpr", this, 0, b.tree.text(node))


def _name_segments(b: Builder, node: int) -> list[Segment]:
    found: list[Segment] = []
    while b.kind[node] == "field_access":
        kids = b.kids(node)
        found.append((b.tree.text(kids[2]), -1, (), node))
        node = kids[0]
    found.append((b.tree.text(node), -1, (), node))
    found.reverse()
    return found


def lambda_expression(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A lambda: parameters, then its block or its expression as a statement."""
    this = b.add("LambdaExpr", parent, child_id)
    given, body = b.tree.child(node, "parameters"), b.tree.child(node, "body")
    if b.kind[given] == "formal_parameters":
        children: list[Child] = [(p, None) for p in b.parts(given)]
    else:
        names = b.parts(given) if b.kind[given] == "inferred_parameters" else [given]
        children = [(p, _inferred) for p in names]
    children.append((body, None if b.kind[body] == "block" else _lambda_body))
    b.then(this, children)


def _inferred(b: Builder, node: int, parent: int, child_id: int) -> None:
    this = b.add("Parameter", parent, child_id)
    b.add("VariableDeclaratorId", this, 0, b.tree.text(node))


def _lambda_body(b: Builder, node: int, parent: int, child_id: int) -> None:
    this = b.add("ExpressionStmt", parent, child_id)
    b.stack.append((node, this, 0, None))


HANDLERS: dict[str, Handler] = {
    "cast_expression": cast,
    "lambda_expression": lambda_expression,
    "method_reference": reference,
    "ternary_expression": conditional,
}
