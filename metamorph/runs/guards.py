"""The outer guard of a worker: the system ends it where a file takes it far beyond its limit.

The limit itself is kept in the process, between steps of Python's. Code in C that does not come
back is beyond that, and only the system ends it: by the default action of SIGPROF, on a timer of
the CPU time of this process, which its children do not inherit.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from metamorph.limits import FILE

_FAR = 1.5
_SPARE = 10.0


def far(seconds: float) -> float:
    """The CPU seconds that no file takes where a method may take so many; 0 without a limit."""
    return _FAR * FILE * seconds + _SPARE if seconds else 0.0


def arm(seconds: float) -> None:
    """This process ends after so many CPU seconds more; 0: it does not."""
    # Systems without such timers have no outer guard.
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


@contextmanager
def paused() -> Iterator[None]:
    """Here time is the model's, which may take what it needs."""
    left, interval = (
        signal.getitimer(signal.ITIMER_PROF) if hasattr(signal, "getitimer") else (0, 0)
    )
    if not left or interval:  # A timer that comes again is not ours.
        yield
        return
    arm(0)
    try:
        yield
    finally:
        arm(left)


def was_by_guard(exitcode: int | None) -> bool:
    """Whether a process ended in this way."""
    return exitcode is not None and exitcode == -getattr(signal, "SIGPROF", 0)
