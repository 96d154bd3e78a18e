"""Source files as bytes: nothing is decoded, so nothing can be lost."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, count
from operator import add


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of a corpus: its path as the user named it, and its bytes.

    gold: the right answer about its one method, project: where it comes from, about: all else
    that the corpus' record says, as a JSON object; each "" or None where it does not.
    """

    path: str
    data: bytes
    gold: str | None = None
    project: str = ""
    about: str = ""


@lru_cache(maxsize=2)
def line_starts(data: bytes) -> list[int]:
    """Byte offsets at which lines begin; only a line feed ends a line (so CRLF does too)."""
    lengths = map(len, data.split(b"\n")[:-1])
    return list(map(add, accumulate(lengths, initial=0), count()))


def line_of(starts: Sequence[int], offset: int) -> int:
    """The 1-based line that holds the byte at `offset`."""
    return bisect_right(starts, offset)
