"""Effects of operators, conversions, calls and creations."""

from metamorph.java import jdk
from metamorph.java.expressions import argument_types, jdk_call
from metamorph.java.gathering import Gathering
from metamorph.java.jdk import BOXES, PRIMITIVES
from metamorph.java.names import is_misread_operand
from metamorph.java.tree import Tree
from metamorph.java.types import REFERENCE, is_type, means, operands, type_name, variable_type

_FLOATING = frozenset({"double", "float"})
_PRINTED = frozenset({*PRIMITIVES, *BOXES, "String", "null"})
_INTEGERS = frozenset(
    {
        "binary_integer_literal",
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
    }
)


def declarator(found: Gathering, node: int) -> None:
    tree = found.tree
    value = tree.child(node, "value")
    binding = found.types.bindings.get(tree.child(node, "name"))
    if value < 0:
        return
    target = variable_type(found.types, binding) if binding is not None else ""
    if tree.kind[value] == "array_initializer":
        found.elements[value] = target
    elif binding is None or target:
        found.stores(target, value)


def assignment(found: Gathering, node: int) -> None:
    sign = found.sign(node)
    target, value = found.child_type(node, "left"), found.tree.child(node, "right")
    if sign == "=":
        found.stores(target, value)
    else:
        _operation(found, node, sign.removesuffix("="))


def binary(found: Gathering, node: int) -> None:
    _operation(found, node, found.sign(node))


def _operation(found: Gathering, node: int, sign: str) -> None:
    """A binary operation, of a compound assignment too: its operands may be strings or boxes."""
    left, right = found.tree.child(node, "left"), found.tree.child(node, "right")
    types = (found.type(left), found.type(right))
    if sign == "+" and not PRIMITIVES.issuperset(types):
        _addition(found, node, types)
    elif sign in ("==", "!="):
        if not PRIMITIVES.isdisjoint(types) or ("" in types and "null" not in types):
            found.needs_primitive(left, right)
    else:
        found.needs_primitive(left, right)
    if sign in ("/", "%") and not (
        types[0] in _FLOATING or types[1] in _FLOATING or _is_nonzero(found.tree, right)
    ):
        found.throws.add("division")


def _addition(found: Gathering, node: int, types: tuple[str, str]) -> None:
    """String concatenation calls toString of objects; of boxes and strings nothing is seen."""
    if "String" in types:
        if any(t not in _PRINTED for t in types):
            found.anything()
    elif all(t in PRIMITIVES or t in BOXES for t in types):
        found.throws.add("unboxing")
    else:
        found.anything()


def _is_nonzero(tree: Tree, node: int) -> bool:
    """Whether an expression is an integer literal other than zero, perhaps with a sign."""
    while tree.kind[node] in ("parenthesized_expression", "unary_expression"):
        if tree.kind[node] == "unary_expression" and tree.bytes_of(node)[:1] not in (b"-", b"+"):
            return False
        node = operands(tree, node)[-1]
    digits = tree.text(node).lower().removeprefix("0x").removeprefix("0b")
    return tree.kind[node] in _INTEGERS and any(d not in "0_l" for d in digits)


def operand(found: Gathering, node: int) -> None:
    found.needs_primitive(operands(found.tree, node)[-1])


def update(found: Gathering, node: int) -> None:
    found.needs_primitive(operands(found.tree, node)[0])


def cast(found: Gathering, node: int) -> None:
    tree = found.tree
    if is_misread_operand(tree, tree.child(node, "type")):
        found.anything()
        return
    target, value = found.type(node), found.child_type(node, "value")
    if target in PRIMITIVES:
        found.needs_primitive(tree.child(node, "value"))
    elif value not in (*PRIMITIVES, "null") and not _is_upcast(found, target, value):
        found.throws.add("cast")


def _is_upcast(found: Gathering, target: str, value: str) -> bool:
    """Whether a cast between class types is known to hold; a local class may hide a namesake."""
    if target == "Object":
        return means(found.types, target, "java.lang.Object")
    return target == value != REFERENCE and target not in found.types.declared


def ternary(found: Gathering, node: int) -> None:
    found.needs_primitive(found.tree.child(node, "condition"))
    left, right = found.child_type(node, "consequence"), found.child_type(node, "alternative")
    safe = "null" in (left, right) or (left == right and left != REFERENCE and left)
    boxes = {left, right} & (BOXES.keys() | {"", REFERENCE})
    if not safe and boxes:
        found.throws.add("unboxing")


def call(found: Gathering, node: int) -> None:
    known = jdk_call(found.types, found.known, node)
    if known is None:
        found.anything()
    elif known[1]:
        found.throws.add("null")


def new(found: Gathering, node: int) -> None:
    tree, types = found.tree, found.types
    name = type_name(types, tree.child(node, "type"))
    plain = tree.kind[node + 1] == "new" and tree.child_of_kind(node, "class_body") < 0
    full = jdk.CONSTRUCTED.get(name, "")
    throws = jdk.construction(name, argument_types(tree, found.known, node))
    if not plain or throws is None or not means(types, name, full):
        found.anything()
    elif throws:
        value = operands(tree, tree.child(node, "arguments"))[0]
        size = tree.kind[value] == "decimal_integer_literal" and _is_nonzero(tree, value)
        if not size and tree.kind[value] != "string_literal":
            found.throws.add("argument")


def new_array(found: Gathering, node: int) -> None:
    tree = found.tree
    value = tree.child(node, "value")
    if value >= 0:
        found.elements[value] = found.type(node)
    for child in tree.children(node):
        if tree.kind[child] == "dimensions_expr":
            size = operands(tree, child)[-1]
            if tree.kind[size] != "decimal_integer_literal":
                found.throws.add("array-size")
                found.needs_primitive(size)


def initialiser(found: Gathering, node: int) -> None:
    tree = found.tree
    element = found.elements.get(node, "").removesuffix("[]")
    for value in operands(tree, node):
        if tree.kind[value] == "array_initializer":
            found.elements[value] = element
        else:
            found.stores(element, value)


def reference(found: Gathering, node: int) -> None:
    """`x::m` evaluates x and throws if it is null; `Type::m` does nothing yet."""
    tree, types = found.tree, found.types
    receiver = operands(tree, node)[0]
    kind = tree.kind[receiver]
    if kind in ("this", "super") or kind.endswith(("type", "type_identifier")):
        return
    if kind != "identifier" or receiver in types.bindings:
        found.throws.add("null")
    elif not is_type(types, tree.text(receiver)):
        found.anything()
