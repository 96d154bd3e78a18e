"""How much processor time and memory the work on one file, and on one method, may take.

The limits are kept from within: a clock tick of the process, or in threads other than the main one
a look at each step, raises `OverLimitError` where the work is over them. Memory is looked at rather
than cut off (RLIMIT): the parser ends the process when it is given none.
"""

import atexit
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import TypeVar

if sys.platform != "win32":
    import resource

TIME, MEMORY = "time-limit", "memory-limit"
"""The reasons for which work is left undone."""

FILE = 10
"""How many times the time of one method a file may take altogether."""

SECONDS, MEGABYTES = 60.0, 2048
"""The limits where the user names none: no ordinary file comes near them."""

_TICK = 0.05
"""Seconds of processor time between two looks at the memory."""

_IDLE_TICKS = 40

_AGAIN = 1.0
"""Seconds of processor time after which work that was told to end, and has not, is told again."""

_Step = TypeVar("_Step")
_Result = TypeVar("_Result")


class OverLimitError(BaseException):
    """The work is over a limit; no `except Exception` on the way takes that for a fault.

    reason: `time-limit` or `memory-limit`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Limits:
    """seconds: processor time of a method, FILE times that of a file; megabytes: more memory.

    0 stands for no limit.
    """

    seconds: float = SECONDS
    megabytes: int = MEGABYTES


class Guard:
    """The limits at work on one file; what is done inside `with guard:` counts.

    held: the work is inside of the parser, which must not be left by an exception.
    """

    __slots__ = (
        *("_before", "_due", "_entered", "_left", "_outer", "_quiet", "_told", "_total"),
        *("held", "limits"),
    )

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._left = limits.seconds or float("inf")
        self._total = FILE * self._left
        self._entered = self._due = self._quiet = 0.0
        self._before = -1
        self._told = ""
        self._outer: Guard | None = None
        self.held = False

    def begin_method(self) -> None:
        """From here on the work is another method's."""
        self._left = self.limits.seconds or float("inf")

    def charge(self, seconds: float) -> None:
        """Count work that was done elsewhere for the method at work."""
        self._left -= seconds
        self._total -= seconds

    def __enter__(self) -> "Guard":
        if self._left <= 0 or self._total <= 0:
            raise OverLimitError(TIME)
        _tick_on()
        self._before = -1
        self._told = ""
        self._due = self._quiet = 0.0
        self._outer = current()
        self._entered = time.thread_time()
        _here.guard = self
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        _here.guard = self._outer
        self.charge(time.thread_time() - self._entered)
        # What comes of work that swallowed this is not whole.
        if self._told and (error is None or isinstance(error, Exception)):
            raise OverLimitError(self._told) from error

    def over(self) -> str:
        """The limit that the work is over, or ""."""
        now = time.thread_time()
        if now - self._entered > min(self._left, self._total):
            return TIME
        if now < self._due or not self.limits.megabytes:
            return ""
        self._due = now + _TICK
        resident = _resident()
        if self._before < 0:
            self._before = resident
        return MEMORY if resident - self._before > self.limits.megabytes << 20 else ""

    def check(self) -> None:
        """Raise OverLimitError where the work is over a limit.

        It has a while to end. A bare `except`, or Python itself in a destructor, may swallow this.
        """
        if time.thread_time() < self._quiet:
            return
        if reason := self.over():
            self._told = reason
            self._quiet = time.thread_time() + _AGAIN
            raise OverLimitError(reason)

    def claim(self, size: int) -> None:
        """Raise OverLimitError where so many bytes are over the limit by themselves."""
        if self.limits.megabytes and size > self.limits.megabytes << 20:
            raise OverLimitError(MEMORY)

    def each(self, steps: Iterator[_Step]) -> Iterator[_Step]:
        """The same steps; the making of each counts, what is done with it does not."""
        end = object()
        while True:
            with self:
                step = next(steps, end)
                if not _ticking:
                    self.check()
            if step is end:
                return
            yield step  # type: ignore[misc]


OVER = (OverLimitError, MemoryError)
"""What work that takes too much ends with."""


def reason_of(error: BaseException) -> str:
    """The limit that the work was over."""
    return error.reason if isinstance(error, OverLimitError) else MEMORY


def within(guard: Guard, work: Callable[[], _Result]) -> _Result | str:
    """What the work gives, done as that of one method; where it is over a limit, the reason."""
    guard.begin_method()
    try:
        with guard:
            return work()
    except OVER as error:
        return reason_of(error)


class _Here(threading.local):
    guard: Guard | None = None


_here = _Here()
_ticking = False
_idle = 0


def current() -> Guard | None:
    """The guard of the work that this thread is at."""
    return _here.guard


@contextmanager
def aside() -> Iterator[None]:
    """What is done here is no work on a file: it does not count, and no limit breaks it off.

    So modules are imported, and javac is asked.
    """
    guard = current()
    began = time.thread_time()
    _here.guard = None
    try:
        yield
    finally:
        _here.guard = guard
        spent = time.thread_time() - began
        outer = guard
        while outer is not None:
            outer._entered += spent
            outer._before = -1
            outer = outer._outer


def _tick_on() -> None:
    """Have the clock tick, if this is the main thread and nobody else uses that signal."""
    global _ticking, _idle
    _idle = 0
    if _ticking or sys.platform == "win32":
        return
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGVTALRM) not in (signal.SIG_DFL, _tick):
        return
    signal.signal(signal.SIGVTALRM, _tick)
    signal.siginterrupt(signal.SIGVTALRM, False)
    signal.setitimer(signal.ITIMER_VIRTUAL, _TICK, _TICK)
    # The interpreter gives the signal back when it ends, and a tick would then end it badly.
    atexit.register(_tick_off)
    _ticking = True


def _tick_off() -> None:
    """Stop the clock."""
    global _ticking
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    _ticking = False


def _tick(number: int, frame: FrameType | None) -> None:
    """Look at the work, unless it is just being left; a clock that nobody needs any more stops.

    It comes between any two steps, in the midst of an import too, and so imports nothing: Python
    before 3.12 takes that for a fault of the import.
    """
    global _idle
    guard = _here.guard
    if guard is None:
        _idle += 1
        if _idle > _IDLE_TICKS:
            atexit.unregister(_tick_off)
            _tick_off()
    elif not guard.held and (frame is None or frame.f_code is not Guard.__exit__.__code__):
        guard.check()


def _resident() -> int:
    """Bytes of this process in memory; where the system does not tell, the most there ever were."""
    if sys.platform == "win32":
        return 0
    try:
        with open("/proc/self/statm", "rb", buffering=0) as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
