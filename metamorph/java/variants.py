"""Variants: a method transformed within its whole file."""

from collections.abc import Sequence
from dataclasses import dataclass

from metamorph.java.edits import Edit, LineMap, line_map, moved, ordered, spliced
from metamorph.java.methods import Method
from metamorph.java.sites import Site
from metamorph.java.tree import Tree, parse_edited


class BrokenVariantError(ValueError):
    """A variant that does not parse, or whose method is gone: a fault of the transformation."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A transformed method together with its whole file; the edits are in order."""

    original: Method
    sites: tuple[Site, ...]
    place: str
    edits: tuple[Edit, ...]

    @property
    def data(self) -> bytes:
        """The whole file after the edits, made anew at each call."""
        data = self.original.file.data
        return spliced(data, self.edits, 0, len(data))

    @property
    def text(self) -> bytes:
        """The transformed method alone."""
        start, end = self.original.start, self.original.end
        return spliced(self.original.file.data, self.edits_within, start, end)

    @property
    def edits_within(self) -> list[Edit]:
        """The edits of the method itself; those of its Javadoc lie before it."""
        start, end = self.original.start, self.original.end
        return [e for e in self.edits if start <= e.start and e.end <= end]

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

    Only the method is parsed, and of it only what the edits touch. Raises BrokenVariantError if
    it has a syntax error; without `check` only if it is no longer a method.
    """
    start, end = variant.original.start, variant.original.end
    inside = variant.edits_within
    original = variant.original.file.data[start:end]
    shifts = [(e.start - start, e.end - start, len(e.text)) for e in inside]
    tree = parse_edited(original, shifts, spliced(variant.original.file.data, inside, start, end))
    if tree is None or (check and not tree.is_whole):
        raise BrokenVariantError("the transformed method is not found in the variant")
    if check and tree.has_error:
        raise BrokenVariantError("the variant has a syntax error")
    return tree
