"""Parts of what is written: made of one source each by workers, and taken in the sources' order."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Self, TypeVar

from metamorph.errors import UserError
from metamorph.garbage import collect_seldom
from metamorph.runs import guards
from metamorph.runs.engines import Crew, opened, processes
from metamorph.runs.processes import WorkersLostError
from metamorph.runs.shifts import Done, Row, Shift
from metamorph.runs.sightings import Item

_Part = TypeVar("_Part", bound=Row)


@dataclass(slots=True)
class Sums:
    """What came of sources, by reason where it is nothing; left: sources as a whole."""

    files: int = 0
    methods: int = 0
    left: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def add(self, other: Self) -> None:
        """Count what came of another source."""
        for name in (each.name for each in fields(self)):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@contextmanager
def workshop(out: Path) -> Iterator[Path]:
    """A folder in `out` where parts are made; it is gone at the end."""
    with tempfile.TemporaryDirectory(prefix=".parts-", dir=out) as place:
        yield Path(place)


def bench(place: Path, item: Item) -> Path:
    """An empty folder of the workshop for one source, whatever a dead worker left there."""
    folder = place / str(item.ordinal)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def made(
    items: Iterable[Item],
    make: Callable[[Item], _Part],
    lost: Callable[[Item, str], _Part],
    workers: int,
    seconds: float,
) -> Generator[_Part, None, None]:
    """The parts of all sources in their order, by this process or so many others.

    make: makes a part, and may do so again after a worker has died at it; what it writes is in
    files, for parts wait in memory for their turn. lost: stands in for the part of a source that
    kills its worker, told the reason. seconds: the limit on the work on a method. Raises UserError
    where workers cannot go on.
    """
    if workers == 1:
        yield from map(make, items)
        return
    with ExitStack() as stack:
        engine = stack.enter_context(opened(Crew(workers), _start, _go_on))
        lone = stack.enter_context(processes(1, partial(_start, 1)))
        work = partial(_work, make, guards.far(seconds))
        shift = Shift(engine, lone, work, lost, bool, in_order=True)
        try:
            yield from shift.rows(items)
        except WorkersLostError as error:
            raise UserError(f"--workers {workers}: {error}; give fewer") from error


def _start(workers: int) -> None:
    """What a process does before its first task."""
    collect_seldom()


def _go_on() -> None:
    """Nobody is told to stop: who is interrupted makes nothing."""


def _work(make: Callable[[Item], _Part], far: float, items: Sequence[Item]) -> Done[_Part]:
    """A task; no source is another one than the parent found, for each is looked at once."""
    parts: list[_Part] = []
    try:
        for item in items:
            guards.arm(far)
            parts.append(make(item))
    finally:
        guards.arm(0)
    return parts, []
