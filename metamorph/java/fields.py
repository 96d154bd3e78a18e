"""Fields of the file's own classes: which one an access means, and what is known of it."""

from metamorph.java.jdk import PRIMITIVES
from metamorph.java.scopes import Binding
from metamorph.java.tree import Tree
from metamorph.java.types import Types, class_around, variable_type

_LITERALS = frozenset(
    {
        "binary_expression",
        "binary_integer_literal",
        "character_literal",
        "decimal_floating_point_literal",
        "decimal_integer_literal",
        "false",
        "hex_floating_point_literal",
        "hex_integer_literal",
        "escape_sequence",
        "multiline_string_fragment",
        "octal_integer_literal",
        "parenthesized_expression",
        "string_fragment",
        "string_literal",
        "true",
        "unary_expression",
    }
)
_INNER = frozenset({"object_creation_expression", "enum_constant"})
_STATEMENT_LISTS = frozenset({"block", "constructor_body", "switch_block_statement_group"})


def own_field(types: Types, access: int) -> Binding | None:
    """The field that `this.f`, `Outer.this.f` or `Outer.f` means, Outer being a class around it.

    None where that class does not declare it itself, and for every other access.
    """
    tree = types.tree
    receiver, name = tree.child(access, "object"), tree.child(access, "field")
    if receiver < 0 or tree.kind[name] != "identifier":
        return None
    if tree.kind[receiver] == "field_access":
        if tree.kind[tree.child(receiver, "field")] != "this":
            return None
        receiver = tree.child(receiver, "object")
    if tree.kind[receiver] == "this":
        owner = class_around(types, access)
    elif tree.kind[receiver] == "identifier" and receiver not in types.bindings:
        owner = _class_named(types, access, tree.text(receiver))
    else:
        return None
    return types.fields.get((owner, tree.text(name)))


def _class_named(types: Types, node: int, name: str) -> int:
    """The class of that name around a node, or -1."""
    tree, owner = types.tree, class_around(types, node)
    while owner >= 0:
        named = tree.child(owner, "name")
        if named >= 0 and tree.kind[owner] != "enum_constant" and tree.text(named) == name:
            break
        owner = class_around(types, owner)
    return owner


def traits_of(tree: Tree, binding: Binding) -> frozenset[str]:
    """The field's modifiers, those of constants and record components added."""
    declaration = tree.parent[binding.declaration]
    if "constant" in tree.kind[declaration] or "constant" in tree.kind[binding.declaration]:
        return frozenset({"final", "static"})
    if tree.kind[declaration] != "field_declaration":
        return frozenset({"final"})
    node = tree.child_of_kind(declaration, "modifiers")
    return frozenset(tree.text(c) for c in tree.children(node)) if node >= 0 else frozenset()


def is_constant(types: Types, binding: Binding) -> bool:
    """Whether a field is a constant variable (JLS 4.12.4) made of literals alone."""
    tree = types.tree
    value = tree.child(binding.declaration, "value")
    if value < 0 or "final" not in traits_of(tree, binding):
        return False
    if variable_type(types, binding) not in (*PRIMITIVES, "String"):
        return False
    inside = range(value, tree.after[value])
    return all(tree.kind[n] in _LITERALS for n in inside if tree.named[n])


def is_initialised(types: Types, binding: Binding, node: int) -> bool:
    """Whether code at `node` runs only once the initialiser of the static field's class began.

    So it is for a class around the code, up to the first class that needs no instance of its
    outer one (JLS 12.4.1). An interface is not initialised by running its methods' users.
    """
    tree, owner = types.tree, class_around(types, node)
    while owner >= 0:
        if types.fields.get((owner, binding.name)) is binding:
            return "interface" not in tree.kind[owner] and "annotation" not in tree.kind[owner]
        if not _needs_outer(types, owner):
            return False
        owner = class_around(types, owner)
    return False


def _needs_outer(types: Types, owner: int) -> bool:
    """Whether code of a class runs only after code of the class around it."""
    tree = types.tree
    if tree.kind[owner] in _INNER:
        return True
    if tree.kind[owner] != "class_declaration":
        return False
    place = tree.kind[tree.parent[owner]]
    if place not in ("class_body", "enum_body_declarations"):
        return place in _STATEMENT_LISTS
    node = tree.child_of_kind(owner, "modifiers")
    return node < 0 or "static" not in [tree.text(c) for c in tree.children(node)]
