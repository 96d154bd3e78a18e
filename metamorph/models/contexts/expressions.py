"""Accesses, calls and creations as JavaParser 3.0.0-alpha.4 shapes them."""

from functools import partial

from metamorph.models.contexts.build import Builder, Child, Handler
from metamorph.models.contexts.operators import name
from metamorph.models.contexts.types import (
    ANNOTATIONS,
    argument_children,
    dimension_annotations,
)


def array_access(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`a[i]`."""
    this = b.add("ArrayAccessExpr", parent, child_id)
    b.then(this, [(b.tree.child(node, "array"), None), (b.tree.child(node, "index"), None)])


def this_or_super(label: str) -> Handler:
    """A bare `this` or `super`."""
    text = "this" if label == "ThisExpr" else "super"

    def keyword(b: Builder, node: int, parent: int, child_id: int) -> None:
        b.add(label, parent, child_id, text)

    return keyword


def _super_of(scope: int) -> Handler:
    def qualified_super(b: Builder, node: int, parent: int, child_id: int) -> None:
        this = b.add("SuperExpr", parent, child_id)
        b.stack.append((scope, this, 0, None))

    return qualified_super


def _scope(b: Builder, kids: list[int]) -> list[Child]:
    """What stands before the name, from a node's children: nothing, `a`, `super`, `A.super`."""
    found: list[Child] = []
    for node in kids:
        kind = b.kind[node]
        if b.field[node] == "object":
            found = [(node, None)]
        elif kind == "super" and found:
            found = [(node, _super_of(found[0][0]))]
        elif kind == "super":
            found = [(node, None)]
    return found


def field_access(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`a.b`: its name comes after a phantom child; `A.this` is a ThisExpr."""
    kids = b.kids(node)
    last = kids[-1]
    if b.kind[last] == "this":
        this = b.add("ThisExpr", parent, child_id)
        b.stack.append((kids[0], this, 0, None))
        return
    scope = _scope(b, kids)
    this = b.add("FieldAccessExpr", parent, child_id)
    b.stack.append((last, this, len(scope) + 1, name))
    b.then(this, scope)


def call(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A method call: scope, type arguments, a phantom, arguments, and the name at last."""
    kids = b.kids(node)
    kind, field = b.kind, b.field
    this = b.add("MethodCallExpr", parent, child_id)
    called, types, arguments = -1, [], []
    for child in kids:
        if field[child] == "name":
            called = child
        elif field[child] == "arguments":
            arguments = b.parts(child)
        elif kind[child] == "type_arguments":
            types = b.parts(child)
    scope = _scope(b, kids) if len(kids) > 2 else []
    phantom = len(scope) + len(types)
    b.stack.append((called, this, phantom + 1 + len(arguments), name))
    typed = argument_children(b, types, len(scope)) if types else []
    if arguments:
        unranged = _first_array(b, typed, phantom)
        b.then_numbered(this, _values(b, arguments, phantom + 1, unranged))
    b.then_numbered(this, typed)
    b.then(this, scope)


def _values(
    b: Builder, nodes: list[int], first: int, unranged: int = -1
) -> list[tuple[int, int, Handler | None]]:
    """Expressions with their child ids: `int[]::new` has no range, so it gets the child id of
    the first sibling without one (`unranged`, if there is one before the list)."""
    found: list[tuple[int, int, Handler | None]] = []
    for child_id, node in enumerate(nodes, first):
        if has_no_range(b, node):
            unranged = child_id if unranged < 0 else unranged
            found.append((unranged, node, None))
        else:
            found.append((child_id, node, None))
    return found


def _first_array(b: Builder, typed: list[tuple[int, int, Handler | None]], otherwise: int) -> int:
    """The child id of the array types among type arguments, which have no range."""
    return next((i for i, node, _ in typed if b.kind[node] == "array_type"), otherwise)


def has_no_range(b: Builder, node: int) -> bool:
    """Whether an expression is a method reference of an array type."""
    return b.kind[node] == "method_reference" and b.kind[b.parts(node)[0]] == "array_type"


def creation(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`new A(..) {..}`: outer instance, type, type arguments, arguments, members."""
    this = b.add("ObjectCreationExpr", parent, child_id)
    children: list[Child] = []
    types: list[int] = []
    arguments: list[int] = []
    members: list[int] = []
    created = -1
    for child in b.parts(node):
        kind, field = b.kind[child], b.field[child]
        if field == "type":
            created = child
        elif field == "arguments":
            arguments = b.parts(child)
        elif kind == "type_arguments":
            types = b.parts(child)
        elif kind == "class_body":
            members = [child]
        elif created < 0 and kind not in ANNOTATIONS:
            children.append((child, None))
    children.append((created, None))
    first = len(children) + len(types)
    if members:
        b.stack.append((members[0], this, first + len(arguments), None))
    typed = argument_children(b, types, len(children))
    b.then_numbered(this, _values(b, arguments, first, _first_array(b, typed, -1)))
    b.then_numbered(this, typed)
    b.then(this, children)


def array_creation(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`new int[n][]`: its levels, all with the child id 0, then type and initialiser."""
    this = b.add("ArrayCreationExpr", parent, child_id)
    levels: list[Child] = []
    created, value = -1, -1
    for child in b.parts(node):
        if b.field[child] == "type":
            created = child
        elif b.field[child] == "value" or b.kind[child] == "array_initializer":
            value = child
        elif b.kind[child] == "dimensions_expr":
            levels.append((child, _sized_level))
        elif b.kind[child] == "dimensions":
            levels += [
                (child, partial(_open_level, annotations=tuple(a)))
                for a in dimension_annotations(b, child)
            ]
    children = [(0, n, h) for n, h in levels]
    children += [(i, n, None) for i, n in enumerate((created, value), len(levels)) if n >= 0]
    b.then_numbered(this, children)


def _sized_level(b: Builder, node: int, parent: int, child_id: int) -> None:
    parts = b.parts(node)
    this = b.add("ArrayCreationLevel", parent, child_id)
    b.then(this, [(p, None) for p in [*parts[-1:], *parts[:-1]]])


def _open_level(
    b: Builder, node: int, parent: int, child_id: int, annotations: tuple[int, ...] = ()
) -> None:
    this = b.add("ArrayCreationLevel", parent, child_id, None if annotations else "[]")
    b.then(this, [(a, None) for a in annotations])


def array_initializer(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`{1, 2}`; a leaf when empty."""
    parts = b.parts(node)
    this = b.add("ArrayInitializerExpr", parent, child_id, None if parts else "{}")
    b.then_numbered(this, _values(b, parts, 0))


def class_literal(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`A.class`."""
    this = b.add("ClassExpr", parent, child_id)
    b.stack.append((b.parts(node)[0], this, 0, None))


def instance_of(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`a instanceof B`; a pattern is a TypePatternExpr or RecordPatternExpr."""
    this = b.add("InstanceOfExpr", parent, child_id)
    tree = b.tree
    left, right = tree.child(node, "left"), tree.child(node, "right")
    bound, pattern = tree.child(node, "name"), tree.child(node, "pattern")
    target: Child = (pattern if pattern >= 0 else right, None)
    if bound >= 0:
        target = (right, partial(_type_pattern, bound=bound))
    b.then(this, [(left, None), target])


def _type_pattern(b: Builder, node: int, parent: int, child_id: int, bound: int = -1) -> None:
    this = b.add("TypePatternExpr", parent, child_id)
    b.then(this, [(node, None), (bound, name)])


HANDLERS: dict[str, Handler] = {
    "array_access": array_access,
    "array_creation_expression": array_creation,
    "array_initializer": array_initializer,
    "class_literal": class_literal,
    "element_value_array_initializer": array_initializer,
    "field_access": field_access,
    "instanceof_expression": instance_of,
    "method_invocation": call,
    "object_creation_expression": creation,
    "super": this_or_super("SuperExpr"),
    "this": this_or_super("ThisExpr"),
}
