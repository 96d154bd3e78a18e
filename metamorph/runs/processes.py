"""Worker processes on this machine, as an Executor whose tasks fail alone."""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import parent_process, resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _begin(start: Callable[[], None]) -> None:
    """What a process does first."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    start()


def _end_with_parent() -> None:
    """Where its parent was killed, a process would wait for tasks for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class WorkerDiedError(Exception):
    """The worker ended while it was at a task; exitcode: minus the signal, as of a Process."""

    def __init__(self, exitcode: int | None) -> None:
        super().__init__(exitcode)
        self.exitcode = exitcode


class WorkersLostError(Exception):
    """The work cannot go on, because of its workers; what had been stored is safe."""


_STARTS = 3
"""So often in a row a worker may end at its start."""


class Processes(Executor):
    """So many spawned processes, each a pool of its own.

    Where one dies, the task that it was at fails with WorkerDiedError, the others do not notice,
    and a new one takes its place. In a pool of several all tasks in flight would be lost, and none
    would be known for the culprit.
    """

    def __init__(self, workers: int, start: Callable[[], None]) -> None:
        """start: what each process does before its first task."""
        self._start = start
        self._lock = threading.RLock()
        self._waiting: deque[_Task] = deque()
        self._idle = [_Seat(start) for _ in range(workers)]
        self._seats = list(self._idle)
        self._closed = False

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> "Future[_T]":
        """As an Executor has it; a task that waits for a worker can be cancelled."""
        future: Future[_T] = Future()
        with self._lock:
            if self._closed:
                raise RuntimeError("no more tasks after shutdown")
            self._waiting.append(_Task(future, partial(fn, *args, **kwargs)))
        self._dispatch()
        return future

    def _dispatch(self) -> None:
        """Give tasks to those who have none."""
        while True:
            with self._lock:
                if not self._idle or not self._waiting or self._closed:
                    return
                task = self._waiting.popleft()
                if not task.future.set_running_or_notify_cancel():
                    continue
                seat = self._idle.pop()
                self._begin(seat, task)

    def _begin(self, seat: "_Seat", task: "_Task") -> None:
        """Have a process do a task; the answer comes by another thread."""
        try:
            inner = seat.submit(task.call)
        except (OSError, RuntimeError) as error:
            inner = Future()
            inner.set_exception(error)
        inner.add_done_callback(partial(self._done, seat, task))

    def _done(self, seat: "_Seat", task: "_Task", inner: "Future[Any]") -> None:
        error = inner.exception()
        if isinstance(error, BrokenProcessPool):
            error = seat.fault()
            if isinstance(error, WorkersLostError) and seat.failed < _STARTS and not self._closed:
                self._begin(seat, task)
                return
        with self._lock:
            self._idle.append(seat)
        if error is None:
            task.future.set_result(inner.result())
        else:
            task.future.set_exception(error)
        self._dispatch()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks, and end the processes when they have done what they are at."""
        with self._lock:
            self._closed = self._closed or cancel_futures
            if cancel_futures:
                for task in self._waiting:
                    task.future.cancel()
                self._waiting.clear()
        for seat in self._seats:
            seat.close(wait)

    def kill(self) -> None:
        """End everything at once."""
        with self._lock:
            self._closed = True
        for seat in self._seats:
            seat.kill()


@dataclass(frozen=True, slots=True)
class _Task:
    future: "Future[Any]"
    call: Callable[[], Any]


class _Seat:
    """The place of one process, who is replaced when it dies."""

    def __init__(self, start: Callable[[], None]) -> None:
        self._start = start
        self._pool: ProcessPoolExecutor | None = None
        self._context = _Context()
        self._started: Future[None] = Future()
        self._gone: ProcessPoolExecutor | None = None
        self.failed = 0

    def submit(self, call: Callable[[], _T]) -> "Future[_T]":
        try:
            return self._opened().submit(call)
        except BrokenProcessPool:  # It died between two tasks: nobody's fault.
            self._gone, self._pool = self._pool, None
            return self._opened().submit(call)

    def _opened(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._context = _Context()
            with uninterrupted():  # Which starts Python's tracker of semaphores too.
                self._pool = ProcessPoolExecutor(1, self._context)
            self._started = self._pool.submit(_begin, self._start)
        return self._pool

    def fault(self) -> Exception:
        """What to tell of the task at which the process died; the next one gets a new process."""
        # Kept till the next death: it is one of its own threads that is here.
        self._gone, self._pool = self._pool, None
        code = self._context.exitcode()
        if not isinstance(self._started.exception(), BrokenProcessPool):
            self.failed = 0
            return WorkerDiedError(code)
        self.failed += 1
        return WorkersLostError(f"a worker process ended at its start ({code})")

    def close(self, wait: bool) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait)

    def kill(self) -> None:
        self._context.kill()
        self.close(wait=True)


class _Context(SpawnContext):
    """Knows the process that is started by it."""

    def __init__(self) -> None:
        self._born: list[_Undisturbed] = []

    def Process(self, *args: Any, **kwargs: Any) -> "_Undisturbed":  # type: ignore[override]
        process = _Undisturbed(*args, **kwargs)
        self._born.append(process)
        return process

    def exitcode(self) -> int | None:
        process = self._born[-1]
        process.join(_REAPED)
        return process.exitcode

    def kill(self) -> None:
        for process in self._born:
            if process.is_alive():
                process.kill()


_REAPED = 10.0
"""Seconds within which a dead process is told from a living one."""


_THEIR_PARENTS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} if os.name == "posix" else set()
"""What a terminal or a batch system sends to all processes, and the parent is to handle."""


class _Undisturbed(SpawnProcess):
    """A process that is not interrupted together with its parent."""

    def start(self) -> None:
        with uninterrupted():
            super().start()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Interrupts are kept from this thread, and for good from all that it starts."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _THEIR_PARENTS)
    try:
        # Python's tracker of semaphores, when it starts, unblocks them: so it starts first.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, _THEIR_PARENTS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
