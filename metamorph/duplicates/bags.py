"""Token bags of Java files, and how alike two of them are."""

from collections import Counter
from collections.abc import Iterator, Mapping

from metamorph.java.tree import Tree

Bag = Mapping[str, int]

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


def bag(tree: Tree) -> Bag:
    """How often each identifier and literal occurs, by its source text."""
    starts, ends, data = tree.start, tree.end, tree.data
    counts = Counter(data[starts[node] : ends[node]] for node in tokens(tree))
    return {text.decode("utf-8", "surrogateescape"): count for text, count in counts.items()}


def set_similarity(one: Bag, other: Bag) -> float:
    """Jaccard similarity of the sets of distinct tokens; 0 where both are empty."""
    common = len(one.keys() & other.keys())
    union = len(one) + len(other) - common
    return common / union if union else 0.0


def bag_similarity(one: Bag, other: Bag) -> float:
    """Jaccard similarity of the multisets; 0 where both are empty."""
    common = sum(min(one[token], other[token]) for token in one.keys() & other.keys())
    union = sum(one.values()) + sum(other.values()) - common
    return common / union if union else 0.0
