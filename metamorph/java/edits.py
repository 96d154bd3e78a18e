"""Edits: byte ranges of the untouched source and what replaces them."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from metamorph.java.source import line_of, line_starts

LineMap = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the bytes `start .. end` of the original by `text`; an empty range inserts.

    rank orders insertions at one point, the smallest first: text that closes what another edit
    opened takes minus the byte where that is, so that inner constructs close before outer ones;
    text that opens may take the distance of its end from the end of the file, so that outer ones
    open first.
    """

    start: int
    end: int
    text: bytes
    rank: int = 0


class OverlapError(ValueError):
    """Two edits claim the same bytes."""


def ordered(edits: Iterable[Edit]) -> list[Edit]:
    """The edits by position; insertions of one rank at one point stay in the order given.

    Raises OverlapError where two edits overlap, and ValueError on a negative range.
    """
    result = sorted(edits, key=lambda e: (e.start, e.end, e.rank))
    reach = 0
    for edit in result:
        if edit.end < edit.start:
            raise ValueError(f"edit ends before it starts: {edit}")
        if edit.start < reach:
            raise OverlapError(f"edits overlap at byte {edit.start}")
        reach = edit.end
    return result


def apply(data: bytes, edits: Iterable[Edit]) -> bytes:
    """The source after the edits; all bytes outside them are the original's."""
    return spliced(data, ordered(edits), 0, len(data))


def spliced(data: bytes, edits: Iterable[Edit], start: int, stop: int) -> bytes:
    """What the bytes `start .. stop` become by edits within them that are in order already."""
    pieces: list[bytes] = []
    for edit in edits:
        pieces += (data[start : edit.start], edit.text)
        start = edit.end
    pieces.append(data[start:stop])
    return b"".join(pieces)


def line_map(data: bytes, edits: Iterable[Edit]) -> LineMap:
    """Runs of unedited lines: (first line before, last line before, first line after), 1-based.

    A line is unedited when it stands whole, its line feed included, as a line of the result.
    """
    starts = line_starts(data)
    runs: list[tuple[int, int, int]] = []
    kept = list(_kept(data, starts, ordered(edits)))
    for number, (at, stop, line, fresh) in enumerate(kept, 1):
        first = bisect_left(starts, at if fresh else at + 1)
        last = len(starts) if number == len(kept) else line_of(starts, stop) - 1
        if first < last:
            runs.append((first + 1, last, line + first + 1 - line_of(starts, at)))
    return tuple(runs)


def _kept(
    data: bytes, starts: Sequence[int], edits: list[Edit]
) -> Iterator[tuple[int, int, int, bool]]:
    """What the edits keep: start, end, line of the result, whether that line begins there."""
    at, line, fresh = 0, 1, True
    for edit in edits:
        yield at, edit.start, line, fresh
        kept_lines = line_of(starts, edit.start) - line_of(starts, at)
        line += kept_lines + edit.text.count(b"\n")
        if edit.text:
            fresh = edit.text.endswith(b"\n")
        elif edit.start > at:
            fresh = data[edit.start - 1] == ord("\n")
        at = edit.end
    yield at, len(data), line, fresh


def moved(offset: int, edits: Iterable[Edit]) -> int:
    """Where a byte that no edit replaces lies afterwards."""
    shift = 0
    for edit in ordered(edits):
        if edit.end > offset:
            break
        shift += len(edit.text) - (edit.end - edit.start)
    return offset + shift
