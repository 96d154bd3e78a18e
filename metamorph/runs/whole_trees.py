"""Whole source trees: a copy in which every outermost method is transformed."""

import os
import shutil
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path

from metamorph.corpus import Skipped, Unread
from metamorph.corpus.sources import read_file
from metamorph.durable import is_draft, refuse_inside, whole_folder
from metamorph.errors import UserError, fault_of
from metamorph.java.edits import Edit, apply, ordered
from metamorph.java.methods import Method
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse_syntax
from metamorph.limits import Guard, within
from metamorph.runs.limited import Reading, read
from metamorph.runs.parts import Sums, made
from metamorph.runs.rows import PARSED
from metamorph.runs.settings import Settings
from metamorph.runs.sightings import Item
from metamorph.runs.variations import found

NOT_COPIED = "not-a-regular-file"

Check = Callable[[SourceFile, bytes], str]
"""What is wrong with a file's new text, in a word or two, or ""."""


@dataclass(slots=True)
class Counts(Sums):
    """What came of a corpus.

    sites: those applied; changed: files that differ from the original; left: files copied as
    they are, by reason; faults: what a transformation got wrong, by reason, nothing of it written.
    """

    changed: int = 0
    sites: int = 0


@dataclass(frozen=True, slots=True)
class Copied:
    """What came of a Java file; ordinal: its place among them."""

    ordinal: int
    counts: Counts


def write_tree(
    source: Path, out: Path, settings: Settings, check: Check, workers: int = 1
) -> Counts:
    """Copy a folder, or one file, to `out` with its Java transformed; the plan has one pair.

    `out` must be new or empty, and is there only once it is whole. A Java file that does not
    parse, or kills its worker, is copied as it is. workers: processes that share the work, which
    are sent `check`; no byte depends on them.
    """
    counts = Counts()
    top = source if source.is_dir() else source.parent
    with whole_folder(out, [str(source)]) as draft:
        copying = Copying(source, draft)
        files = copying.files() if source.is_dir() else iter([(source, draft / source.name)])
        java = _java(files)
        make = partial(_write, top, draft, settings, check)
        lost = partial(_leave, top, draft)
        with closing(made(java, make, lost, workers, settings.time_limit)) as copied:
            for each in copied:
                counts.add(each.counts)
        copying.end()
    counts.left.update(copying.left)
    return counts


def _java(files: Iterable[tuple[Path, Path]]) -> Iterator[Item]:
    """The Java files; all others are copied on the way."""
    ordinals = count()
    for path, place in files:
        if path.suffix == ".java":
            yield Item(next(ordinals), Unread(str(path), path.stat().st_size))
        else:
            copy_file(path, place, None)


def _write(top: Path, out: Path, settings: Settings, check: Check, item: Item) -> Copied:
    """Write a transformed file."""
    counts = Counts()
    _put(top, out, item, lambda path: transformed(path, settings, check, counts))
    return Copied(item.ordinal, counts)


def _leave(top: Path, out: Path, item: Item, reason: str) -> Copied:
    """Copy a file as it is."""
    _put(top, out, item, lambda path: None)
    return Copied(item.ordinal, Counts(files=1, left=Counter([reason])))


def _put(top: Path, out: Path, item: Item, change: Callable[[Path], bytes | None]) -> None:
    """Copy a file, changed or not; what a dead worker left there is in nobody's way."""
    path = Path(item.source.path)
    place = out / path.relative_to(top)
    place.unlink(missing_ok=True)
    copy_file(path, place, change(path))


