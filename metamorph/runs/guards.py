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


def arm(seconds: float) -> None:
    """Begin the time of a file, given a method's limit; without one there is none."""
    if seconds:
        _set(_FAR * FILE * seconds + _SPARE)


def disarm() -> None:
    """The work is done."""
    _set(0)


@contextmanager
def paused() -> Iterator[None]:
    """Here time is the model's, which may take what it needs."""
    left = _set(0)
    try:
        yield
    finally:
        if left:
            _set(left)


def _set(seconds: float) -> float:
    """The seconds that were left; systems without such timers have no outer guard."""
    if not hasattr(signal, "setitimer"):
        return 0.0
    return signal.setitimer(signal.ITIMER_PROF, seconds)[0]


def was_by_guard(exitcode: int | None) -> bool:
    """Whether a process ended in this way."""
    return exitcode is not None and exitcode == -getattr(signal, "SIGPROF", 0)
