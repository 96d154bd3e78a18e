"""What kind of line a line of a program is, told by its first character that is no blank."""

from bisect import bisect_right

from metamorph.java.source import line_starts
from metamorph.java.tree import COMMENTS, Tree

_KINDS = {
    "import_declaration": "import",
    "package_declaration": "package",
    "block": "body",
    "constructor_body": "body",
    "field_declaration": "field",
    "constant_declaration": "field",
    "method_declaration": "header",
    "constructor_declaration": "header",
    "class_declaration": "type",
    "interface_declaration": "type",
    "enum_declaration": "type",
    "record_declaration": "type",
    "annotation_type_declaration": "type",
    **dict.fromkeys(COMMENTS, "comment"),
}


def kind_of_line(tree: Tree, line: int) -> str:
    """body, header (of a method), field, type, import, package, comment or other."""
    starts = line_starts(tree.data)
    if not 1 <= line <= len(starts):
        return "other"
    at = starts[line - 1]
    end = starts[line] if line < len(starts) else len(tree.data)
    at += len(tree.data[at:end]) - len(tree.data[at:end].lstrip())
    node = node_at(tree, at) if at < end else -1
    while node >= 0:
        if tree.kind[node] in _KINDS:
            return _KINDS[tree.kind[node]]
        node = tree.parent[node]
    return "other"


def node_at(tree: Tree, offset: int) -> int:
    """The innermost node that holds the byte, or -1."""
    node = bisect_right(tree.start, offset) - 1
    while node >= 0 and tree.end[node] <= offset:
        node = tree.parent[node]
    return node
