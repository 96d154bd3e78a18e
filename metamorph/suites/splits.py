"""Groups of methods that must stay together, and the split that each goes to."""

import hashlib
from collections.abc import Iterable, Iterator

from metamorph.java.methods import Method
from metamorph.java.tree import Tree
from metamorph.suites.lexemes import lexemes
from metamorph.suites.recipes import Splits

_DIGITS = 16


def group_of(tree: Tree, outermost: int) -> str:
    """The group of all methods within an outermost one, the same for all copies of it.

    Copies may differ in comments and layout: the group is a hash of the tokens.
    """
    text = "\0".join(lexemes(tree, outermost))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def with_groups(methods: Iterable[Method]) -> Iterator[tuple[Method, str]]:
    """The methods of a file in source order, each with its group."""
    end, group = 0, ""
    for method in methods:
        if method.start >= end:
            end, group = method.end, group_of(method.tree, method.node)
        yield method, group


def split_of(group: str, splits: Splits, seed: int) -> str:
    """The split of a group: it depends on the group and the seed alone."""
    if len(splits) == 1:
        return splits[0][0]
    digest = hashlib.sha256(f"{seed}\0{group}".encode()).digest()
    point = int.from_bytes(digest[:8]) / 2**64
    for name, share in splits:
        point -= share
        if point < 0:
            return name
    return splits[-1][0]
