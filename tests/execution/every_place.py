"""The variants of a program by all transformations in all places."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metamorph.java.edits import Edit, apply
from metamorph.java.methods import methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.runs.settings import Settings
from metamorph.runs.variations import found
from metamorph.runs.whole_trees import outermost
from metamorph.transforms import load


@dataclass(frozen=True, slots=True)
class Version:
    """A transformed program; what: transformation, place and sites, to be told on a failure."""

    code: str
    what: str
    data: bytes


def versions(
    text: str, codes: Sequence[str], seed: int, most: int | None = None
) -> Iterator[Version]:
    """The variants by these transformations; of a single place at most so many of each, drawn."""
    file = SourceFile("Program.java", text.encode())
    tree = parse(file.data)
    assert not tree.has_error, text
    programs = list(outermost(methods(file, tree)))
    plan = [(code, place) for code in codes for place in load(code).PLACES]
    for code, place in plan:
        settings = Settings((), "", ((code, place),), place, seed)
        chosen = [group for method in programs for group in found(method, code, place, settings)[0]]
        if place != "single":
            yield from [_version(file.data, code, place, chosen)] if chosen else []
            continue
        if most is not None and len(chosen) > most:
            chosen = random.Random(seed).sample(chosen, most)
        for group in chosen:
            yield _version(file.data, code, place, [group])


def _version(data: bytes, code: str, place: str, groups: list[tuple[Site, ...]]) -> Version:
    edits: list[Edit] = [edit for group in groups for site in group for edit in site.edits]
    sites = [site.index for group in groups for site in group]
    return Version(code, f"{code} {place} {sites}", apply(data, edits))
