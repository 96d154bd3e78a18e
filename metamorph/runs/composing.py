"""Composing: several transformations applied one after the other to one method."""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from metamorph.java.edits import Edit
from metamorph.java.methods import Method, methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.java.variants import BrokenVariantError, Variant, make_variant, reparse
from metamorph.runs.settings import chance
from metamorph.transforms import load
from metamorph.transforms._protocol import Choices

_WORD = re.compile(rb"[\w$]+")


@dataclass(frozen=True, slots=True)
class Step:
    """A transformation to be applied; sites: the indices of those that may be, None for all.

    Without `sites`, place `random` takes one by chance.
    """

    transform: str
    place: str
    sites: tuple[int, ...] | None = None


Spot = tuple["Unit | None", int, int]
"""A place in the code: in an edit of a unit, its number and the offset in its text; or, of no
unit, 0 and the offset in the original file."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A site that is applied as a whole or not at all; nth: of those at one spot."""

    step: int
    spot: Spot
    nth: int

    @property
    def offset(self) -> int:
        """Where it stands in the original file, or the unit in whose code it stands."""
        unit: Unit | None = self
        while unit is not None and unit.spot[0] is not None:
            unit = unit.spot[0]
        return unit.spot[2] if unit else 0


@dataclass(frozen=True, slots=True)
class Composed:
    """A method after all steps; data: its whole file; tree: its own tree, node 0 being it.

    applied: what was, in order; names: old to new, through all steps.
    """

    data: bytes
    tree: Tree
    applied: tuple[tuple[Unit, Site], ...]
    names: dict[str, str]


_Owned = list[tuple[Edit, Unit, int]]
"""Edits in order; whose each is, and which of that unit's."""


def compose(
    method: Method, steps: Sequence[Step], seed: int, handler: str, only: Sequence[Unit] | None
) -> Composed | None:
    """The method after the steps, of whose sites only these are applied; None where none is.

    Each step works on what the one before it left. A site is known again by where it stands, so
    that it is the same one whatever else is applied. Raises BrokenVariantError or OverlapError
    where a transformation is at fault.
    """
    now, variant = method, None
    before: list[_Owned] = []
    applied: list[tuple[Unit, Site]] = []
    names: dict[str, str] = {}
    for number, step in enumerate(steps):
        now = _again(variant) if variant is not None and variant.original is now else now
        rng = partial(chance, seed, method, step.transform, step.place)
        found = list(_units(number, _sites(now, step, rng, handler), before))
        chosen = [pair for pair in found if only is None or pair[0] in only]
        if not chosen:
            continue
        variant = make_variant(now, [site for _, site in chosen], step.place)
        names = _chained(names, variant.name_map)
        before.append(_owned(chosen))
        applied += chosen
    if variant is None:
        return None
    return Composed(variant.data, reparse(variant), tuple(applied), names)


def _sites(method: Method, step: Step, rng: "partial[random.Random]", handler: str) -> list[Site]:
    choices = Choices.for_file(method.file.data, rng, distinct=step.place == "all", handler=handler)
    found = load(step.transform).sites(method, choices)
    sites = [site for site in found if isinstance(site, Site)]
    if step.sites is not None:
        return [site for site in sites if site.index in step.sites]
    return [choices.rng.choice(sites)] if sites and step.place == "random" else sites


def _units(
    step: int, sites: Sequence[Site], before: Sequence[_Owned]
) -> Iterator[tuple[Unit, Site]]:
    seen: dict[Spot, int] = {}
    for site in sites:
        spot = _spot(site.anchor, before)
        seen[spot] = nth = seen.get(spot, -1) + 1
        yield Unit(step, spot, nth), site


def _spot(offset: int, before: Sequence[_Owned]) -> Spot:
    """Where that byte comes from: back through the edits of each step."""
    for edits in reversed(before):
        shift = 0
        for edit, unit, number in edits:
            start = edit.start + shift
            if offset < start:
                break
            if offset < start + len(edit.text):
                if not _WORD.fullmatch(edit.text) or edit.start == edit.end:
                    return unit, number, offset - start
                # A word in another's place is where that was, whether it is put there or not.
                offset = start
                break
            shift += len(edit.text) - (edit.end - edit.start)
        offset -= shift
    return None, 0, offset


def _owned(chosen: Sequence[tuple[Unit, Site]]) -> _Owned:
    owned = [(e, unit, n) for unit, site in chosen for n, e in enumerate(site.edits)]
    return sorted(owned, key=lambda one: (one[0].start, one[0].end, one[0].rank))


def _chained(names: dict[str, str], then: dict[str, str]) -> dict[str, str]:
    """Old to new through both."""
    fresh = {old: new for old, new in then.items() if old not in names.values()}
    return {old: then.get(new, new) for old, new in names.items()} | fresh


def _again(variant: Variant) -> Method:
    """The transformed method, parsed in its transformed file."""
    file = SourceFile(variant.original.file.path, variant.data)
    tree = parse(file.data)
    start = variant.start
    for method in () if tree.has_error else methods(file, tree):
        if method.start == start:
            return method
    raise BrokenVariantError("the transformed method is not found in its file")
