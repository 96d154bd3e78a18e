"""The type of a switch's selector, as far as its labels and the file tell (JLS 14.11)."""

from collections.abc import Sequence

from metamorph.java.classes import UNKNOWN, Classes, classes_of
from metamorph.java.expressions import expression_types
from metamorph.java.jdk import BOXES
from metamorph.java.tree import COMMENTS, Tree
from metamorph.java.types import Types, file_types, type_name, variable_type

_INTEGRAL = frozenset({"int", "char", "short", "byte", "Integer", "Character", "Short", "Byte"})
_INTEGERS = frozenset(
    {
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "character_literal",
        "integral_type",
    }
)
_STRINGS = frozenset({"string_literal", "text_block"})


def selector(tree: Tree, switch: int) -> int:
    """The selector expression without its parentheses."""
    node = tree.child(switch, "condition")
    while tree.kind[node] == "parenthesized_expression":
        node = next(tree.named_children(node))
    return node


def constants(tree: Tree, label: int) -> list[int]:
    """The constant expressions of one switch label."""
    return [c for c in tree.children(label) if tree.named[c] and tree.kind[c] not in COMMENTS]


def selector_type(tree: Tree, switch: int, labels: Sequence[int]) -> str:
    """`int`, `String`, or the written name of an enum; "" where the file does not tell."""
    known = {_label_type(tree, c) for label in labels for c in constants(tree, label)} - {""}
    if known:
        return known.pop() if len(known) == 1 else ""
    name = _type_of(tree, selector(tree, switch))
    if name in _INTEGRAL:
        return "int"
    if name == "String":
        return name
    return name if name and _names_one_type(tree, switch, name) else ""


def _label_type(tree: Tree, node: int) -> str:
    """What a constant expression is by its literals; "" for names alone."""
    kinds = tree.kind[node : tree.after[node]]
    if not _STRINGS.isdisjoint(kinds):
        return "String"
    return "int" if not _INTEGERS.isdisjoint(kinds) else ""


def _type_of(tree: Tree, node: int) -> str:
    """The type of an expression, members of the file's own classes looked up from the left."""
    types = file_types(tree)
    chain = [node]
    while (receiver := tree.child(chain[-1], "object")) >= 0:
        chain.append(receiver)
    found = ""
    for part in reversed(chain):
        found = (
            expression_types(types, part).get(part)
            or _this(tree, part)
            or _class_named(tree, part)
            or _member(types, part, found)
        )
    return "" if _class_named(tree, node) else found


def _this(tree: Tree, node: int) -> str:
    """The class of `this`; "" for one without a name."""
    if tree.kind[node] != "this":
        return ""
    classes = classes_of(tree)
    at = classes.around(node)
    return classes.all[at].name if at >= 0 else ""


def _class_named(tree: Tree, node: int) -> str:
    """The class of the file that a name before a dot means, if there is just one."""
    if tree.kind[node] != "identifier" or node in file_types(tree).bindings:
        return ""
    name = tree.text(node)
    return name if len(classes_of(tree).by_name.get(name, ())) == 1 else ""


def _member(types: Types, node: int, receiver: str) -> str:
    """The type of `receiver.field` or of a call, "" where an inherited one may be meant."""
    tree, classes = types.tree, classes_of(types.tree)
    if tree.kind[node] == "method_invocation" and tree.child(node, "object") < 0:
        return _called_in_scope(types, classes, node)
    owners = classes.by_name.get(receiver, [])
    if len(owners) != 1 or receiver in types.imports:
        return ""
    if tree.kind[node] == "method_invocation":
        return _called(types, classes, owners[0], node) or ""
    if tree.kind[node] != "field_access":
        return ""
    holder = tree.parent[classes.all[owners[0]].body]
    field = types.fields.get((holder, tree.text(tree.child(node, "field"))))
    return variable_type(types, field) if field is not None else ""


def _called_in_scope(types: Types, classes: Classes, call: int) -> str:
    """The type that a call without receiver returns: the innermost class with such a method."""
    at = classes.around(call)
    while at >= 0:
        found = _called(types, classes, at, call)
        if found is not None:
            return found
        at = classes.all[at].outer
    return ""


def _called(types: Types, classes: Classes, at: int, call: int) -> str | None:
    """What a method of that class returns; "" in doubt, None where it has none of that name.

    A method without parameters is told by its name; others may meet inherited namesakes.
    """
    tree = types.tree
    name, count = tree.text(tree.child(call, "name")), _count(tree, tree.child(call, "arguments"))
    above = list(classes.supertypes(at))
    owners = [at, *(s for s in above if s >= 0)]
    namesakes = [m for o in owners for m in _methods(tree, classes.all[o].body, name)]
    if not namesakes:
        return "" if UNKNOWN in above else None
    fitting = [m for m in namesakes if _count(tree, tree.child(m, "parameters")) == count]
    if count and (UNKNOWN in above or len(fitting) < len(namesakes)):
        return ""
    returned = [type_name(types, tree.child(m, "type")) for m in fitting]
    return returned[0] if returned and (not count or len(set(returned)) == 1) else ""


def _methods(tree: Tree, body: int, name: str) -> list[int]:
    """The methods of that name which a class body declares."""
    members = list(tree.named_children(body))
    for part in members[-1:] if tree.kind[body] == "enum_body" else ():
        members += tree.named_children(part)
    return [
        m
        for m in members
        if tree.kind[m] == "method_declaration" and tree.text(tree.child(m, "name")) == name
    ]


def _count(tree: Tree, node: int) -> int:
    return sum(tree.kind[c] != "receiver_parameter" for c in tree.named_children(node))


def _names_one_type(tree: Tree, switch: int, name: str) -> bool:
    """Whether a type name can stand before a constant: no variable or second type hides it."""
    if not name.replace(".", "").isidentifier() or name == "reference" or name in BOXES:
        return False
    types, classes = file_types(tree), classes_of(tree)
    first = name.partition(".")[0]
    declared = len(classes.by_name.get(first, ())) + (first in types.imports)
    hidden = any(binding.name == first for binding in types.bindings.values())
    return declared <= 1 and not hidden and first not in types.parameters
