"""How a command ends when it is told to, and when nobody hears it: without a traceback."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn, TextIO


@contextmanager
def orderly() -> Iterator[None]:
    """While a command runs, what asks it to end does so as Ctrl-C does, unless it is ignored."""
    numbers = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in filter(None, numbers):
            if signal.getsignal(number) is signal.SIG_DFL:
                before[number] = signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def open_streams() -> None:
    """Give a process that was started without some of them its three streams, which lead nowhere.

    Else the first file that it opens would be taken for its output.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


@contextmanager
def printing() -> Iterator[None]:
    """For what goes to stdout: where nobody reads any more, the command goes on without."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        hush(sys.stdout)


def flush_or_hush(stream: TextIO) -> None:
    """Write what a stream holds, or forget it where that cannot be."""
    try:
        stream.flush()
    except OSError:
        hush(stream)


def hush(stream: TextIO) -> None:
    """Lead a stream nowhere, together with what it still holds."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def leave(code: int) -> int:
    """The exit code of a command that was interrupted; at once, where threads would be waited for.

    A thread that waits for a server may do so for a minute.
    """
    main = threading.main_thread()
    if any(not each.daemon and each is not main for each in threading.enumerate()):
        flush_or_hush(sys.stdout)
        flush_or_hush(sys.stderr)
        os._exit(code)
    return code
