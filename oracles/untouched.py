"""What a transformation does to the surprise of the tokens that it leaves alone."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Doubles = NDArray[np.float64]
Tokens = tuple[Longs, Longs, Doubles]
"""Where each token starts and ends, in bytes, and its surprise."""

Edits = Sequence[tuple[int, int, str]]
"""Start, end and the new text of each edit, in bytes of the original's source."""


def untouched(before: Tokens, after: Tokens, edits: Edits) -> tuple[float, float] | None:
    """The mean surprise of the tokens that no edit touches, before and after; None without any.

    before: of the original method in its file; after: of the variant, its first token at 0. A token
    stands for itself where it is found again, as long as it was, behind what the edits inserted.
    """
    starts, ends, bits = before
    if not len(starts):
        return None
    first, last = int(starts[0]), int(ends[-1])
    within = sorted(edit for edit in edits if first <= edit[0] and edit[1] <= last)
    begins = np.array([start for start, _, _ in within], np.int64)
    stops = np.array([end for _, end, _ in within], np.int64)
    grown = np.array([len(new.encode("utf-8", "surrogateescape")) for *_, new in within], np.int64)
    shifts = np.concatenate([[0], np.cumsum(grown - (stops - begins))])
    passed = np.searchsorted(stops, starts, side="right")
    touched = passed < np.searchsorted(begins, ends, side="left")
    moved = starts - first + shifts[passed]
    place = np.searchsorted(after[0], moved)
    there = np.flatnonzero(~touched & (place < len(after[0])))
    found = place[there]
    same = (after[0][found] == moved[there]) & (
        after[1][found] - after[0][found] == ends[there] - starts[there]
    )
    if not same.any():
        return None
    return float(bits[there[same]].mean()), float(after[2][found[same]].mean())
