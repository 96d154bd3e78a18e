"""From the sources of a suite to what its writers take, by this process or by workers."""

import pickle
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from metamorph.corpus.suites import listing
from metamorph.runs.parts import bench, made, workshop
from metamorph.runs.sightings import Item
from metamorph.suites.formats.shapes import Shaper
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Listed, OfMethod, Serial, entries

Shaped = tuple[int, Any]
"""What a shaper made, after the shaper's number."""

_Event = Shaped | Counts
"""Something that was made of a method, or what was counted of it, which comes last."""

_OfFile = tuple[str, Iterator[_Event]]
"""The reason for which a file gives nothing, or "", and what is made of it."""

_Files = Generator[_OfFile, None, None]

_SPOOL = "events"


@dataclass(frozen=True, slots=True)
class Making:
    """What is to be made of each source, and in which folder; shapers: opens them there."""

    recipe: Recipe
    shapers: Callable[[Path], list[Shaper]]
    place: Path

    def here(self, items: Iterable[Listed]) -> _Files:
        """By this process."""
        shapers = self.shapers(self.place)
        return (_of_file(item, self.recipe, shapers) for item in items)

    def by_workers(self, items: Iterable[Listed], workers: int) -> _Files:
        """The same, which comes by way of files."""
        seconds = self.recipe.settings.time_limit
        with closing(made(items, self.spool, _lost, workers, seconds)) as spools:
            for spool in spools:
                folder = self.place / str(spool.ordinal)
                yield spool.reason, iter(()) if spool.reason else _read(folder / _SPOOL)
                shutil.rmtree(folder, ignore_errors=True)

    def spool(self, item: Item) -> "Spool":
        """What is made of a source, in a file."""
        assert isinstance(item, Listed)
        folder = bench(self.place, item)
        reason, events = _of_file(item, self.recipe, self.shapers(folder))
        with open(folder / _SPOOL, "xb") as file:
            for event in events:
                pickle.dump(event, file, pickle.HIGHEST_PROTOCOL)
        return Spool(item.ordinal, reason)


@dataclass(frozen=True, slots=True)
class Spool:
    """A source's place in the corpus, and the reason for which it gives nothing, or ""."""

    ordinal: int
    reason: str


def make(
    items: Iterable[Listed],
    recipe: Recipe,
    shapers: Callable[[Path], list[Shaper]],
    out: Path,
    counts: Counts,
    workers: int,
) -> Generator[Shaped, None, None]:
    """What is made of the sources, in their order, up to the limit on methods; counts go along.

    out: a folder in which others are made meanwhile.
    """
    most = recipe.settings.limit
    with workshop(out) as place:
        making = Making(recipe, shapers, place)
        files = making.here(items) if workers == 1 else making.by_workers(items, workers)
        # Closed before the workshop is, where workers may still be at it.
        with closing(files):
            for reason, events in files:
                counts.files += 1
                counts.left.update([reason] if reason else ())
                for event in events:
                    if most is not None and counts.methods >= most:
                        return
                    if isinstance(event, Counts):
                        counts.add(event)
                    else:
                        yield event


def listed(folder: Path, chosen: set[Serial] | None = None) -> Iterator[Listed]:
    """The sources in the folder of a suite; chosen: of their variants these alone."""
    of_file: dict[int, set[Serial]] = {}
    for serial in chosen or ():
        of_file.setdefault(serial[0], set()).add(serial)
    for ordinal, (name, source) in enumerate(listing(str(folder))):
        item = Listed(ordinal, source, name=name)
        if chosen is not None:
            item = replace(item, chosen=frozenset(of_file.get(ordinal, ())))
        yield item


def _of_file(item: Listed, recipe: Recipe, shapers: list[Shaper]) -> _OfFile:
    reason, methods = entries(item, recipe)
    return reason, _events(methods, shapers)


def _events(methods: Iterable[OfMethod], shapers: list[Shaper]) -> Iterator[_Event]:
    for counts, found in methods:
        for entry in found:
            for number, shaper in enumerate(shapers):
                for shape in shaper.add(entry):
                    yield number, shape
        for number, shaper in enumerate(shapers):
            for shape in shaper.end():
                yield number, shape
        yield counts


def _read(spool: Path) -> Iterator[_Event]:
    with open(spool, "rb") as file:
        while file.peek(1):
            yield pickle.load(file)


def _lost(item: Item, reason: str) -> Spool:
    return Spool(item.ordinal, reason)
