"""What a command tells its user beside its results, on stderr."""

import sys
import time
from contextlib import suppress

from metamorph.characters import told

_SECONDS = 30


def say(line: str) -> None:
    """A line for the user; where nobody reads it the work goes on all the same."""
    with suppress(OSError):
        print(f"metamorph: {told(line)}", file=sys.stderr, flush=True)


class Pace:
    """When a long work should tell how it goes on: twice a minute."""

    def __init__(self) -> None:
        self._told = time.monotonic()

    def is_due(self) -> bool:
        """Whether the last line is long enough ago; if so, this is the time of the next."""
        now = time.monotonic()
        due = now - self._told >= _SECONDS
        if due:
            self._told = now
        return due
