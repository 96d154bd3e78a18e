"""Pairs of leaves, looked for in many trees at once, are those of the definition."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from metamorph.java.tree import Tree, parse
from metamorph.models.contexts import bags, extract, extract_numbers, forest
from metamorph.models.contexts.build import Builder
from metamorph.models.contexts.forest import Forest
from metamorph.models.contexts.shapes import convert

FIXTURES = Path(__file__).parent.parent / "fixtures" / "contexts"
SOURCES = ("declarations", "expressions", "lambdas", "modern", "ranges", "statements", "types")
SHARED = "Object[] f(int a) { return new Object[] {a, int[]::new, a + 1, int[]::new, a, g()}; }"


def _methods(tree: Tree) -> list[int]:
    return tree.of_kinds(("method_declaration",))


@pytest.fixture(scope="module")
def programs() -> list[tuple[Tree, int]]:
    trees = [parse((FIXTURES / f"{source}.java").read_bytes()) for source in SOURCES]
    found = [(tree, node) for tree in trees for node in _methods(tree)]
    return [*found, (parse(SHARED.encode()), 1)]


def _pairs(nodes: Builder) -> Iterator[tuple[int, int]]:
    """All pairs of leaves joined by a path of eight steps at most, by the definition."""
    leaves = [node for node, text in enumerate(nodes.text) if text is not None]
    chains = []
    for leaf in leaves:
        chain = [leaf]
        while nodes.parent[chain[-1]] >= 0:
            chain.append(nodes.parent[chain[-1]])
        chains.append(chain)
    for left, one in enumerate(chains):
        for right in range(left + 1, len(chains)):
            other = chains[right]
            top = next(node for node in one if node in other)
            up, down = one.index(top), other.index(top)
            width = nodes.child_id[other[down - 1]] - nodes.child_id[one[up - 1]]
            if up + down <= forest.MAX_LENGTH and width <= forest.MAX_WIDTH:
                yield left, right


def test_pairs_are_those_of_the_definition(programs: list[tuple[Tree, int]]) -> None:
    trees = [convert(*program) for program in programs]
    whole = Forest(trees)
    found = bags.first(whole, 10**6)
    assert found.complete.all()
    for number, nodes in enumerate(trees):
        part = slice(found.starts[number], found.starts[number + 1])
        begin = whole.leaf_starts[number]
        left, right = (found.pairs.left[part] - begin, found.pairs.right[part] - begin)
        told = list(zip(left.tolist(), right.tolist(), strict=True))
        assert len(told) == len(set(told))
        assert set(told) == set(_pairs(nodes))
        assert left.tolist() == sorted(left.tolist())


def test_many_trees_give_what_each_gives_alone(programs: list[tuple[Tree, int]]) -> None:
    for limit in (1, 7, 200, 10**6):
        found = extract_numbers(programs, limit)
        for number, program in enumerate(programs):
            part = slice(found.starts[number], found.starts[number + 1])
            left, right = (
                [found.tokens[n] for n in side[part]] for side in (found.left, found.right)
            )
            hashes = map(str, found.hashes[part].tolist())
            alone = extract(*program, "code2vec", limit)
            assert list(zip(left, hashes, right, strict=True)) == alone.contexts
            assert found.complete[number] == alone.complete


def test_leaves_looked_at_few_by_few_give_the_same_groups(
    programs: list[tuple[Tree, int]],
) -> None:
    trees = Forest([convert(*program) for program in programs])
    whole, stop = forest.groups(trees, 0)
    assert stop == len(trees.leaves)
    parts, begin = [], 0
    while begin < stop:
        part, begin = forest.groups(trees, begin, most=40)
        parts.append(part)
    assert len(parts) > 10
    for name in ("leaf", "level", "other", "count"):
        told = np.concatenate([getattr(part, name) for part in parts])
        assert told.tolist() == getattr(whole, name).tolist()


def test_siblings_that_share_a_child_id_are_bounded_work() -> None:
    tree = parse(f"Object f() {{ return new Object[] {{{'int[]::new, ' * 5_000} 1}}; }}".encode())
    began = time.process_time()
    assert len(extract(tree, 1, "code2vec", 200).contexts) == 200
    assert time.process_time() - began < 20
