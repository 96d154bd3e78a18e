"""Engines: what gives tasks to workers, each an Executor of the standard library."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from metamorph.runs.processes import Processes, WorkerDiedError

PROCESSES = "processes"
DASK = "dask"

AHEAD = 3
"""Tasks given out for each worker, so that none waits for the next."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Who does the work: so many workers of an engine; scheduler: the address of Dask's."""

    workers: int = 1
    engine: str = PROCESSES
    scheduler: str = ""

    @property
    def is_alone(self) -> bool:
        """Whether the work is done in this process."""
        return self.engine == PROCESSES and self.workers == 1


class Engine(Protocol):
    """An executor with what the standard library leaves open.

    deaths: what a task fails with whose worker died; workers: how many share the work now.
    """

    @property
    def executor(self) -> Executor: ...

    @property
    def deaths(self) -> tuple[type[BaseException], ...]: ...

    def workers(self) -> int: ...

    def halt(self, futures: "list[Future[Any]]") -> None:
        """Begin no more of these: they are cancelled, or end without result."""
        ...


@dataclass(frozen=True, slots=True)
class _Local:
    executor: Processes
    count: int
    deaths: tuple[type[BaseException], ...] = (WorkerDiedError,)

    def workers(self) -> int:
        return self.count

    def halt(self, futures: "list[Future[Any]]") -> None:
        for future in futures:
            future.cancel()


@contextmanager
def opened(crew: Crew, start: Callable[[int], None], halt: Callable[[], None]) -> Iterator[Engine]:
    """The crew at its place; whoever leaves otherwise than at the end stops it at once.

    start: what a process of our own does before its first task, told how many there are; halt: what
    keeps a worker elsewhere from beginning another. Raises UserError where there is no crew.
    """
    if crew.engine == DASK:
        from metamorph.runs.cluster import joined

        with joined(crew.workers, crew.scheduler, halt) as cluster:
            yield cluster
        return
    with processes(crew.workers, partial(start, crew.workers)) as executor:
        yield _Local(executor, crew.workers)


@contextmanager
def processes(workers: int, start: Callable[[], None]) -> Iterator[Processes]:
    """Worker processes that end with the work, and at once where it is broken off."""
    executor = Processes(workers, start)
    try:
        yield executor
    except BaseException:
        executor.kill()
        raise
    executor.shutdown(cancel_futures=True)
