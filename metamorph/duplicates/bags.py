"""The tokens of a parsed file by which near-copies are told."""

from collections.abc import Iterator

from metamorph.java.tree import Tree

_KINDS = frozenset(
    {
        "identifier",
        "type_identifier",
        "decimal_integer_literal",
        "hex_integer_literal",
        "octal_integer_literal",
        "binary_integer_literal",
        "decimal_floating_point_literal",
        "hex_floating_point_literal",
        "character_literal",
        "string_literal",
        "true",
        "false",
        "null_literal",
    }
)


def tokens(tree: Tree, node: int = 0) -> Iterator[int]:
    """The identifiers and literals in a subtree, as nodes in source order.

    The tokens of Allamanis (2019): keywords, operators, separators and comments are left out.
    """
    kind = tree.kind
    return (index for index in range(node, tree.after[node]) if kind[index] in _KINDS)
