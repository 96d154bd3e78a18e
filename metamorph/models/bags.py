"""Path contexts of several methods as numbers, each distinct token and path named once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from metamorph.models.contexts import Context
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


def distinct(rows: Longs) -> tuple[Longs, Longs]:
    """Each distinct row of three numbers once, and the place of every row among these.

    Variants of one method have most of their contexts in common.
    """
    most = rows.max(axis=0, initial=0) + 1
    keys = (rows[:, 0] * most[1] + rows[:, 1]) * most[2] + rows[:, 2]
    found, places = np.unique(keys, return_inverse=True)
    pairs, last = np.divmod(found, most[2])
    return np.stack([*np.divmod(pairs, most[1]), last], axis=1), places


def with_cuts(complete: Iterable[bool], answers: Sequence[Prediction]) -> list[Prediction]:
    """The answers, those to methods with more contexts than were seen marked as truncated."""
    return [
        answer if whole else replace(answer, truncated=True)
        for whole, answer in zip(complete, answers, strict=True)
    ]
