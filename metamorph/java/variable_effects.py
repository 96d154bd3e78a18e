"""Effects of reading and writing variables: locals, fields, array elements."""

from metamorph.java.expressions import jdk_constant
from metamorph.java.fields import is_constant, is_initialised, own_field, traits_of
from metamorph.java.gathering import Gathering
from metamorph.java.jdk import PRIMITIVES
from metamorph.java.scopes import Binding
from metamorph.java.tree import Tree
from metamorph.java.types import REFERENCE, Types, class_around


def identifier(found: Gathering, node: int) -> None:
    binding = found.types.bindings.get(node)
    if binding is None:
        if not _names_no_variable(found.tree, node):
            found.anything()
        return
    if binding.doubt:
        found.anything()
    if binding.kind == "field":
        _field(found, node, binding)
    elif binding.node == node:
        found.writes.add(node)
        found.declares.add(binding.name)
    else:
        _local(found, node, binding)


def _names_no_variable(tree: Tree, node: int) -> bool:
    """Whether a name is a member's, or a receiver that its parent's handler judges."""
    parent = tree.parent[node]
    part = tree.field[node]
    kind = tree.kind[parent]
    if kind == "field_access":
        return part in ("object", "field")
    return kind == "method_reference" or (
        kind == "method_invocation" and part in ("name", "object")
    )


def _local(found: Gathering, node: int, binding: Binding) -> None:
    access = _access(found.tree, node)
    if access != "write":
        found.reads.add(binding.node)
        if binding.type >= 0 and found.tree.text(binding.type) in found.types.mixed:
            found.throws.add("cast")
    if access != "read":
        found.writes.add(binding.node)


def _field(found: Gathering, node: int, binding: Binding) -> None:
    """Access to a field of the file's own classes through this, an outer this or a class."""
    types = found.types
    if is_constant(types, binding):
        return
    traits = traits_of(types.tree, binding)
    if "volatile" in traits or ("static" in traits and not is_initialised(types, binding, node)):
        found.anything()
    access = _access(types.tree, node)
    if access != "write":
        found.heap_reads.add(f".{binding.name}")
        found.mutable = found.mutable or "final" not in traits
        if _cast_unseen(types, binding, node):
            found.throws.add("cast")
    if access != "read":
        found.heap_writes.add(f".{binding.name}")


def _cast_unseen(types: Types, binding: Binding, node: int) -> bool:
    """Whether a read may cast, the field's type being a type parameter that a subclass sets."""
    tree = types.tree
    own = binding.owner == class_around(types, node)
    hidden = types.mixed if own else types.parameters
    written = range(binding.type, tree.after[binding.type]) if binding.type >= 0 else ()
    return any(tree.kind[n] == "type_identifier" and tree.text(n) in hidden for n in written)


def field_access(found: Gathering, node: int) -> None:
    tree, types = found.tree, found.types
    receiver, name = tree.child(node, "object"), tree.child(node, "field")
    if tree.kind[name] == "this" or jdk_constant(types, node):
        return
    own = own_field(types, node)
    if own is not None:
        _field(found, node, own)
    elif tree.text(name) == "length" and found.type(receiver).endswith("[]"):
        found.throws.add("null")
    else:
        found.anything()


def array_access(found: Gathering, node: int) -> None:
    found.throws.add("array-access")
    found.needs_primitive(found.tree.child(node, "index"))
    element = found.type(node)
    if not element:
        found.anything()
        return
    place = f"{element if element in PRIMITIVES else REFERENCE}[]"
    access = _access(found.tree, node)
    found.mutable = True
    if access != "write":
        found.heap_reads.add(place)
    if access != "read":
        found.heap_writes.add(place)


def _access(tree: Tree, node: int) -> str:
    """How an expression is used: `read`, `write` or `both`."""
    while tree.kind[tree.parent[node]] == "parenthesized_expression":
        node = tree.parent[node]
    parent = tree.parent[node]
    if tree.kind[parent] == "update_expression":
        return "both"
    if tree.kind[parent] == "assignment_expression" and tree.field[node] == "left":
        return "write" if tree.text(tree.child(parent, "operator")) == "=" else "both"
    return "read"
