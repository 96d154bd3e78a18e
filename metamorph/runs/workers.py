"""Files to results, in this process or by several workers, always in the corpus' order."""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context, parent_process

from metamorph.garbage import collect_seldom
from metamorph.java.source import SourceFile
from metamorph.models import load
from metamorph.models.protocol import Asked, Model
from metamorph.runs.cache import Remembering, adaptations, remembering
from metamorph.runs.pipeline import Numbered, study_each, study_together
from metamorph.runs.rows import FileRow
from metamorph.runs.settings import Settings

_TASK_FILES = 16
_TASK_BYTES = 250_000
_AHEAD = 4


class WorkersLostError(RuntimeError):
    """A worker died; what had been stored is safe."""


def study(
    sources: Iterable[Numbered],
    model: Model,
    settings: Settings,
    workers: int,
    cache: str,
    stopped: Callable[[], bool],
) -> Generator[FileRow, None, None]:
    """The results of all sources; ends early, after the work in flight, once `stopped`.

    cache: the id of the run where answers are kept, and kept ones taken; else "".
    """
    if workers == 1:
        kept = remembering(model, settings.options, cache) if cache else model
        yield from _studied(_until(sources, stopped), kept, settings)
        return
    # Opened here too, so that a damaged cache is told once.
    if cache and not isinstance(remembering(model, settings.options, cache), Remembering):
        cache = ""
    try:
        yield from _by_workers(_tasks(sources), settings, workers, cache, stopped)
    except BrokenProcessPool as error:
        raise WorkersLostError("a worker process died") from error


def _studied(sources: Iterable[Numbered], model: Model, settings: Settings) -> Iterator[FileRow]:
    """A model that is far away gets the questions of several files at once."""
    if not isinstance(model, Asked):
        yield from study_each(sources, model, settings)
        return
    for row in study_together(sources, model, settings, settings.limit):
        row.adapted = adaptations(model)
        yield row


def _until(sources: Iterable[Numbered], stopped: Callable[[], bool]) -> Iterator[Numbered]:
    for numbered in sources:
        if stopped():
            return
        yield numbered


def _tasks(sources: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    task: list[Numbered] = []
    size = 0
    for numbered in sources:
        task.append(numbered)
        size += len(numbered[1].data) if isinstance(numbered[1], SourceFile) else 0
        if len(task) >= _TASK_FILES or size >= _TASK_BYTES:
            yield task
            task, size = [], 0
    if task:
        yield task


def _by_workers(
    tasks: Iterator[list[Numbered]],
    settings: Settings,
    workers: int,
    cache: str,
    stopped: Callable[[], bool],
) -> Iterator[FileRow]:
    """A few tasks ahead are in flight; they are taken in the order in which they were given."""
    context = get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, _start_worker, (_share(settings, workers), cache))
    flying: deque[Future[list[FileRow]]] = deque()
    try:
        for task in tasks:
            if stopped():
                break
            flying.append(pool.submit(_work, task))
            if len(flying) >= workers * _AHEAD:
                yield from flying.popleft().result()
        while flying and not (stopped() and flying[0].cancel()):
            yield from flying.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _share(settings: Settings, workers: int) -> Settings:
    """The settings of one of the workers, who share the connections."""
    connections = max(1, settings.options.max_connections // workers)
    return replace(settings, options=replace(settings.options, max_connections=connections))


_worker: list[tuple[Model, Settings]] = []


def _start_worker(settings: Settings, cache: str) -> None:
    """Load the model once; an interrupt is the parent's to handle."""
    collect_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    model = load(settings.model, settings.options)
    _worker.append((remembering(model, settings.options, cache) if cache else model, settings))


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for tasks for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(task: list[Numbered]) -> list[FileRow]:
    model, settings = _worker[0]
    return list(_studied(task, model, settings))
