"""What executing a statement may do: variables, heap, exceptions. When in doubt, anything.

Left aside, as every compiler does: running out of memory or stack, linkage errors, reflection
that writes final fields, and what other threads see of plain fields without synchronisation.
"""

from collections.abc import Callable

from metamorph.java import operator_effects, variable_effects
from metamorph.java.expressions import expression_types
from metamorph.java.fields import traits_of
from metamorph.java.gathering import Effect, Gathering
from metamorph.java.tree import Tree
from metamorph.java.types import Types

__all__ = ["Effect", "effect_of", "words"]


def effect_of(types: Types, statement: int) -> Effect:
    """The effect of a statement or expression; code that it only defines is not executed."""
    tree = types.tree
    found = Gathering(types, tree, expression_types(types, statement))
    node, stop = statement, tree.after[statement]
    while node < stop:
        kind = tree.kind[node]
        if kind in _DEFINED:
            _defined(found, node)
            node = tree.after[node]
        elif kind in _INERT or not tree.named[node]:
            node = tree.after[node]
        else:
            _HANDLERS.get(kind, _unknown)(found, node)
            node += 1
    return found.effect(words(tree, statement))


def words(tree: Tree, node: int) -> frozenset[str]:
    """The names below a node that could mean a variable: no members, no methods."""
    kind, parent, field = tree.kind, tree.parent, tree.field
    return frozenset(
        tree.text(n)
        for n in range(node, tree.after[node])
        if kind[n] in ("identifier", "type_identifier")
        and field[n] != "field"
        and not (field[n] == "name" and kind[parent[n]] == "method_invocation")
    )


def _defined(found: Gathering, node: int) -> None:
    """Code that is only defined, in a lambda or a class, reads the locals that it captures.

    A final field that is still blank must have its value before a lambda that names it (JLS 16).
    """
    tree, bindings = found.tree, found.types.bindings
    for inner in range(node, tree.after[node]):
        found.numbered = found.numbered or tree.kind[inner] in _BODIES
        binding = bindings.get(inner)
        if binding is None:
            continue
        if binding.kind == "field":
            if binding.owner < node and "final" in traits_of(tree, binding):
                found.heap_reads.add(f".{binding.name}")
        elif binding.node < node:
            found.reads.add(binding.node)


def _unknown(found: Gathering, node: int) -> None:
    """A kind of node that is not known here."""
    found.anything()


def _nothing(found: Gathering, node: int) -> None:
    """The node does nothing beyond its children."""


_BODIES = frozenset({"class_body", "enum_body", "interface_body"})
_DEFINED = frozenset({"class_body", "lambda_expression"})
_INERT = frozenset(
    {
        "annotated_type",
        "annotation",
        "array_type",
        "binary_integer_literal",
        "block_comment",
        "boolean_type",
        "character_literal",
        "class_literal",
        "decimal_floating_point_literal",
        "decimal_integer_literal",
        "dimensions",
        "false",
        "floating_point_type",
        "generic_type",
        "hex_floating_point_literal",
        "hex_integer_literal",
        "integral_type",
        "line_comment",
        "marker_annotation",
        "modifiers",
        "null_literal",
        "octal_integer_literal",
        "scoped_type_identifier",
        "string_literal",
        "super",
        "this",
        "true",
        "type_arguments",
        "type_identifier",
    }
)
_Handler = Callable[[Gathering, int], None]
_HANDLERS: dict[str, _Handler] = {
    "argument_list": _nothing,
    "array_access": variable_effects.array_access,
    "array_creation_expression": operator_effects.new_array,
    "array_initializer": operator_effects.initialiser,
    "assignment_expression": operator_effects.assignment,
    "binary_expression": operator_effects.binary,
    "cast_expression": operator_effects.cast,
    "dimensions_expr": _nothing,
    "expression_statement": _nothing,
    "field_access": variable_effects.field_access,
    "identifier": variable_effects.identifier,
    "instanceof_expression": _nothing,
    "local_variable_declaration": _nothing,
    "method_invocation": operator_effects.call,
    "method_reference": operator_effects.reference,
    "object_creation_expression": operator_effects.new,
    "parenthesized_expression": _nothing,
    "ternary_expression": operator_effects.ternary,
    "unary_expression": operator_effects.operand,
    "update_expression": operator_effects.update,
    "variable_declarator": operator_effects.declarator,
}
