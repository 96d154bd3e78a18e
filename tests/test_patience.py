"""Waiting for a server, and giving it up."""

import random
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from metamorph.models.patience import HOPELESS, REST, Gate, pause, wished_pause


def test_retry_after_is_seconds_or_a_date_and_nonsense_is_none() -> None:
    soon = datetime.now(UTC) + timedelta(seconds=50)
    assert wished_pause("7") == 7
    assert 40 < (wished_pause(format_datetime(soon, usegmt=True)) or 0) <= 50
    assert wished_pause(format_datetime(soon - timedelta(days=1), usegmt=True)) == 0
    assert wished_pause("-3") == 0
    assert [wished_pause(text) for text in ("", "soon", "nan", "inf", None)] == [None] * 5


def test_pauses_grow_and_differ() -> None:
    rng = random.Random(1)
    first, third = [[pause(attempt, rng) for _ in range(50)] for attempt in (0, 2)]
    assert max(first) < min(third)
    assert len(set(first)) == 50
    assert pause(500, rng) <= 30


def test_a_closed_gate_lets_one_request_through_after_a_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [1_000.0]
    monkeypatch.setattr("metamorph.models.patience.time.monotonic", lambda: now[0])
    gate = Gate()
    for _ in range(HOPELESS):
        assert gate.closed() == ""
        gate.failed("unreachable", sure=True)
    assert gate.closed() == "unreachable"
    now[0] += REST
    assert [gate.closed(), gate.closed()] == ["", "unreachable"]
    gate.worked()
    assert gate.closed() == ""


def test_programs_that_make_a_working_server_fail_do_not_close_the_gate() -> None:
    gate = Gate()
    gate.worked()
    for _ in range(HOPELESS + 1):
        gate.failed("http-500", sure=False)
    assert gate.closed() == ""
