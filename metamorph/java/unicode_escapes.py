"""Unicode escapes that hide code: javac translates them before it looks for words (JLS 3.3)."""

import re
from functools import lru_cache

from metamorph.java.tree import Tree

_ESCAPE = re.compile(rb"(?<!\\)(?:\\\\)*(\\u+([0-9A-Fa-f]{4}))")
_LINE_ENDS = frozenset({0x0A, 0x0D})
_HARMFUL = {
    "line_comment": _LINE_ENDS,
    "block_comment": frozenset({ord("*"), ord("/")}),
    "string_literal": _LINE_ENDS | {ord('"'), ord("\\")},
    "character_literal": _LINE_ENDS | {ord("'"), ord("\\")},
}


@lru_cache(maxsize=4)
def hide_code(tree: Tree) -> bool:
    """Whether some escape may be code, or may end the comment or literal that it stands in."""
    if b"\\u" not in tree.data:
        return False
    texts = _texts(tree)
    at = 0
    for match in _ESCAPE.finditer(tree.data):
        while at < len(texts) and texts[at][1] <= match.start(1):
            at += 1
        inside = at < len(texts) and texts[at][0] < match.start(1)
        if not inside or int(match[2], 16) in _HARMFUL[texts[at][2]]:
            return True
    return False


def _texts(tree: Tree) -> list[tuple[int, int, str]]:
    """Start, end and kind of every comment and literal, in source order."""
    return [(tree.start[n], tree.end[n], tree.kind[n]) for n in tree.of_kinds(_HARMFUL)]
