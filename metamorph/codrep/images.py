"""Where the lines of a file are after edits: also those that were edited, as far as they remain."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metamorph.java.edits import Edit, line_map, ordered
from metamorph.java.source import line_of, line_starts


@dataclass(frozen=True, slots=True)
class Images:
    """Line before -> the lines afterwards that hold it or a part of it, all counted from 1.

    A line without images is gone. known: the lines afterwards that are images of some line.
    """

    of: dict[int, frozenset[int]]
    known: frozenset[int]


def images(data: bytes, edits: Sequence[Edit], after: bytes) -> Images:
    """The images of all lines of the file.

    Unedited lines are where the line map has them. Of an edited line, every part that the edits
    keep has its line; an edit within a line stays in it; and a line that stands anew in the text
    of an edit, as when two statements change places, is there.
    """
    edits = ordered(edits)
    found: dict[int, set[int]] = {}
    for first, last, target in line_map(data, edits):
        for line in range(first, last + 1):
            found[line] = {target + line - first}
    starts = line_starts(data)
    for line, target in _kept_parts(data, starts, edits):
        found.setdefault(line, set()).add(target)
    known = {target for targets in found.values() for target in targets}
    for line, target in _moved_lines(data, starts, edits, after):
        if found.get(line, set()) <= {target} or target not in found[line]:
            found[line] = {target}
            known.add(target)
    return Images({line: frozenset(targets) for line, targets in found.items()}, frozenset(known))


def _kept_parts(
    data: bytes, starts: Sequence[int], edits: Sequence[Edit]
) -> Iterator[tuple[int, int]]:
    """(line before, line after) of what stands before, between and behind the edits of a line."""
    for start, end, shift in _kept(data, edits):
        first, last = line_of(starts, start), line_of(starts, max(start, end - 1))
        for line in {first, last}:
            low = max(start, starts[line - 1])
            high = min(end, starts[line] if line < len(starts) else len(data))
            if data[low:high].strip():
                yield line, line + shift
    shift = 0
    for edit in edits:
        line = line_of(starts, edit.start)
        gone = data[edit.start : edit.end]
        if gone.strip() and b"\n" not in gone and b"\n" not in edit.text and edit.text.strip():
            yield line, line + shift
        shift += edit.text.count(b"\n") - gone.count(b"\n")


def _kept(data: bytes, edits: Sequence[Edit]) -> Iterator[tuple[int, int, int]]:
    """What the edits keep: start, end, and by how many lines it moves."""
    at, shift = 0, 0
    for edit in edits:
        if at < edit.start:
            yield at, edit.start, shift
        shift += edit.text.count(b"\n") - data.count(b"\n", edit.start, edit.end)
        at = edit.end
    if at < len(data):
        yield at, len(data), shift


def _moved_lines(
    data: bytes, starts: Sequence[int], edits: Sequence[Edit], after: bytes
) -> Iterator[tuple[int, int]]:
    """Lines touched by edits that stand once among the touched lines before, and once after."""
    before_lines, after_lines = data.split(b"\n"), after.split(b"\n")
    before, behind = set[int](), set[int]()
    shift = 0
    for edit in edits:
        first, last = line_of(starts, edit.start), line_of(starts, max(edit.start, edit.end - 1))
        before.update(range(first, last + 1))
        behind.update(range(first + shift, first + shift + edit.text.count(b"\n") + 1))
        shift += edit.text.count(b"\n") - data.count(b"\n", edit.start, edit.end)
    once, target = _once(before_lines, before), _once(after_lines, behind)
    for text, line in once.items():
        if text in target:
            yield line, target[text]


def _once(lines: Sequence[bytes], numbers: set[int]) -> dict[bytes, int]:
    """The lines that are unlike all others among these, by what they say."""
    found: dict[bytes, int] = {}
    twice: set[bytes] = set()
    for number in sorted(numbers):
        text = lines[number - 1].strip() if number <= len(lines) else b""
        if text in found:
            twice.add(text)
        elif text:
            found[text] = number
    return {text: number for text, number in found.items() if text not in twice}
