"""Ticks of the clock of the limits, at steps of one's choice."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from metamorph import limits


def spend(seconds: float) -> None:
    """Work that takes so much processor time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@contextmanager
def ticked(monkeypatch: pytest.MonkeyPatch, *functions: str) -> Iterator[list[int]]:
    """Work over its limit, at whose end too the clock ticks at each step of these functions.

    functions: their qualified names. Gives the lines at which it ticked.
    """
    lines: list[int] = []

    def tick(frame: FrameType, event: str, argument: object) -> object:
        if frame.f_code.co_qualname not in functions:
            return None
        limits._tick(0, frame)
        lines.append(frame.f_lineno)
        return tick

    limits._tick_off()
    monkeypatch.setattr(limits, "_tick_on", lambda: None)
    before = sys.gettrace()
    try:
        with limits.Guard(limits.Limits(0.01, 0)):
            spend(0.02)
            sys.settrace(tick)
            yield lines
    finally:
        sys.settrace(before)
