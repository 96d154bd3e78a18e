"""Source files as bytes: nothing is decoded, so nothing can be lost."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a corpus: its path as the user named it, and its bytes.

    gold: the right answer about its one method, where the corpus tells it.
    """

    path: str
    data: bytes
    gold: str | None = None


def line_starts(data: bytes) -> list[int]:
    """Byte offsets at which lines begin; only a line feed ends a line (so CRLF does too)."""
    starts = [0]
    at = data.find(b"\n")
    while at >= 0:
        starts.append(at + 1)
        at = data.find(b"\n", at + 1)
    return starts


def line_of(starts: Sequence[int], offset: int) -> int:
    """The 1-based line that holds the byte at `offset`."""
    return bisect_right(starts, offset)
