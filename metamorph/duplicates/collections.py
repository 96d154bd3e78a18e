"""From files, archives and token lists to bags: what takes part in a search, and what does not."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Literal

from metamorph.corpus import Skipped, read_sources
from metamorph.corpus.projects import project_of
from metamorph.duplicates.fingerprints import Bags, bags_of_lists, bags_of_pieces, together
from metamorph.duplicates.lexing import PAPER, Pieces, pieces
from metamorph.duplicates.token_lists import Fields, is_token_list, read_token_list
from metamorph.errors import UserError
from metamorph.garbage import collect_seldom
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.limits import Guard, Limits, within

UnitKind = Literal["file", "method"]
REPEATED = "repeated-id"
_BATCH_BYTES = 4_000_000
_BATCH_FILES = 2_000
_AHEAD = 2


@dataclass(frozen=True, slots=True)
class Unit:
    """A file, a method or a list of tokens. path: the source that it is, or is in."""

    id: str
    path: str
    project: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is compared: files or methods, by which tokens; fields: of token lists."""

    unit: UnitKind = "file"
    rule: str = PAPER
    fields: Fields = field(default_factory=Fields)
    workers: int = 1


@dataclass(frozen=True, slots=True)
class Collection:
    """Units with their bags, in the order of reading.

    skipped: what could not be read; lists: the paths that are token lists, not sources.
    """

    units: list[Unit]
    bags: Bags
    skipped: list[Skipped]
    lists: frozenset[str] = frozenset()


Item = tuple[Unit, bytes | list[str]]
Done = tuple[list[Unit], Bags, list[Skipped]]


def collect(paths: Sequence[str], settings: Settings) -> Collection:
    """Everything below the paths; the result is the same whatever the number of workers."""
    skipped: list[Skipped] = []
    lists = frozenset(path for path in paths if is_token_list(path, settings.fields))
    batches = _batches(_items(paths, lists, settings.fields, skipped))
    if settings.workers == 1:
        done = [_bagged(batch, settings) for batch in batches]
    else:
        try:
            done = list(_by_workers(batches, settings))
        except BrokenProcessPool as error:
            raise UserError(
                f"a process of {settings.workers} died, for lack of memory as a rule; give fewer "
                "--workers"
            ) from error
    units = [unit for found, _, _ in done for unit in found]
    bags = together([bags for _, bags, _ in done])
    skipped += [each for _, _, over in done for each in over]
    return Collection(_qualified(units), bags, skipped, lists)


def combined(one: Collection, other: Collection) -> Collection:
    """Both, one behind the other."""
    bags = together([one.bags, other.bags])
    skipped = [*one.skipped, *other.skipped]
    return Collection([*one.units, *other.units], bags, skipped, one.lists | other.lists)


def _listed(path: str, project: str, fields: Fields, skipped: list[Skipped]) -> Iterator[Item]:
    """The rows of a token list; of rows with the same id the first one."""
    seen: set[str] = set()
    for row in read_token_list(path, fields):
        if isinstance(row, Skipped):
            skipped.append(row)
        elif row.id in seen:
            skipped.append(Skipped(f"{path}: {row.id}", REPEATED))
        else:
            seen.add(row.id)
            yield Unit(row.id, path, row.project or project), row.tokens


def _items(
    paths: Sequence[str], lists: frozenset[str], fields: Fields, skipped: list[Skipped]
) -> Iterator[Item]:
    """The sources and token lists; what is skipped goes into the list."""
    for path in dict.fromkeys(path for path in paths if path in lists):
        yield from _listed(path, path if len(paths) > 1 else "", fields, skipped)
    for source in read_sources([path for path in paths if path not in lists]):
        if isinstance(source, Skipped):
            skipped.append(source)
            continue
        project = source.project or project_of(source.path, paths)
        yield Unit(source.path, source.path, project), source.data


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    size = 0
    for item in items:
        batch.append(item)
        size += len(item[1]) * (1 if isinstance(item[1], bytes) else 10)
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _by_workers(batches: Iterable[list[Item]], settings: Settings) -> Iterator[Done]:
    """The batches' results in order; few are read ahead of what is being worked on."""
    context = get_context("spawn")
    with ProcessPoolExecutor(settings.workers, context, initializer=collect_seldom) as pool:
        waiting: deque[Future[Done]] = deque()
        for batch in batches:
            waiting.append(pool.submit(_bagged, batch, settings))
            if len(waiting) > _AHEAD * settings.workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _bagged(batch: Sequence[Item], settings: Settings) -> Done:
    """The units of a batch, which may be several a source, their bags, and sources over a limit."""
    units: list[Unit] = []
    parts: list[Bags] = []
    sources: list[Iterable[Pieces]] = []
    over: list[Skipped] = []
    for unit, content in batch:
        if not isinstance(content, bytes):
            parts.append(bags_of_lists([content]))
            units.append(unit)
            continue
        found = [(unit, content)] if settings.unit == "file" else _methods(unit, content)
        if isinstance(found, str):
            over.append(Skipped(unit.path, found))
            continue
        units += [part for part, _ in found]
        sources += [pieces(text, settings.rule) for _, text in found]
    return units, together([*parts, bags_of_pieces(sources, settings.rule)]), over


def _methods(unit: Unit, data: bytes) -> list[tuple[Unit, bytes]] | str:
    """The methods of a file; where it is over a limit, the reason."""
    return within(Guard(Limits()), partial(_named, unit, data))


def _named(unit: Unit, data: bytes) -> list[tuple[Unit, bytes]]:
    """The methods with a body, `PATH:LINE:Class.method`, and their text."""
    seen: Counter[str] = Counter()
    found = []
    for method in methods(SourceFile(unit.path, data), parse(data)):
        name = f"{unit.id}:{method.line}:{method.title}"
        seen[name] += 1
        name += f"#{seen[name]}" if seen[name] > 1 else ""
        found.append((Unit(name, unit.path, unit.project), data[method.start : method.end]))
    return found


def _qualified(units: list[Unit]) -> list[Unit]:
    """An id that several inputs have gets the name of its input before it."""
    times = Counter(unit.id for unit in units)
    return [
        Unit(f"{unit.path}:{unit.id}", unit.path, unit.project) if times[unit.id] > 1 else unit
        for unit in units
    ]
