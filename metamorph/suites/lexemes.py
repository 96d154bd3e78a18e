"""The tokens of a piece of Java, as a compiler's scanner sees them."""

from collections.abc import Iterator

from metamorph.java.tree import COMMENTS, Tree

_WHOLE = frozenset({"character_literal", "string_literal"})


def lexemes(tree: Tree, node: int) -> Iterator[str]:
    """The texts of all tokens below a node in source order; comments are none."""
    at, stop = node, tree.after[node]
    while at < stop:
        kind, after = tree.kind[at], tree.after[at]
        if kind in COMMENTS:
            at = after
        elif kind in _WHOLE or after == at + 1:
            if tree.start[at] < tree.end[at]:
                yield tree.text(at)
            at = after
        else:
            at += 1
