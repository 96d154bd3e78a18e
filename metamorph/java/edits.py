"""Edits: byte ranges of the untouched source and what replaces them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metamorph.java.source import line_of, line_starts

LineMap = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the bytes `start .. end` of the original by `text`; an empty range inserts."""

    start: int
    end: int
    text: bytes


class OverlapError(ValueError):
    """Two edits claim the same bytes."""


def ordered(edits: Iterable[Edit]) -> list[Edit]:
    """The edits by position; insertions at one point keep the order in which they were given.

    Raises OverlapError where two edits overlap, and ValueError on a negative range.
    """
    result = sorted(edits, key=lambda e: (e.start, e.end))
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
    pieces: list[bytes] = []
    at = 0
    for edit in ordered(edits):
        pieces += (data[at : edit.start], edit.text)
        at = edit.end
    pieces.append(data[at:])
    return b"".join(pieces)


def line_map(data: bytes, edits: Sequence[Edit]) -> LineMap:
    """Runs of unedited lines: (first line before, last line before, first line after), 1-based.

    A line that an edit touches is in no run, unless the edit only inserts whole lines before it.
    """
    starts = line_starts(data)
    runs: list[tuple[int, int, int]] = []
    first, shift = 1, 0
    for edit in ordered(edits):
        begin, last = line_of(starts, edit.start), line_of(starts, edit.end)
        if first < begin:
            runs.append((first, begin - 1, first + shift))
        shift += edit.text.count(b"\n") - data.count(b"\n", edit.start, edit.end)
        whole = starts[last - 1] == edit.end and (not edit.text or edit.text.endswith(b"\n"))
        untouched = starts[begin - 1] == edit.start and whole
        first = max(first, last if untouched else last + 1)
    if first <= len(starts):
        runs.append((first, len(starts), first + shift))
    return tuple(runs)


def moved(offset: int, edits: Iterable[Edit]) -> int:
    """Where a byte that no edit replaces lies afterwards."""
    shift = 0
    for edit in ordered(edits):
        if edit.end > offset or (edit.start == edit.end == offset):
            break
        shift += len(edit.text) - (edit.end - edit.start)
    return offset + shift
