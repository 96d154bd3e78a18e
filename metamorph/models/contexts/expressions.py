"""Expressions as JavaParser 3.0.0-alpha.4 shapes them."""

from functools import partial

from metamorph.models.contexts.build import Builder, Child, Handler
from metamorph.models.contexts.types import (
    ANNOTATIONS,
    Segment,
    argument_children,
    dimension_annotations,
    qualified_type,
)

BINARY = {
    "||": "BinaryExpr:or",
    "&&": "BinaryExpr:and",
    "|": "BinaryExpr:binOr",
    "&": "BinaryExpr:binAnd",
    "^": "BinaryExpr:xor",
    "==": "BinaryExpr:equals",
    "!=": "BinaryExpr:notEquals",
    "<": "BinaryExpr:less",
    ">": "BinaryExpr:greater",
    "<=": "BinaryExpr:lessEquals",
    ">=": "BinaryExpr:greaterEquals",
    "<<": "BinaryExpr:lShift",
    ">>": "BinaryExpr:rSignedShift",
    ">>>": "BinaryExpr:rUnsignedShift",
    "+": "BinaryExpr:plus",
    "-": "BinaryExpr:minus",
    "*": "BinaryExpr:times",
    "/": "BinaryExpr:divide",
    "%": "BinaryExpr:remainder",
}
ASSIGN = {
    "=": "AssignExpr:assign",
    "+=": "AssignExpr:plus",
    "-=": "AssignExpr:minus",
    "*=": "AssignExpr:star",
    "/=": "AssignExpr:slash",
    "&=": "AssignExpr:and",
    "|=": "AssignExpr:or",
    "^=": "AssignExpr:xor",
    "%=": "AssignExpr:rem",
    "<<=": "AssignExpr:lShift",
    ">>=": "AssignExpr:rSignedShift",
    ">>>=": "AssignExpr:rUnsignedShift",
}
UNARY = {
    "+": "UnaryExpr:positive",
    "-": "UnaryExpr:negative",
    "!": "UnaryExpr:not",
    "~": "UnaryExpr:inverse",
}
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


