"""Heads of long methods: the statements that the first contexts come from.

A context joins two leaves that are near each other, and those of the first leaf come first, so that
the first contexts of a method of many statements are all found in the first of these.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from metamorph.java.tree import Tree
from metamorph.models.contexts.bags import Bags, first
from metamorph.models.contexts.build import Builder
from metamorph.models.contexts.forest import MAX_WIDTH, Forest
from metamorph.models.contexts.shapes import Shape, shape
from metamorph.models.contexts.writers import Comments

_NODES = 1000
"""Statements that have so many nodes before them in a method are no part of its head."""


def head(tree: Tree, node: int, limit: int, comments: Comments = "strip") -> Shape:
    """The method, or its head where that is likely to have the first `limit` contexts.

    It is likely of a variant, if the head of the original has them; `settled` makes sure.
    """
    if tree.earlier is None or len(tree) < 2 * _NODES or comments != "strip" or tree.has_error:
        return shape(tree, node, comments)
    if node or not _head_is_enough(tree.earlier, limit):
        return shape(tree, node)
    return replace(shape(tree.head(_NODES), 0), whole=tree)


def settled(shapes: Sequence[Shape], limit: int) -> tuple[Sequence[Shape], Forest, Bags]:
    """Methods and the first `limit` pairs of each: where a head lacks any, of the whole method."""
    forest = Forest([each.nodes for each in shapes])
    bags = first(forest, limit)
    enough = [
        each.whole is None or _is_enough(each.nodes, forest, bags, tree)
        for tree, each in enumerate(shapes)
    ]
    if all(enough):
        return shapes, forest, bags
    completed = [
        each if each.whole is None or is_enough else shape(each.whole, 0)
        for each, is_enough in zip(shapes, enough, strict=True)
    ]
    return settled(completed, limit)


@lru_cache(maxsize=2)
def _head_is_enough(tree: Tree, limit: int) -> bool:
    nodes = shape(tree.head(_NODES), 0).nodes
    forest = Forest([nodes])
    return _is_enough(nodes, forest, first(forest, limit), 0)


def _is_enough(nodes: Builder, forest: Forest, bags: Bags, tree: int) -> bool:
    """Whether the pairs of a head are the first of the whole method's, which has more.

    They are if no leaf before the last pair's could be joined to one that was left out; the last
    pair's own could, after all others.
    """
    begin, stop = bags.starts[tree : tree + 2]
    if bags.complete[tree] or begin == stop:
        return False
    first_open = np.searchsorted(forest.leaves, forest.starts[tree] + _first_open(nodes))
    return bool(bags.pairs.left[stop - 1] <= first_open)


def _first_open(nodes: Builder) -> int:
    """The first node of a head that is near enough to what was left out to be joined to it.

    It is one of the method's parts, of which the body is the last.
    """
    body = len(nodes.label) - 1
    while nodes.parent[body] > 0:
        body = nodes.parent[body]
    reach = nodes.child_id[body] - MAX_WIDTH
    return next(
        n for n in range(1, body + 1) if nodes.parent[n] == 0 and nodes.child_id[n] >= reach
    )
