"""How long to wait for a server, and when to stop asking it."""

import random
import threading
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

FIRST_PAUSE = 0.5
"""Seconds before a request is sent for the second time, roughly; each further pause doubles."""

LONGEST_PAUSE = 30.0

LONGEST_WISH = 120.0
"""The longest wait, in seconds, that a server may ask for; above, the request has failed."""

HOPELESS = 5
"""So many failed requests in a row, their repetitions aside, and the server counts as down."""

DOUBTFUL = 50
"""So many, where it has worked before and the requests themselves may be what it fails at."""

REST = 30.0
"""Seconds after which a server that is down is tried again, by one request."""


def pause(attempt: int, rng: random.Random) -> float:
    """Seconds to wait after the attempt of that number, from 0: growing, and never in step."""
    most = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
    return rng.uniform(most / 2, most)


def wished_pause(header: str | None) -> float | None:
    """The seconds that a `Retry-After` header asks for, as a number or as a date."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        seconds = _until(header)
    return max(seconds, 0.0) if isfinite(seconds) else None


def _until(date: str) -> float:
    """Seconds from now to an HTTP date; infinite where it is none."""
    try:
        then = parsedate_to_datetime(date)
    except ValueError:
        return float("inf")
    return (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


class Gate:
    """Lets requests through to a server, unless it has failed time and again.

    All threads that ask the server share one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._failures = 0
        self._has_worked = self._sure = False
        self._reason = ""
        self._next_trial = 0.0

    def closed(self) -> str:
        """Why nothing may be sent, or "" where something may."""
        with self._lock:
            if self._failures < (DOUBTFUL if self._has_worked and not self._sure else HOPELESS):
                return ""
            if time.monotonic() < self._next_trial:
                return self._reason
            self._next_trial = time.monotonic() + REST
            return ""

    def failed(self, reason: str, *, sure: bool) -> None:
        """A request came to nothing; sure: through no fault of its own."""
        with self._lock:
            self._failures += 1
            self._sure = sure
            self._reason = reason
            self._next_trial = time.monotonic() + REST

    def worked(self) -> None:
        """The server is there."""
        with self._lock:
            self._failures = 0
            self._has_worked = True

    def hold(self, seconds: float) -> None:
        """The server wants to be left in peace for so long, by every thread."""
        with self._lock:
            self._not_before = max(self._not_before, time.monotonic() + seconds)

    def delay(self) -> float:
        """Seconds until the next request may be sent."""
        with self._lock:
            return max(self._not_before - time.monotonic(), 0.0)