def prepare(source: Path, out: Path) -> None:
    """Make the folder `out`; raises UserError where it holds something or lies in the source."""
    refuse_inside(source, out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise UserError(f"{out}: not a folder; give another one") from error
    if any(out.iterdir()):
        raise UserError(f"{out}: not empty; give another folder")


def copy_tree(source: Path, out: Path, change: Callable[[Path], bytes | None]) -> Counter[str]:
    """Copy a folder with its modes, times and links; what was not copied, by reason.

    change: the new content of a file, or None to copy it. A link that leads out of the folder
    leads to the same place from the copy.
    """
    prepare(source, out)
    return _copy(source, out, change)


def _copy(source: Path, out: Path, change: Callable[[Path], bytes | None]) -> Counter[str]:
    copying = Copying(source, out)
    for file, place in copying.files():
        copy_file(file, place, change(file))
    copying.end()
    return copying.left


@dataclass(slots=True)
class Copying:
    """A folder on its way to another place; left: what is not copied, by reason."""

    source: Path
    out: Path
    left: Counter[str] = field(default_factory=Counter)
    folders: list[tuple[Path, Path]] = field(default_factory=list)

    def files(self) -> Iterator[tuple[Path, Path]]:
        """All files and where each belongs; folders and links are made on the way."""
        self.folders.append((self.source, self.out))
        for folder, copy in self.folders:
            for entry in _entries(folder):
                place = copy / entry.name
                if entry.is_symlink():
                    _copy_link(self.source, entry, place)
                elif entry.is_dir():
                    place.mkdir()
                    self.folders.append((entry, place))
                elif stat.S_ISREG(entry.lstat().st_mode):
                    yield entry, place
                else:
                    self.left[NOT_COPIED] += 1

    def end(self) -> None:
        """Give the folders the modes and times of their originals, once all files are there."""
        for folder, copy in reversed(self.folders):
            shutil.copystat(folder, copy)


def _entries(folder: Path) -> list[Path]:
    """What is in a folder, in order, without what a killed command left."""
    found = (path for path in folder.iterdir() if not is_draft(path.name))
    return sorted(found, key=lambda path: os.fsencode(path.name))


def _copy_link(top: Path, link: Path, place: Path) -> None:
    target = Path(os.readlink(link))
    leads = Path(os.path.realpath(link.parent / target))
    within = not target.is_absolute() and leads.is_relative_to(top.resolve())
    os.symlink(target if within or target.is_absolute() else leads, place)


def copy_file(source: Path, place: Path, data: bytes | None) -> None:
    """Copy a file with its mode; with new content it also gets a new time."""
    if data is None:
        shutil.copy2(source, place)
    else:
        place.write_bytes(data)
        shutil.copymode(source, place)


def transformed(path: Path, settings: Settings, check: Check, counts: Counts) -> bytes | None:
    """The new text of a file, or None where it stays."""
    counts.files += 1
    source = read_file(str(path))
    if isinstance(source, Skipped):
        counts.left[source.reason] += 1
        return None
    reading = read(source, settings.limits)
    if reading.status != PARSED:
        counts.left[reading.status] += 1
        return None
    edits = list(_edits(reading, settings, counts))
    if not edits:
        return None
    data = apply(source.data, edits)
    if fault := _syntax_fault(reading.guard, data, settings) or check(source, data):
        counts.faults[fault] += 1
        counts.left["faulty-variant"] += 1
        return None
    counts.changed += 1
    return data


def _syntax_fault(guard: Guard, data: bytes, settings: Settings) -> str:
    """What keeps the new text from being parsed, or ""."""
    if settings.check == "none":
        return ""
    has_error = within(guard, lambda: parse_syntax(data).root_node.has_error)
    if isinstance(has_error, str):
        return has_error
    return "syntax-error" if has_error else ""


def _edits(reading: Reading, settings: Settings, counts: Counts) -> Iterator[Edit]:
    """The edits of all outermost methods; a method whose edits fail is left alone."""
    ((code, place),) = settings.plan
    for method in outermost(reading.methods):
        counts.methods += 1
        try:
            sought = within(reading.guard, partial(found, method, code, place, settings))
            if isinstance(sought, str):
                counts.refusals[sought] += 1
                continue
            groups, refusals = sought
            counts.refusals.update(refusal.reason for refusal in refusals)
            sites = [site for group in groups for site in group]
            edits = ordered(edit for site in sites for edit in site.edits)
        except UserError:
            raise
        except Exception as error:
            counts.faults[fault_of(error)] += 1
            continue
        counts.sites += len(sites)
        yield from edits


def outermost(found: Iterable[Method]) -> Iterator[Method]:
    """The methods that lie in no other one: their sites hold those of the methods within."""
    end = 0
    for method in found:
        if method.start >= end:
            end = method.end
            yield method
