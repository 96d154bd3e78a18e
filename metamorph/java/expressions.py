"""Static types of expressions, as far as one file tells; `types` says how a type is written."""

from collections.abc import Callable, Sequence

from metamorph.java import jdk
from metamorph.java.fields import own_field
from metamorph.java.jdk import BOXES, PRIMITIVES
from metamorph.java.names import is_misread_operand
from metamorph.java.tree import Tree
from metamorph.java.types import (
    REFERENCE,
    Types,
    brackets,
    means,
    operands,
    type_name,
    variable_type,
)

_COMPARISONS = frozenset({"!=", "&&", "<", "<=", "==", ">", ">=", "||"})
_SHIFTS = frozenset({"<<", ">>", ">>>"})
_Found = dict[int, str]
_Rule = Callable[[Types, _Found, int], str]


def expression_types(types: Types, node: int) -> dict[int, str]:
    """The types of all expressions below a node; those that are not known are left out."""
    found: dict[int, str] = {}
    kind = types.tree.kind
    for at in range(types.tree.after[node] - 1, node - 1, -1):
        rule = _RULES.get(kind[at])
        if rule is not None:
            name = rule(types, found, at)
            if name:
                found[at] = name
    return found


def _always(name: str) -> _Rule:
    return lambda types, found, node: name


def _integer(types: Types, found: _Found, node: int) -> str:
    return "long" if types.tree.text(node)[-1] in "lL" else "int"


def _floating(types: Types, found: _Found, node: int) -> str:
    return "float" if types.tree.text(node)[-1] in "fF" else "double"


def _identifier(types: Types, found: _Found, node: int) -> str:
    """A variable's declared type; that of the literal or `new` that a `var` begins as."""
    binding = types.bindings.get(node)
    if binding is None or binding.doubt:
        return ""
    name = variable_type(types, binding)
    if name or binding.kind != "local":
        return name
    value = types.tree.child(binding.declaration, "value")
    rule = _PLAIN.get(types.tree.kind[value]) if value >= 0 else None
    return rule(types, {}, value) if rule else ""


def _inner(types: Types, found: _Found, node: int) -> str:
    inner = operands(types.tree, node)
    return found.get(inner[0], "") if inner else ""


def _unary(types: Types, found: _Found, node: int) -> str:
    tree = types.tree
    if tree.text(tree.child(node, "operator")) == "!":
        return "boolean"
    return jdk.promoted(found.get(tree.child(node, "operand"), ""))


def _binary(types: Types, found: _Found, node: int) -> str:
    tree = types.tree
    sign = tree.text(tree.child(node, "operator"))
    if sign in _COMPARISONS:
        return "boolean"
    left = found.get(tree.child(node, "left"), "")
    right = found.get(tree.child(node, "right"), "")
    if sign == "+" and "String" in (left, right):
        return "String"
    if {BOXES.get(left, left), BOXES.get(right, right)} == {"boolean"}:
        return "boolean"
    return jdk.promoted(left) if sign in _SHIFTS else jdk.promoted(left, right)


def _left(types: Types, found: _Found, node: int) -> str:
    return found.get(types.tree.child(node, "left"), "")


def _cast(types: Types, found: _Found, node: int) -> str:
    tree = types.tree
    written = [c for c in tree.children(node) if tree.field[c] == "type"]
    if is_misread_operand(tree, written[0]):
        return ""
    return type_name(types, written[0]) if len(written) == 1 else REFERENCE


def _ternary(types: Types, found: _Found, node: int) -> str:
    tree = types.tree
    left = found.get(tree.child(node, "consequence"), "")
    right = found.get(tree.child(node, "alternative"), "")
    if left == right:
        return left
    if left in PRIMITIVES and right in PRIMITIVES:
        return jdk.promoted(left, right)
    return "String" if {left, right} == {"String", "null"} else ""


def _element(types: Types, found: _Found, node: int) -> str:
    return found.get(types.tree.child(node, "array"), "").removesuffix("[]")


def _field(types: Types, found: _Found, node: int) -> str:
    tree = types.tree
    receiver, name = tree.child(node, "object"), tree.text(tree.child(node, "field"))
    if name == "length" and found.get(receiver, "").endswith("[]"):
        return "int"
    field = own_field(types, node)
    if field is not None:
        return variable_type(types, field)
    return jdk_constant(types, node) or ""


def jdk_constant(types: Types, access: int) -> str | None:
    """The type of `Integer.MAX_VALUE` and the like."""
    owner = jdk_class(types, types.tree.child(access, "object"))
    return jdk.constant(owner, types.tree.text(types.tree.child(access, "field")))


def jdk_class(types: Types, receiver: int) -> str:
    """The class of java.lang that a simple name before a dot means, or ""."""
    tree = types.tree
    if receiver < 0 or tree.kind[receiver] != "identifier" or receiver in types.bindings:
        return ""
    name = tree.text(receiver)
    return name if means(types, name, f"java.lang.{name}") else ""


def jdk_call(types: Types, found: dict[int, str], call: int) -> tuple[str, bool] | None:
    """Result type and whether it may throw, of a call that is known to be pure; else None."""
    tree = types.tree
    receiver, name = tree.child(call, "object"), tree.text(tree.child(call, "name"))
    arguments = argument_types(tree, found, call)
    if receiver < 0 or tree.child_of_kind(call, "super") >= 0:
        return None
    if found.get(receiver) == "String":
        result = jdk.string_call(name, arguments)
        return None if result is None else (result, True)
    result = jdk.static_call(jdk_class(types, receiver), name, arguments)
    return None if result is None else (result, False)


def argument_types(tree: Tree, found: dict[int, str], call: int) -> Sequence[str]:
    """The types of a call's arguments, "" where unknown."""
    return [found.get(a, "") for a in operands(tree, tree.child(call, "arguments"))]


def _call(types: Types, found: _Found, node: int) -> str:
    known = jdk_call(types, found, node)
    return known[0] if known else ""


def _new(types: Types, found: _Found, node: int) -> str:
    return type_name(types, types.tree.child(node, "type"))


def _new_array(types: Types, found: _Found, node: int) -> str:
    tree = types.tree
    dims = 0
    for child in tree.children(node):
        if tree.kind[child] == "dimensions_expr":
            dims += 1
        elif tree.kind[child] == "dimensions":
            dims += brackets(tree, child)
    return type_name(types, tree.child(node, "type")) + "[]" * dims


_PLAIN: dict[str, _Rule] = {
    "array_creation_expression": _new_array,
    "binary_integer_literal": _integer,
    "cast_expression": _cast,
    "character_literal": _always("char"),
    "decimal_floating_point_literal": _floating,
    "decimal_integer_literal": _integer,
    "false": _always("boolean"),
    "hex_floating_point_literal": _floating,
    "hex_integer_literal": _integer,
    "instanceof_expression": _always("boolean"),
    "object_creation_expression": _new,
    "octal_integer_literal": _integer,
    "string_literal": _always("String"),
    "true": _always("boolean"),
}
_RULES: dict[str, _Rule] = {
    **_PLAIN,
    "array_access": _element,
    "assignment_expression": _left,
    "binary_expression": _binary,
    "class_literal": _always("Class"),
    "field_access": _field,
    "identifier": _identifier,
    "method_invocation": _call,
    "null_literal": _always("null"),
    "parenthesized_expression": _inner,
    "ternary_expression": _ternary,
    "unary_expression": _unary,
    "update_expression": _inner,
}