def name(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A plain name."""
    b.add("NameExpr", parent, child_id, b.tree.text(node))


def _literal(label: str) -> Handler:
    def literal(b: Builder, node: int, parent: int, child_id: int) -> None:
        b.add(label, parent, child_id, b.tree.text(node))

    return literal


def integer(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An integer literal of either size."""
    text = b.tree.text(node)
    label = "LongLiteralExpr" if text[-1] in "lL" else "IntegerLiteralExpr"
    b.add(label, parent, child_id, text)


def string(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A string literal or a text block."""
    text = b.tree.text(node)
    label = "TextBlockLiteralExpr" if text.startswith('"""') else "StringLiteralExpr"
    b.add(label, parent, child_id, text)


def operands(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A binary or assignment expression; the left operands are followed down in a loop."""
    kind = b.kind
    while True:
        left, operator, right = b.kids(node)
        table = BINARY if kind[node] == "binary_expression" else ASSIGN
        parent = b.add(table.get(kind[operator], "BinaryExpr"), parent, child_id)
        b.stack.append((right, parent, 1, None))
        child_id, node = 0, left
        if kind[node] != "binary_expression":
            break
    b.stack.append((node, parent, child_id, None))


def unary(b: Builder, node: int, parent: int, child_id: int) -> None:
    """A sign or negation; the two smallest integers are literals of their own."""
    kids = b.kids(node)
    operator, operand = b.kind[kids[0]], kids[-1]
    if operator == "-" and b.kind[operand] == "decimal_integer_literal":
        text = b.tree.text(operand)
        if text == "2147483648":
            b.add("IntegerLiteralMinValueExpr", parent, child_id, "-" + text)
            return
        if text[:-1] == "9223372036854775808":
            b.add("LongLiteralMinValueExpr", parent, child_id, "-9223372036854775808L")
            return
    this = b.add(UNARY.get(operator, "UnaryExpr"), parent, child_id)
    b.stack.append((operand, this, 0, None))


def update(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`++` and `--`, before or after."""
    kids = b.kids(node)
    before = not b.named[kids[0]]
    sign = b.kind[kids[0] if before else kids[-1]]
    label = f"UnaryExpr:{'pre' if before else 'pos'}{'In' if sign == '++' else 'De'}crement"
    this = b.add(label, parent, child_id)
    b.stack.append((kids[-1] if before else kids[0], this, 0, None))


def enclosed(b: Builder, node: int, parent: int, child_id: int) -> None:
    """An expression in parentheses; many of them are followed in a loop."""
    while b.kind[node] == "parenthesized_expression":
        parent = b.add("EnclosedExpr", parent, child_id)
        child_id = 0
        parts = b.parts(node)
        if not parts:
            return
        node = parts[0]
    b.stack.append((node, parent, child_id, None))


def inside(b: Builder, node: int) -> int:
    """The condition within a statement's parentheses."""
    parts = b.parts(node) if b.kind[node] == "parenthesized_expression" else [node]
    return parts[0] if parts else node


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
    if arguments:
        b.then_numbered(this, _values(b, arguments, phantom + 1, phantom))
    if types:
        b.then_numbered(this, argument_children(b, types, len(scope)))
    b.then(this, scope)


def _values(
    b: Builder, nodes: list[int], first: int, unranged: int = -1
) -> list[tuple[int, int, Handler | None]]:
    """Expressions with their child ids: `int[]::new` has no range, so it gets the child id of
    the first sibling without one (`unranged`, if there is one before the list)."""
    found: list[tuple[int, int, Handler | None]] = []
    for child_id, node in enumerate(nodes, first):
        if b.kind[node] == "method_reference" and b.kind[b.parts(node)[0]] == "array_type":
            unranged = child_id if unranged < 0 else unranged
            found.append((unranged, node, None))
        else:
            found.append((child_id, node, None))
    return found


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
    b.then_numbered(this, _values(b, arguments, first))
    b.then_numbered(this, argument_children(b, types, len(children)))
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


def conditional(b: Builder, node: int, parent: int, child_id: int) -> None:
    """`a ? b : c`; a method reference of an expression in c swallows the whole."""
    parent, child_id, scope = _swallowed(b, node, parent, child_id)
    this = b.add("ConditionalExpr", parent, child_id)
    tree = b.tree
    condition, then = tree.child(node, "condition"), tree.child(node, "consequence")
    last = tree.child(node, "alternative")
    unranged = [_is_unranged(b, n) for n in (then, last)]
    children: list[tuple[int, int, Handler | None]] = [(0, condition, None), (1, then, None)]
    children += [(1 if all(unranged) else i, n, h) for i, n, h in _tail(b, last, 2, scope)]
    b.then_numbered(this, children)


def _is_unranged(b: Builder, node: int) -> bool:
    return b.kind[node] == "method_reference" and b.kind[b.parts(node)[0]] == "array_type"


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
        parts = b.parts(node)
        this = b.add("FieldAccessExpr", this, 0)
        b.stack.append((parts[-1], this, 2, name))
        node = parts[0]
    b.add("NameExpr", this, 0, b.tree.text(node))


def _name_segments(b: Builder, node: int) -> list[Segment]:
    found: list[Segment] = []
    while b.kind[node] == "field_access":
        kids = b.kids(node)
        found.append((b.tree.text(kids[2]), -1, ()))
        node = kids[0]
    found.append((b.tree.text(node), -1, ()))
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
    "array_access": array_access,
    "array_creation_expression": array_creation,
    "array_initializer": array_initializer,
    "assignment_expression": operands,
    "binary_expression": operands,
    "binary_integer_literal": integer,
    "cast_expression": cast,
    "character_literal": _literal("CharLiteralExpr"),
    "class_literal": class_literal,
    "decimal_floating_point_literal": _literal("DoubleLiteralExpr"),
    "decimal_integer_literal": integer,
    "element_value_array_initializer": array_initializer,
    "false": _literal("BooleanLiteralExpr"),
    "field_access": field_access,
    "hex_floating_point_literal": _literal("DoubleLiteralExpr"),
    "hex_integer_literal": integer,
    "identifier": name,
    "instanceof_expression": instance_of,
    "lambda_expression": lambda_expression,
    "method_invocation": call,
    "method_reference": reference,
    "null_literal": _literal("NullLiteralExpr"),
    "object_creation_expression": creation,
    "octal_integer_literal": integer,
    "parenthesized_expression": enclosed,
    "string_literal": string,
    "super": this_or_super("SuperExpr"),
    "ternary_expression": conditional,
    "this": this_or_super("ThisExpr"),
    "true": _literal("BooleanLiteralExpr"),
    "unary_expression": unary,
    "underscore_pattern": name,
    "update_expression": update,
}
