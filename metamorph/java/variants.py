"""Variants: a method transformed within its whole file."""

from collections.abc import Sequence
from dataclasses import dataclass

import tree_sitter

from metamorph.java.edits import Edit, LineMap, apply, line_map, moved, ordered
from metamorph.java.methods import Method
from metamorph.java.sites import Site
from metamorph.java.tree import Tree, parse_syntax, subtree


class BrokenVariantError(ValueError):
    """A variant that does not parse, or whose method is gone: a fault of the transformation."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A transformed method together with its whole file."""

    original: Method
    sites: tuple[Site, ...]
    place: str
    data: bytes
    edits: tuple[Edit, ...]

    @property
    def line_map(self) -> LineMap:
        """Runs of lines that the edits left alone; see `edits.line_map`."""
        return line_map(self.original.file.data, self.edits)

    @property
    def name_map(self) -> dict[str, str]:
        """Old name -> new name of every renamed variable."""
        return dict(pair for site in self.sites for pair in site.names)

    @property
    def start(self) -> int:
        """Byte offset of the method in the transformed file."""
        return moved(self.original.start, self.edits)


def make_variant(method: Method, sites: Sequence[Site], place: str) -> Variant:
    """Apply the edits of these sites together; raises OverlapError where they clash."""
    edits = tuple(ordered(edit for site in sites for edit in site.edits))
    data = apply(method.file.data, edits)
    return Variant(method, tuple(sites), place, data, edits)


def reparse(variant: Variant, *, check: bool = True) -> Tree:
    """The transformed method's own tree, node 0 being its declaration.

    Parses incrementally. Raises BrokenVariantError if the file now has a syntax error; without
    `check` only if the method is no longer found.
    """
    syntax = variant.original.tree.syntax.copy()
    for edit in reversed(variant.edits):
        syntax.edit(edit.start, edit.end, edit.start + len(edit.text), (0, 0), (0, 0), (0, 0))
    after = parse_syntax(variant.data, syntax)
    if check and after.root_node.has_error:
        raise BrokenVariantError("the variant has a syntax error")
    return _method_tree(variant, after)


def _method_tree(variant: Variant, syntax: tree_sitter.Tree) -> Tree:
    tree = subtree(variant.data, syntax, "method_declaration", variant.start)
    if tree is None:
        raise BrokenVariantError("the transformed method is not found in the variant")
    return tree
