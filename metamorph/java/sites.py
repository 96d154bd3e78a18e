"""Sites and refusals: what a transformation finds in a method."""

from dataclasses import dataclass

from metamorph.java.edits import Edit


@dataclass(frozen=True, slots=True)
class Site:
    """One place in a method where a transformation applies, with its edits.

    index: its place among the method's sites of that transformation, from 0; anchor: the byte
    offset that stands for it; names: (old, new) of each renamed variable; fresh: names that the
    edits introduce; note: what the program does otherwise afterwards, where it was asked for.
    """

    transform: str
    index: int
    anchor: int
    edits: tuple[Edit, ...]
    names: tuple[tuple[str, str], ...] = ()
    fresh: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A candidate left alone: the reason is a short name, the same for all of its kind."""

    transform: str
    anchor: int
    reason: str
