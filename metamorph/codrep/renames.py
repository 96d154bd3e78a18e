"""Renames in the inserted line: the names that it means where it is to stand."""

import re

from metamorph.codrep.kinds import node_at
from metamorph.java.sites import Site
from metamorph.java.source import line_of, line_starts
from metamorph.java.tree import Tree
from metamorph.java.variants import Variant

_SCOPES = frozenset(
    {
        "block",
        "catch_clause",
        "class_body",
        "constructor_body",
        "constructor_declaration",
        "enhanced_for_statement",
        "for_statement",
        "lambda_expression",
        "method_declaration",
        "switch_block",
        "try_with_resources_statement",
    }
)
_LEXEME = re.compile(
    rb'"(?:\\.|[^"\\])*"?|\'(?:\\.|[^\'\\])*\'?|//.*|/\*.*?(?:\*/|$)|\.\s*[A-Za-z_$][\w$]*|'
    rb"\d[\w.]*|[A-Za-z_$\x80-\xff][\w$\x80-\xff]*(\s*\()?"
)


def renamed(inserted: bytes, variant: Variant, line: int | None) -> bytes:
    """The inserted line as it must be to mean the same on that line of the original.

    Names are changed where the line lies in the scope of a renamed variable; those behind a dot
    or before a parenthesis, in strings and comments stay.
    """
    if line is None:
        return inserted
    names: dict[bytes, bytes] = {}
    # Inner scopes last: a name that has several variables means the innermost.
    for site in sorted(variant.sites, key=lambda site: -len(_scope(variant, site))):
        if line in _scope(variant, site):
            names |= {old.encode(): new.encode() for old, new in site.names}
    if not names or inserted.lstrip().startswith((b"*", b"import ", b"package ")):
        return inserted
    return _LEXEME.sub(lambda match: _changed(match, names), inserted)


def _changed(match: re.Match[bytes], names: dict[bytes, bytes]) -> bytes:
    return match[0] if match[1] else names.get(match[0], match[0])


def _scope(variant: Variant, site: Site) -> range:
    """The lines of the innermost scope that holds the variable and all its uses."""
    method = variant.original
    inside = [e for e in site.edits if method.start <= e.start and e.end <= method.end]
    if not inside:
        return range(0)
    end = max(edit.end for edit in inside)
    node = node_at(method.tree, min(edit.start for edit in inside))
    while node >= 0 and not _holds(method.tree, node, end):
        node = method.tree.parent[node]
    if node < 0:
        return range(0)
    starts = line_starts(method.file.data)
    return range(
        line_of(starts, method.tree.start[node]), line_of(starts, method.tree.end[node] - 1) + 1
    )


def _holds(tree: Tree, node: int, end: int) -> bool:
    return tree.kind[node] in _SCOPES and tree.end[node] >= end
