"""Path contexts of several methods as numbers, each distinct token and path named once."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metamorph.models.contexts import Context, MethodContexts
from metamorph.models.numerics import Longs
from metamorph.models.protocol import Prediction


def numbered(
    bags: Sequence[Sequence[Context]],
) -> tuple[dict[str, int], dict[str, int], Longs]:
    """Tokens and paths with their numbers, and a row (left, path, right) a context."""
    tokens: dict[str, int] = {}
    paths: dict[str, int] = {}
    rows = [
        (
            tokens.setdefault(left, len(tokens)),
            paths.setdefault(path, len(paths)),
            tokens.setdefault(right, len(tokens)),
        )
        for bag in bags
        for left, path, right in bag
    ]
    return tokens, paths, np.array(rows, dtype=np.int64)


def distinct(bags: Sequence[Sequence[Context]]) -> tuple[list[Context], list[Longs]]:
    """Each distinct context once, and the places of each bag's contexts among them.

    Variants of one method have most of their contexts in common.
    """
    numbers: dict[Context, int] = {}
    places = [
        np.array([numbers.setdefault(context, len(numbers)) for context in bag], dtype=np.int64)
        for bag in bags
    ]
    return list(numbers), places


def with_cuts(found: Sequence[MethodContexts], answers: Sequence[Prediction]) -> list[Prediction]:
    """The answers, those to methods with more contexts than were seen marked as truncated."""
    return [
        answer if contexts.complete else replace(answer, truncated=True)
        for contexts, answer in zip(found, answers, strict=True)
    ]
