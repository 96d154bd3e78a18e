"""Fields of the file's own classes: which one an access means, and what is known of it."""

from metamorph.java.jdk import PRIMITIVES
from metamorph.java.scopes import Binding
from metamorph.java.tree import Tree
from metamorph.java.types import BODIES, Types, variable_type

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
        owner = enclosing_class(tree, access)
    elif tree.kind[receiver] == "identifier" and receiver not in types.bindings:
        owner = enclosing_class(tree, access, tree.text(receiver))
    else:
        return None
    return types.fields.get((owner, tree.text(name)))


def enclosing_class(tree: Tree, node: int, name: str = "") -> int:
    """The innermost class around a node, or the one of that name; -1 if there is none."""
    for above in tree.ancestors(node):
        if tree.kind[above] in BODIES:
            owner = tree.parent[above]
            if not name or _is_named(tree, owner, name):
                return owner
    return -1


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
    kinds = (tree.kind[n] for n in range(value, tree.after[value]) if tree.named[n])
    primitive = variable_type(types, binding) in (*PRIMITIVES, "String")
    return primitive and all(kind in _LITERALS for kind in kinds)


def is_initialised(types: Types, binding: Binding, node: int) -> bool:
    """Whether code at `node` runs only once the initialiser of the static field's class began.

    So it is for a class around the code, up to the first class that needs no instance of its
    outer one (JLS 12.4.1). An interface is not initialised by running its methods' users.
    """
    tree = types.tree
    for above in tree.ancestors(node):
        if tree.kind[above] not in BODIES:
            continue
        owner = tree.parent[above]
        if types.fields.get((owner, binding.name)) is binding:
            return tree.kind[above] in ("class_body", "enum_body")
        if not _needs_outer(tree, owner):
            return False
    return False


def _needs_outer(tree: Tree, owner: int) -> bool:
    """Whether code of a class runs only after code of the class around it."""
    if tree.kind[owner] in _INNER:
        return True
    if tree.kind[owner] != "class_declaration":
        return False
    holder = tree.kind[tree.parent[owner]]
    if holder not in BODIES and holder != "enum_body_declarations":
        return True
    node = tree.child_of_kind(owner, "modifiers")
    static = node >= 0 and "static" in [tree.text(c) for c in tree.children(node)]
    return not static and holder in ("class_body", "enum_body_declarations")


def _is_named(tree: Tree, owner: int, name: str) -> bool:
    node = tree.child(owner, "name")
    return node >= 0 and tree.kind[owner] != "enum_constant" and tree.text(node) == name
