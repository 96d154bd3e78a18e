"""The type of a switch's selector, as far as its labels and the file tell (JLS 14.11)."""

from collections.abc import Sequence

from metamorph.java.classes import UNKNOWN, Classes, classes_of
from metamorph.java.expressions import expression_types
from metamorph.java.fields import own_field
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
    name, place = _type_of(tree, selector(tree, switch))
    if name in _INTEGRAL:
        return "int"
    return name if name == "String" else _name_at(tree, switch, name, place)


def _label_type(tree: Tree, node: int) -> str:
    """What a constant expression is by its literals; "" for names alone."""
    kinds = tree.kind[node : tree.after[node]]
    if not _STRINGS.isdisjoint(kinds):
        return "String"
    return "int" if not _INTEGERS.isdisjoint(kinds) else ""


def _type_of(tree: Tree, node: int) -> tuple[str, int]:
    """The type of an expression, looked up from the left, and the place that writes its name."""
    types = file_types(tree)
    chain = [node]
    while (receiver := tree.child(chain[-1], "object")) >= 0:
        chain.append(receiver)
    found, place = "", node
    for part in reversed(chain):
        known = expression_types(types, part).get(part) or _this(tree, part)
        if not known and part != node:
            known = _class_named(types, part)
        if known:
            found, place = known, _written_at(types, part)
        else:
            found, place = _member(types, part, found, place)
    return found, place


def _this(tree: Tree, node: int) -> str:
    """The class of `this`; "" for one without a name."""
    if tree.kind[node] != "this":
        return ""
    classes = classes_of(tree)
    at = classes.around(node)
    return classes.all[at].name if at >= 0 else ""


def _class_named(types: Types, node: int) -> str:
    """The class of the file that a name before a dot means, or ""."""
    if types.tree.kind[node] != "identifier" or node in types.bindings:
        return ""
    name = types.tree.text(node)
    return name if classes_of(types.tree).meaning(name, node) >= 0 else ""


def _written_at(types: Types, node: int) -> int:
    """Where the type of a variable is written; other types are told by the expression itself."""
    binding = types.bindings.get(node)
    if binding is None and types.tree.kind[node] == "field_access":
        binding = own_field(types, node)
    return node if binding is None else binding.node


def _member(types: Types, node: int, receiver: str, place: int) -> tuple[str, int]:
    """The type of `receiver.field` or of a call, "" where an inherited one may be meant."""
    tree, classes = types.tree, classes_of(types.tree)
    call = tree.kind[node] == "method_invocation"
    if call and tree.child(node, "object") < 0:
        return _called_in_scope(types, classes, node)
    owner = classes.meaning(receiver, place) if receiver else UNKNOWN
    if owner < 0:
        return "", node
    if call:
        return _called(types, classes, owner, node) or ("", node)
    if tree.kind[node] != "field_access":
        return "", node
    holder = tree.parent[classes.all[owner].body]
    field = types.fields.get((holder, tree.text(tree.child(node, "field"))))
    return ("", node) if field is None else (variable_type(types, field), field.node)


def _called_in_scope(types: Types, classes: Classes, call: int) -> tuple[str, int]:
    """The type that a call without receiver returns: the innermost class with such a method."""
    at = classes.around(call)
    while at >= 0:
        found = _called(types, classes, at, call)
        if found is not None:
            return found
        at = classes.all[at].outer
    return "", call


def _called(types: Types, classes: Classes, at: int, call: int) -> tuple[str, int] | None:
    """What a method of that class returns; "" in doubt, None where it has none of that name.

    A method without parameters is told by its name; others may meet inherited namesakes.
    """
    tree = types.tree
    name, count = tree.text(tree.child(call, "name")), _count(tree, tree.child(call, "arguments"))
    above = list(classes.supertypes(at))
    owners = [at, *(s for s in above if s >= 0)]
    namesakes = [m for o in owners for m in _methods(tree, classes.all[o].body, name)]
    if not namesakes:
        return ("", call) if UNKNOWN in above else None
    fitting = [m for m in namesakes if _count(tree, tree.child(m, "parameters")) == count]
    if count and (UNKNOWN in above or len(fitting) < len(namesakes)):
        return "", call
    returned = [type_name(types, tree.child(m, "type")) for m in fitting]
    told = returned and (not count or len(set(returned)) == 1)
    return (returned[0], fitting[0]) if told else ("", call)


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


def _name_at(tree: Tree, switch: int, name: str, place: int) -> str:
    """What a type name that was written at `place` is called at the switch, or ""."""
    types, classes = file_types(tree), classes_of(tree)
    first = name.partition(".")[0]
    if not name.replace(".", "").isidentifier() or name == "reference" or name in BOXES:
        return ""
    if first in types.parameters:
        return ""
    there, here = classes.meaning(first, place), classes.meaning(first, switch)
    same_class = classes.around(place) == classes.around(switch)
    if there != here and UNKNOWN not in (there, here) and not same_class:
        name = _qualified(classes, switch, there, name)
    elif there != here or (here == UNKNOWN and not same_class):
        return ""
    first = name.partition(".")[0]
    return "" if any(b.name == first for b in types.bindings.values()) else name


def _qualified(classes: Classes, switch: int, at: int, name: str) -> str:
    """A member class by way of the classes around it, as far as needed."""
    while at >= 0:
        outer = classes.all[at].outer
        if outer < 0 or classes.all[at].scope[0] != classes.all[outer].body:
            return ""
        name = f"{classes.all[outer].name}.{name}"
        if classes.meaning(classes.all[outer].name, switch) == outer:
            return name
        at = outer
    return ""
