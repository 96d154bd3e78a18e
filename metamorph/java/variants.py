"""Variants: a method transformed within its whole file."""

from collections.abc import Sequence
from dataclasses import dataclass

from metamorph.java.edits import Edit, LineMap, apply, line_map, moved, ordered
from metamorph.java.methods import Method
from metamorph.java.sites import Site
from metamorph.java.tree import Tree, parse_method


class BrokenVariantError(ValueError):
    """A variant that does not parse, or whose method is gone: a fault of the transformation."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A transformed method together with its whole file."""

    original: Method
    sites: tuple[Site, ...]
    place: str
    edits: tuple[Edit, ...]

    @property
    def data(self) -> bytes:
        """The whole file after the edits, made anew at each call."""
        return apply(self.original.file.data, self.edits)

    @property
    def text(self) -> bytes:
        """The transformed method alone."""
        start, end = self.original.start, self.original.end
        inside = [e for e in self.edits if start <= e.start and e.end <= end]
        moved_edits = [Edit(e.start - start, e.end - start, e.text, e.rank) for e in inside]
        return apply(self.original.file.data[start:end], moved_edits)

    @property
    def changes(self) -> bool:
        """Whether any byte differs from the original's."""
        data = self.original.file.data
        return any(data[e.start : e.end] != e.text for e in self.edits)

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
    """The edits of these sites together; raises OverlapError where they clash."""
    edits = tuple(ordered(edit for site in sites for edit in site.edits))
    return Variant(method, tuple(sites), place, edits)


def reparse(variant: Variant, *, check: bool = True) -> Tree:
    """The transformed method's own tree, node 0 being its declaration.

    Only the method is parsed, so that a file's size does not matter. Raises BrokenVariantError
    if it has a syntax error; without `check` only if it is no longer a method.
    """
    tree = parse_method(variant.text)
    if tree is None or (check and tree.end[0] != len(tree.data)):
        raise BrokenVariantError("the transformed method is not found in the variant")
    if check and tree.has_error:
        raise BrokenVariantError("the variant has a syntax error")
    return tree
