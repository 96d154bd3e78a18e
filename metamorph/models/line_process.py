"""A program that is spoken to line by line, by threads, so that neither side waits for ever."""

import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from multiprocessing.util import Finalize
from typing import IO

LONGEST_LINE = 16 * 1024 * 1024
"""Longer lines of the program come in pieces."""

_AHEAD = 4096
_KEPT_LINES = 20
_KEPT_CHARACTERS = 500
_GRACE = 1.0


class LineProcess:
    """A running program; its lines wait in a bounded queue until they are taken.

    It leads a process group of its own: an interrupt at the terminal does not reach it, and it
    ends with all that it started, at the latest when this process ends. Raises OSError where it
    cannot be started.
    """

    def __init__(self, argv: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            list(argv), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue(_AHEAD)
        self._told: deque[str] = deque(maxlen=_KEPT_LINES)
        self._closing = threading.Event()
        stdout, stderr = self._process.stdout, self._process.stderr
        assert stdout is not None and stderr is not None
        self._ears = [
            _thread(_hear_answers, stdout, self._lines, self._closing),
            _thread(_hear_errors, stderr, self._told),
        ]
        self._writers: list[threading.Thread] = []
        self._end = Finalize(
            self, _end_group, (self._process, self._writers, self._ears), exitpriority=10
        )

    def send(self, lines: Iterable[bytes]) -> None:
        """Write lines without waiting for the program to read them."""
        self._writers[:] = [writer for writer in self._writers if writer.is_alive()]
        self._writers.append(_thread(_write, self._process.stdin, b"".join(lines)))

    def receive(self, deadline: float) -> bytes | None:
        """The next line; b"" when the time is over, None once the program closed its output.

        deadline: on the monotonic clock; it holds however many lines wait.
        """
        left = deadline - time.monotonic()
        if left <= 0:
            return b""
        try:
            line = self._lines.get(timeout=left)
        except queue.Empty:
            return b""
        if line is None:
            self._lines.put(None)
        return line

    def close(self) -> None:
        """End the program and all that it started."""
        self._closing.set()
        self._end()

    def last_words(self) -> str:
        """How the closed program ended, and the last lines of its stderr."""
        return "\n".join([_exit_words(self._process.returncode), *self._told])


def _thread(work: Callable[..., None], *arguments: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def _hear_answers(
    stream: IO[bytes], lines: "queue.Queue[bytes | None]", closing: threading.Event
) -> None:
    line: bytes | None = b""
    while line is not None and not closing.is_set():
        line = _read_line(stream)
        _put(lines, line, closing)


def _put(lines: "queue.Queue[bytes | None]", line: bytes | None, closing: threading.Event) -> None:
    """Wait for room in the queue, unless nobody will take the line any more."""
    while not closing.is_set():
        with suppress(queue.Full):
            lines.put(line, timeout=0.2)
            return


def _hear_errors(stream: IO[bytes], told: deque[str]) -> None:
    while (line := _read_line(stream)) is not None:
        told.append(line.decode("utf-8", "backslashreplace").rstrip()[:_KEPT_CHARACTERS])


def _read_line(stream: IO[bytes]) -> bytes | None:
    with suppress(OSError, ValueError):
        return stream.readline(LONGEST_LINE) or None
    return None


def _write(stream: IO[bytes], data: bytes) -> None:
    """What a dead program did not read is lost; its death shows at its output."""
    with suppress(OSError, ValueError):
        stream.write(data)
        stream.flush()


def _end_group(
    process: subprocess.Popen[bytes],
    writers: list[threading.Thread],
    ears: list[threading.Thread],
) -> None:
    """Close its input, then ask, then kill: the whole group, and before its number is free."""
    if not any(writer.is_alive() for writer in writers) and process.stdin is not None:
        with suppress(OSError, ValueError):
            process.stdin.close()
        _join(ears)
    _signal_group(process, signal.SIGTERM)
    _join(ears)
    _signal_group(process, signal.SIGKILL)
    process.wait()
    _join(ears)


def _join(threads: list[threading.Thread]) -> None:
    """Wait for the end of threads, which end with the program's output, but not for long."""
    deadline = time.monotonic() + _GRACE
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _exit_words(code: int | None) -> str:
    if code is None:
        return "still running"
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
