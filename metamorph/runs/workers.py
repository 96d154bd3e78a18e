"""Files to results, in this process or by workers: the same rows whoever does it."""

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import uuid4

from metamorph.errors import UserError
from metamorph.garbage import collect_seldom
from metamorph.models import load
from metamorph.models.protocol import Asked, Model
from metamorph.runs import guards
from metamorph.runs import manifest as manifests
from metamorph.runs.cache import Remembering, adaptations, remembering
from metamorph.runs.engines import Crew, opened, processes
from metamorph.runs.packing import Packed, packed
from metamorph.runs.pipeline import Numbered, begin, study_each, study_together
from metamorph.runs.processes import WorkersLostError
from metamorph.runs.rows import PARSED, FileRow
from metamorph.runs.settings import Settings
from metamorph.runs.shifts import Done, Shift
from metamorph.runs.sightings import Item, all_read
from metamorph.transforms import load as load_transform


def study_here(
    items: Iterable[Item], model: Model, settings: Settings, cache: str
) -> Iterator[FileRow]:
    """The results of all sources in their order; this process does the work.

    cache: the id of the run where answers are kept, and kept ones taken; else "".
    """
    kept = remembering(model, settings.options, cache) if cache else model
    return _studied(all_read(items), kept, settings)


def study(
    items: Iterable[Item],
    model: Model,
    settings: Settings,
    crew: Crew,
    cache: str,
    stopped: Callable[[], bool],
) -> Generator[Packed, None, None]:
    """The results of all sources by a crew; ends early, after the work in flight, once `stopped`.

    They come in their order from one worker and where `settings.limit` needs it, else as they are
    done. Raises WorkersLostError where workers cannot go on.
    """
    if crew.is_alone:
        rows = study_here(_until(items, stopped), model, settings, cache)
        yield from map(packed, rows)
        return
    # Opened here too, so that a damaged cache is told once.
    if cache and not isinstance(remembering(model, settings.options, cache), Remembering):
        cache = ""
    job = Job(settings, cache, dict(model.identity), Job.decisive(), run=uuid4().hex)
    with ExitStack() as stack:
        crew_at_work = opened(crew, partial(start_process, job), partial(halt, job.run))
        engine = stack.enter_context(crew_at_work)
        job = replace(job, workers=engine.workers())
        lone = stack.enter_context(processes(1, partial(start_process, job, job.workers)))
        try:
            engine.executor.submit(ready, job).result()
        except engine.deaths as error:
            raise WorkersLostError("workers die when they begin") from error
        in_order = settings.limit is not None
        left = partial(lost, model, settings)
        shift = Shift(engine, lone, partial(work, job), left, stopped, in_order)
        yield from shift.rows(items)


def _studied(sources: Iterable[Numbered], model: Model, settings: Settings) -> Iterator[FileRow]:
    """A model that is far away gets the questions of several files at once."""
    if not isinstance(model, Asked):
        yield from study_each(sources, model, settings)
        return
    for row in study_together(sources, model, settings, settings.limit):
        row.adapted = adaptations(model)
        yield row


def _until(items: Iterable[Item], stopped: Callable[[], bool]) -> Iterator[Item]:
    for item in items:
        if stopped():
            return
        yield item


@dataclass(frozen=True, slots=True)
class Job:
    """What all tasks of a run have in common, and who may do them.

    identity: that of the model, whose answers alone may stand beside the others; versions: those
    that results depend on; workers: how many share the model's connections; run: which of all it
    is, by a name that no other has.
    """

    settings: Settings
    cache: str
    identity: Mapping[str, str]
    versions: Mapping[str, str]
    workers: int = 1
    run: str = field(default="", compare=False)

    @staticmethod
    def decisive() -> dict[str, str]:
        """The versions that every worker must have."""
        return {name: manifests.versions()[name] for name in manifests.DECISIVE}


def start_process(job: Job, workers: int) -> None:
    """What a process of our own does first: it loads the model once."""
    ready(replace(job, workers=workers))


_loaded: list[tuple[Job, Model]] = []
_turn = threading.Lock()
"""One task at a time in a process: parsing holds the interpreter, and the guard is the process'."""


halted: set[str] = set()
"""The runs of which this process is to begin no more tasks."""


def halt(run: str) -> None:
    """Begin no more tasks of this run here."""
    halted.add(run)


def ready(job: Job) -> None:
    """Load the model of the job; raises UserError where this worker is not the one to do it."""
    if _loaded and _loaded[0][0] == job:
        return
    for name, version in Job.decisive().items():
        if version != job.versions[name]:
            raise UserError(
                f"a worker has {name} {version}, this run {job.versions[name]}; install the same "
                "version where the workers run"
            )
    for code, _ in job.settings.plan:
        load_transform(code)
    collect_seldom()
    model = load(job.settings.model, _share(job.settings, job.workers).options)
    if dict(model.identity) != job.identity:
        raise UserError(
            f"{job.settings.model}: a worker found another model under this name; give all of them "
            "the same files"
        )
    kept = remembering(model, job.settings.options, job.cache) if job.cache else model
    _loaded[:] = [(job, kept)]


def _share(settings: Settings, workers: int) -> Settings:
    """The settings of one of the workers, who share the connections."""
    connections = max(1, settings.options.max_connections // max(1, workers))
    return replace(settings, options=replace(settings.options, max_connections=connections))


def work(job: Job, items: Sequence[Item]) -> Done[Packed]:
    """A task: the rows of these sources, and which of them are not here what the survey saw.

    Nothing of both where the run was halted before.
    """
    with _turn:
        if job.run in halted:
            return [], []
        ready(job)
        _, model = _loaded[0]
        missed: list[int] = []
        try:
            sources = _guarded(_found(items, missed), job.settings)
            return [packed(row) for row in _studied(sources, model, job.settings)], missed
        finally:
            guards.arm(0)


def _found(items: Iterable[Item], missed: list[int]) -> Iterator[Numbered]:
    for item in items:
        source = item.read()
        if source is None:
            missed.append(item.ordinal)
        else:
            yield item.ordinal, source


def lost(model: Model, settings: Settings, item: Item, reason: str) -> Packed:
    """The row of a file that cannot be studied."""
    row = begin(item.ordinal, item.brought().as_read(), model, settings).row
    if row.status == PARSED:
        row.status = reason
    return packed(row)


def _guarded(sources: Iterable[Numbered], settings: Settings) -> Iterator[Numbered]:
    for numbered in sources:
        guards.arm(guards.far(settings.time_limit))
        yield numbered
