"""From methods to their path contexts."""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metamorph.errors import UserError
from metamorph.java.tree import Tree
from metamorph.models.contexts.bags import Bags, drawn
from metamorph.models.contexts.forest import NARROW, Flags, Forest
from metamorph.models.contexts.heads import head, settled
from metamorph.models.contexts.shapes import Shape, shape
from metamorph.models.contexts.writers import Comments, Context, Style, hashes, texts
from metamorph.models.numerics import Longs

MOST = 300_000
_FEW = 4_000
"""Nodes of methods all of whose contexts are written at a time."""


@dataclass(frozen=True, slots=True)
class MethodContexts:
    """A method's label and its contexts (token, path, token) in the official order.

    complete: False where a limit cut the list.
    """

    name: str
    contexts: list[Context]
    complete: bool

    def line(self) -> str:
        """The line that the official extractor prints."""
        return " ".join([self.name, *(",".join(context) for context in self.contexts)])


@dataclass(frozen=True, slots=True)
class Numbers:
    """The contexts of several methods, method after method.

    tokens: the distinct ones; left, right: of each context, by their places there; hashes: the
    paths; starts: where each method's begin, and their number; complete: False where a limit cut.
    """

    tokens: list[str]
    left: Longs
    hashes: npt.NDArray[np.int32]
    right: Longs
    starts: Longs
    complete: list[bool]


def extract(
    tree: Tree,
    node: int,
    style: Style,
    limit: int | None = None,
    hashed: bool = True,
    comments: Comments = "strip",
) -> MethodContexts:
    """The first `limit` contexts of the method declaration `node`, or all, but at most MOST.

    comments: `strip` for the contexts of the method without its comments, `official` for those
    that the official extractor makes of the method alone, with the comments within it. What
    stands around it in `tree` never matters.
    """
    return _told([shape(tree, node, comments)], style, limit, hashed)[0]


def extract_each(
    shapes: Iterable[Shape], style: Style, limit: int | None = None, hashed: bool = True
) -> Iterator[MethodContexts]:
    """The same of many methods, which is quicker than one by one."""
    for some in _together(shapes, _FEW if limit is None else NARROW):
        yield from _told(some, style, limit, hashed)


def extract_numbers(programs: Iterable[tuple[Tree, int]], limit: int) -> Numbers:
    """The first `limit` contexts of several methods for code2vec, as numbers."""
    tokens: dict[str, int] = {}
    shapes = (head(*program, limit) for program in programs)
    parts = [_numbers(some, limit, tokens) for some in _together(shapes, NARROW)]
    left, paths, right, counts, complete = (
        np.concatenate(each) for each in zip(*parts, strict=True)
    )
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return Numbers(list(tokens), left, paths, right, starts, complete.tolist())


def _together(shapes: Iterable[Shape], most: int) -> Iterator[list[Shape]]:
    """The methods, as many at a time as have fewer than `most` nodes; at last maybe none."""
    some: list[Shape] = []
    size = 0
    for each in shapes:
        if some and size + len(each.nodes.label) >= most:
            yield some
            some, size = [], 0
        some.append(each)
        size += len(each.nodes.label)
    yield some


def _numbers(
    shapes: Sequence[Shape], limit: int, known: dict[str, int]
) -> tuple[Longs, npt.NDArray[np.int32], Longs, Longs, Flags]:
    """Contexts as numbers, how many each tree has, and whether it has no more; tokens are added."""
    shapes, forest, bags = settled(shapes, limit)
    words = (word for each in shapes for word in each.tokens("code2vec"))
    numbers = np.array([known.setdefault(word, len(known)) for word in words], dtype=np.int64)
    pairs = bags.pairs
    paths = hashes([each.nodes for each in shapes], forest, pairs)
    return numbers[pairs.left], paths, numbers[pairs.right], np.diff(bags.starts), bags.complete


def _told(
    shapes: Sequence[Shape], style: Style, limit: int | None, hashed: bool
) -> list[MethodContexts]:
    return _written(*settled(shapes, MOST if limit is None else limit), style, hashed)


def _written(
    shapes: Sequence[Shape], forest: Forest, bags: Bags, style: Style, hashed: bool
) -> list[MethodContexts]:
    """The contexts in words."""
    pairs, trees = bags.pairs, [each.nodes for each in shapes]
    if hashed and style == "code2vec":
        paths: Iterable[str] = map(str, hashes(trees, forest, pairs).tolist())
    else:
        paths = texts(trees, forest, style, pairs)
    words = [word for each in shapes for word in each.tokens(style)]
    left = map(words.__getitem__, pairs.left.tolist())
    right = map(words.__getitem__, pairs.right.tolist())
    found = list(zip(left, paths, right, strict=True))
    spans = zip(
        bags.starts.tolist(), bags.starts[1:].tolist(), bags.complete.tolist(), strict=False
    )
    return [
        MethodContexts(each.name, found[begin:end], complete)
        for each, (begin, end, complete) in zip(shapes, spans, strict=True)
    ]


def sample(tree: Tree, node: int, style: Style, size: int, rng: random.Random) -> MethodContexts:
    """At most `size` contexts, drawn uniformly without repetition, in the official order."""
    shapes = [shape(tree, node)]
    forest = Forest([shapes[0].nodes])
    return _written(shapes, forest, drawn(forest, size, rng), style, True)[0]


def checked_comments(told: str) -> Comments:
    """What a user says of comments, if contexts can be made that way."""
    if told == "strip":
        return "strip"
    if told == "official":
        return "official"
    raise UserError(f"--comments {told}: unknown; give strip or official")


def no_comments(told: str) -> None:
    """Refuse what a user says of comments for a model that was trained without them."""
    if checked_comments(told) != "strip":
        way_out = "leave it out, or give an official checkpoint"
        raise UserError(f"--comments {told}: this model was trained without comments; {way_out}")
