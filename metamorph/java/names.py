"""What a simple name can be, by where it stands (JLS 6.5.1)."""

from metamorph.java.tree import Tree

NEVER, VARIABLE, TYPE, LABEL = range(4)
"""Not a variable; one if one is in scope; a type by all signs; the bare constant of a `case`."""

_OTHER_FIELDS = frozenset({"field", "key", "name"})
_OTHER_PARENTS = frozenset(
    {
        "break_statement",
        "continue_statement",
        "import_declaration",
        "module_declaration",
        "package_declaration",
        "receiver_parameter",
        "record_pattern",
        "scoped_identifier",
    }
)


def role_of_identifier(tree: Tree, node: int) -> int:
    """NEVER, VARIABLE or LABEL, for an identifier that declares no variable."""
    parent = tree.parent[node]
    kind, field = tree.kind[parent], tree.field[node]
    if field in _OTHER_FIELDS or kind in _OTHER_PARENTS:
        return NEVER
    if kind == "labeled_statement" or kind == "method_reference":
        first = node == parent + 1
        return VARIABLE if first and kind == "method_reference" else NEVER
    if kind == "switch_label":
        return LABEL
    return NEVER if field == "object" and _qualifies_this(tree, node) else VARIABLE


def role_of_type(tree: Tree, node: int) -> int:
    """NEVER, VARIABLE or TYPE, for a type identifier.

    The grammar takes `(a.b) - c` for a cast; but a cast to a reference type cannot be followed
    by a sign (JLS 15.16), so that `a` is a name like any other.
    """
    top = node
    while tree.kind[tree.parent[top]] == "scoped_type_identifier":
        if top != tree.parent[top] + 1:
            return NEVER
        top = tree.parent[top]
    if top != node and is_misread_operand(tree, top):
        names = [n for n in range(top, tree.after[top]) if tree.kind[n] == "type_identifier"]
        return NEVER if any(tree.bytes_of(n) in (b"this", b"super") for n in names) else VARIABLE
    return TYPE


def is_misread_operand(tree: Tree, type_node: int) -> bool:
    """Whether this type is truly the left operand of `+` or `-`: `(a.b) - c`."""
    cast = tree.parent[type_node]
    if tree.kind[cast] != "cast_expression" or tree.kind[type_node] != "scoped_type_identifier":
        return False
    value = tree.child(cast, "value")
    signed = tree.kind[value] in ("unary_expression", "update_expression")
    return signed and tree.bytes_of(value)[:1] in (b"+", b"-")


def _qualifies_this(tree: Tree, node: int) -> bool:
    """Whether the name begins the type in `a.b.this` or `a.b.super`."""
    while tree.field[node] == "object":
        node = tree.parent[node]
        if any(tree.kind[child] in ("this", "super") for child in _after_object(tree, node)):
            return tree.kind[node] != "explicit_constructor_invocation"
        if tree.kind[node] != "field_access":
            return False
    return False


def _after_object(tree: Tree, node: int) -> list[int]:
    return [child for child in tree.children(node) if tree.field[child] != "object"]
