"""The parent's part of work that others do: tasks out, rows in, and what becomes of the dead."""

import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from metamorph.java.source import SourceFile
from metamorph.limits import TIME
from metamorph.runs.engines import AHEAD, Engine
from metamorph.runs.guards import was_by_guard
from metamorph.runs.portions import portions
from metamorph.runs.processes import Processes, WorkerDiedError, WorkersLostError
from metamorph.runs.rows import WORKER_DIED
from metamorph.runs.sightings import Item

_LOOK = 0.5
"""Seconds after which one looks whether to stop, though no task has ended."""


class Row(Protocol):
    """What comes of a source; ordinal: the source's place in the corpus."""

    @property
    def ordinal(self) -> int: ...


_Row = TypeVar("_Row", bound=Row)

Done = tuple[list[_Row], list[int]]
"""The rows of a task, and the ordinals of the sources that its worker did not find as they were."""

_HELD = 4_096
"""The most files out of their turn that wait for one."""


@dataclass(slots=True)
class Shift(Generic[_Row]):
    """Tasks at work.

    A task whose worker died is given out again, each of its files alone; a file whose worker dies
    again goes to the lone process, where nothing else can be the cause. If that dies too, or it was
    the guard that ended the worker, the file is written down with the reason, and left.

    lost: the row of a file that was left, told the reason; in_order: whether rows come in the
    order of their files.
    flying: the files of each task under way; again: tasks that come before new ones; by_bytes:
    a worker did not find the files of this machine, so their bytes are sent; turns: in order, the
    ordinals of which the rows are awaited.
    """

    engine: Engine
    lone: Processes
    work: Callable[[Sequence[Item]], Done[_Row]]
    lost: Callable[[Item, str], _Row]
    stopped: Callable[[], bool]
    in_order: bool
    flying: dict[Future[Done[_Row]], list[Item]] = field(default_factory=dict)
    alone: set[Future[Done[_Row]]] = field(default_factory=set)
    again: deque[list[Item]] = field(default_factory=deque)
    by_bytes: bool = False
    turns: deque[int] = field(default_factory=deque)

    def rows(self, items: Iterable[Item]) -> Generator[_Row, None, None]:
        """The rows of all items."""
        done = self._done(portions(items, in_order=self.in_order))
        yield from _in_turn(done, self.turns) if self.in_order else done

    def _done(self, tasks: Iterator[list[Item]]) -> Iterator[_Row]:
        halted = False
        while True:
            if not halted:
                self._give_out(tasks)
            if not self.flying:
                return
            ended, _ = wait(self.flying, timeout=_LOOK, return_when=FIRST_COMPLETED)
            for future in ended:
                yield from self._taken(future, self.flying.pop(future), halted)
            if not halted and self.stopped():
                halted = True
                self.engine.halt(list(self.flying))

    def _give_out(self, tasks: Iterator[list[Item]]) -> None:
        most = AHEAD * self.engine.workers()
        while len(self.flying) < most:
            if self.again:
                task = self.again.popleft()
            elif len(self.turns) < _HELD and (new := next(tasks, None)):
                task = new
                if self.in_order:
                    self.turns += [item.ordinal for item in task]
            else:
                return
            self._submit(task)

    def _submit(self, task: list[Item]) -> None:
        sent = [item.brought() if self.by_bytes else item.portable() for item in task]
        self.flying[self.engine.executor.submit(self.work, sent)] = task

    def _taken(self, future: Future[Done[_Row]], task: list[Item], halted: bool) -> Iterator[_Row]:
        was_alone = future in self.alone
        self.alone.discard(future)
        if future.cancelled():
            if not halted:
                raise WorkersLostError("the scheduler is gone")
            return
        try:
            rows, missed = future.result()
        except self.engine.deaths as error:
            yield from self._bereaved(task, error, was_alone, halted)
            return
        yield from rows
        for item in task:
            if item.ordinal in missed:
                self._missed(item)

    def _missed(self, item: Item) -> None:
        """Send the bytes; and those of all others where it is the worker who lacks the file."""
        brought = item.brought()
        self.by_bytes = self.by_bytes or isinstance(brought.source, SourceFile)
        self.again.append([brought])

    def _bereaved(
        self, task: list[Item], error: BaseException, was_alone: bool, halted: bool
    ) -> Iterator[_Row]:
        if was_alone or (len(task) == 1 and was_by_guard(_code(error))):
            yield self._told_lost(task[0], error)
        elif halted:
            return
        elif len(task) > 1:
            self.again.extend([item] for item in task)
        else:
            future = self.lone.submit(self.work, [task[0].portable()])
            self.flying[future] = task
            self.alone.add(future)

    def _told_lost(self, item: Item, error: BaseException) -> _Row:
        """The row of a file that is left, told on stderr too."""
        code = _code(error)
        reason = TIME if was_by_guard(code) else WORKER_DIED
        print(f"metamorph: {item.source.path}: {reason}{_how(code)}; skipped", file=sys.stderr)
        return self.lost(item, reason)


def _code(error: BaseException) -> int | None:
    """The exit code of a dead worker, where that is known."""
    return error.exitcode if isinstance(error, WorkerDiedError) else None


def _how(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return ""
    if code >= 0:
        return f" (exit code {code})"
    try:
        return f" ({signal.Signals(-code).name})"
    except ValueError:
        return f" (signal {-code})"


def _in_turn(rows: Iterable[_Row], turns: deque[int]) -> Iterator[_Row]:
    """The rows in the order of their turns; those whose turn does not come are left out."""
    waiting: dict[int, _Row] = {}
    for row in rows:
        waiting[row.ordinal] = row
        while turns and turns[0] in waiting:
            yield waiting.pop(turns.popleft())
