"""A run from its first file to its last: begin or go on, store, stop in good order."""

import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Protocol

from metamorph.corpus import Marks, Survey, read_sources, survey
from metamorph.errors import UserError
from metamorph.models.protocol import Model
from metamorph.oracles.summaries import NO_PRICES, Prices
from metamorph.runs import manifest as manifests
from metamorph.runs import store
from metamorph.runs.checks import lack
from metamorph.runs.copied import compared, surveyed
from metamorph.runs.engines import Crew
from metamorph.runs.folders import opened, telling_faults
from metamorph.runs.packing import Packed
from metamorph.runs.settings import Settings
from metamorph.runs.sightings import sighted
from metamorph.runs.workers import study

DONE = "done"
INTERRUPTED = "interrupted"

_Handler = Callable[[int, FrameType | None], object] | int | None


class Observer(Protocol):
    """Who wants to know how the run goes on."""

    def begin(self, survey: Survey, finished: int) -> None:
        """The corpus is known; so many files are done already."""
        ...

    def advance(self, done: "Progress") -> None:
        """Another file is stored."""
        ...

    def stopping(self) -> None:
        """The user interrupted; the work in flight is being finished."""
        ...


@dataclass(slots=True)
class Progress:
    """What this process has done of a run."""

    files: int = 0
    methods: int = 0
    variants: int = 0
    changed: int = 0

    def add(self, row: Packed) -> None:
        """Count a file's results."""
        self.files += 1
        self.methods += len(row.methods)
        self.variants += len(row.variants)
        self.changed += sum(row.changed)


@dataclass(frozen=True, slots=True)
class Request:
    """A run to be made: the study, and how it is carried out.

    cache: whether answers are kept for later runs, and kept ones taken.
    """

    settings: Settings
    model: Model
    out: Path
    crew: Crew
    resume: bool
    command: str
    notes: tuple[str, ...] = ()
    cache: bool = True
    prices: Prices = NO_PRICES


def execute(request: Request, observer: Observer) -> str:
    """Carry out a run, or what is missing of it; `done` or `interrupted`.

    A run that goes on asks again for what has no answer because of a server or network. Raises
    UserError where it cannot begin, WorkersLostError where a worker died, StorageError where the
    disk fails: what is stored stays, and the run can go on.
    """
    marks = Marks()
    seen = survey(read_sources(request.settings.paths), marks)
    if not seen.files:
        raise UserError(f"{', '.join(request.settings.paths)}: no Java there; name another PATH")
    fresh = manifests.new(
        request.settings, seen, request.model.identity, request.command, _notes(request, seen)
    )
    fresh["prices"] = asdict(request.prices)
    train = request.settings.train_corpus
    fresh["train_corpus"] = asdict(surveyed(train)) if train else None
    with (
        _interruptible(observer.stopping) as stopped,
        telling_faults(),
        opened(request.out, fresh, request.resume) as (connection, manifest),
    ):
        if request.prices != NO_PRICES:
            manifest["prices"] = asdict(request.prices)
            manifests.write(request.out, manifest)
        if train and not store.has_copies(connection):
            rows = compared(
                train,
                request.settings.paths,
                request.crew.workers,
                lambda note: _note(manifest, (note,), request.out),
            )
            store.write_copies(connection, rows)
        unanswered = store.unanswered(connection)
        if manifest["complete"] and not unanswered:
            store.seal(connection)
            return DONE
        if unanswered:
            manifest |= {"complete": False, "ended": None, "counts": None}
            manifests.write(request.out, manifest)
            store.forget(connection, unanswered)
        if not _go_on(connection, manifest, request, (seen, marks), observer, stopped):
            return INTERRUPTED
        counts = store.counts(connection)
        store.seal(connection)
        manifest |= {"complete": True, "ended": manifests.now(), "counts": counts}
        manifests.write(request.out, manifest)
    return DONE


def _notes(request: Request, seen: Survey) -> list[str]:
    notes = [*request.notes, *filter(None, [lack(request.settings)])]
    task = request.settings.options.task
    if task != "method-name" and not seen.labelled:
        notes.append(
            f"--task {task}: the corpus tells no right answers (JSONL label or target); changes "
            "are counted, right and wrong are not"
        )
    return notes


def _go_on(
    connection: sqlite3.Connection,
    manifest: manifests.Manifest,
    request: Request,
    surveyed: tuple[Survey, Marks],
    observer: Observer,
    stopped: Callable[[], bool],
) -> bool:
    """Study the files that are not stored yet; whether none is left."""
    seen, marks = surveyed
    finished = store.finished(connection, seen.files)
    left = request.settings.limit
    if left is not None:
        left -= store.count_methods(connection)
        if left <= 0:
            return True
    observer.begin(seen, sum(finished))
    progress = Progress()
    items = (i for i in sighted(request.settings.paths, marks) if not finished[i.ordinal])
    settings = replace(request.settings, limit=left)
    cache = manifest["id"] if request.cache else ""
    writer = store.Writer(connection)
    with closing(study(items, request.model, settings, request.crew, cache, stopped)) as rows:
        for row in rows:
            kept = row if left is None else row.first(left)
            if not writer.write(kept):
                continue
            _note(manifest, row.adapted, request.out)
            progress.add(kept)
            observer.advance(progress)
            if left is not None:
                left -= len(kept.methods)
                if left <= 0:
                    return True
    return not stopped() or store.count_files(connection) == seen.files


def _note(manifest: manifests.Manifest, notes: tuple[str, ...], out: Path) -> None:
    """Write down what is found under way, such as what a server had to be asked otherwise."""
    fresh = [note for note in notes if note not in manifest["notes"]]
    if fresh:
        manifest["notes"] += fresh
        manifests.write(out, manifest)


@contextmanager
def _interruptible(stopping: Callable[[], None]) -> Iterator[Callable[[], bool]]:
    """The first interrupt asks to stop; the second one is what it was before."""
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        signal.signal(number, before[number])
        stopping()

    before: dict[int, _Handler] = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
