"""Diffs of two versions of a file, for a terminal."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

_CONTEXT = 2
_HIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def diff(before: bytes, after: bytes) -> Iterator[str]:
    """The lines of a unified diff; what a terminal would obey or hide is spelt out."""
    old, new = _lines(before), _lines(after)
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    start = max(0, head - _CONTEXT)
    # What both have in common is cut off first: a matcher takes long over thousands of lines.
    old = old[start : len(old) - max(0, tail - _CONTEXT)]
    new = new[start : len(new) - max(0, tail - _CONTEXT)]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        was = f"{start + first[1] + 1},{last[2] - first[1]}"
        yield f"@@ -{was} +{start + first[3] + 1},{last[4] - first[3]} @@"
        for kind, i1, i2, j1, j2 in group:
            if kind == "equal":
                yield from (f" {line}" for line in old[i1:i2])
            else:
                yield from (f"-{line}" for line in old[i1:i2])
                yield from (f"+{line}" for line in new[j1:j2])


def _alike(old: list[str], new: list[str]) -> int:
    """How many lines both begin with in common."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")
    return [_HIDDEN.sub(_spelt, line) for line in text.split("\n")]


def _spelt(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"
