"""Commands that are told to end, and those whose output nobody reads: no traceback, no orphans."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from studies import MODEL, rows, start, study, wait_for_files, write_corpus
from studies import metamorph as cli

pytestmark = [
    pytest.mark.usefixtures("folder"),
    pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX"),
]

SLOW = ("run", "src", "--model", f"{MODEL}slow", "--transform", "VN", "--out", "out")
LIMIT = 90
"""Seconds within which a command must be over that would take minutes."""


def tell_all(process: "subprocess.Popen[str]", number: int) -> None:
    """A signal to the process and those that it started, as a terminal sends it."""
    os.killpg(process.pid, number)


def tell_twice(process: "subprocess.Popen[str]", number: int) -> str:
    """The same, and again when it is seen to have heard; what it said until then.

    Two that come before the interpreter looks are one to it.
    """
    assert process.stderr is not None
    tell_all(process, number)
    heard = ""
    while "interrupt again to stop at once" not in heard:
        line = process.stderr.readline()
        assert line, heard
        heard += line
    tell_all(process, number)
    return heard


def begun(folder: Path, workers: str) -> "subprocess.Popen[str]":
    """A run that has stored what it can and waits for a model that takes minutes."""
    write_corpus(folder / "src", files=45)
    marked = folder / "src" / "C040.java"
    marked.write_text(marked.read_text().replace("second40", "Stuck"))
    options = ("--workers", workers)
    process = start(folder, *SLOW, *options, session=True, SLOW="0.001", STUCK="300")
    # Of two workers one has been given the rest, the last 13 files.
    wait_for_files(folder / "out", 40 if workers == "1" else 32, process)
    return process


def ended(process: "subprocess.Popen[str]", code: int = 130) -> tuple[str, str]:
    """What it said; it is over soon, with all that it started."""
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == code
    assert "Traceback" not in err
    until = time.monotonic() + LIMIT
    while (left := alive(process.pid)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left
    return out, err


def alive(session: int) -> list[str]:
    """The processes of a session, by their command lines."""
    listing = ["ps", "-o", "stat=,args=", "-s", str(session)]
    found = subprocess.run(listing, capture_output=True, text=True).stdout.splitlines()
    return [line for line in found if not line.startswith("Z")]


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGINT, "1"), (signal.SIGTERM, "2")])
def test_told_twice_a_run_stops_at_once_and_goes_on_later(
    folder: Path, number: int, workers: str
) -> None:
    process = begun(folder, workers)
    tell_twice(process, number)
    _, err = ended(process)
    assert err.splitlines()[-1] == "metamorph: interrupted; go on with --resume --out out"
    assert cli(*SLOW, "--resume") == 0
    assert rows(folder / "out") == rows(study("whole", "src", model="slow"))


def test_a_run_whose_terminal_is_closed_stops_and_goes_on_later(folder: Path) -> None:
    process = begun(folder, "2")
    tell_all(process, signal.SIGHUP)
    ended(process)
    assert cli(*SLOW, "--resume") == 0
    assert rows(folder / "out") == rows(study("whole", "src", model="slow"))


SLEEPY = """
import pathlib, time
pathlib.Path("at-it").touch()
for _ in range(6000):
    time.sleep(0.05)
"""


def test_told_while_the_model_is_loaded_a_run_ends_and_leaves_nothing(folder: Path) -> None:
    write_corpus(folder / "src", files=2)
    Path("sleepy.py").write_text(SLEEPY)
    command = ("run", "src", "--model", "python:sleepy:model", "--transform", "VN", "--out", "out")
    process = start(folder, *command, session=True)
    wait_for(folder / "at-it")
    tell_all(process, signal.SIGINT)
    _, err = ended(process)
    assert err == "metamorph: interrupted\n"
    assert not (folder / "out").exists()


def wait_for(path: Path) -> None:
    until = time.monotonic() + 60
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert path.exists()


STUBBORN = """
import json, pathlib, sys, time
for line in sys.stdin:
    pathlib.Path("asked").touch()
    time.sleep(300)
"""


def test_told_twice_a_program_that_is_asked_ends_too(folder: Path) -> None:
    write_corpus(folder / "src", files=2)
    Path("stubborn.py").write_text(STUBBORN)
    model = f"command:{sys.executable} {folder / 'stubborn.py'}"
    command = ("run", "src", "--model", model, "--transform", "VN", "--out", "out")
    process = start(folder, *command, session=True)
    wait_for(folder / "asked")
    tell_twice(process, signal.SIGINT)
    ended(process)
    listing = subprocess.run(["ps", "-eo", "args="], capture_output=True, text=True).stdout
    assert str(folder / "stubborn.py") not in listing


def test_an_ignored_hangup_stays_ignored(folder: Path) -> None:
    write_corpus(folder / "src", files=8)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = start(folder, *SLOW, session=True, SLOW="0.002")
    finally:
        signal.signal(signal.SIGHUP, before)
    wait_for_files(folder / "out", 1, process)
    tell_all(process, signal.SIGHUP)
    process.communicate(timeout=300)
    assert process.returncode == 0


def shell(command: str) -> "subprocess.CompletedProcess[str]":
    """A command of metamorph in a shell, as `$M`."""
    line = f"set -o pipefail; M='{sys.executable} -m metamorph'; {command}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True)


ENDINGS = {
    "nobody-reads": ("$M report out --format json | true", 0, ""),
    "nobody-reads-the-table": ("$M report out | true", 0, ""),
    "nobody-reads-but-the-gate-fails": ("$M report out --fail-on-change 0 2>&- | true", 1, ""),
    "stdout-is-closed": ("$M report out >&-", 0, ""),
    "stderr-is-closed": ("$M report out --format json 2>&- | wc -l >/dev/null", 0, ""),
    "all-is-closed": ("$M report out --fail-on-change 0 <&- >&- 2>&-", 1, ""),
    "the-disk-of-stdout-is-full": (
        "$M report out --format json >/dev/full",
        2,
        "metamorph: error: output: No space left on device\n",
    ),
}


@pytest.mark.parametrize(("command", "code", "told"), ENDINGS.values(), ids=ENDINGS)
def test_output_that_goes_nowhere_is_no_traceback(command: str, code: int, told: str) -> None:
    write_corpus(Path("src"), files=2)
    study("out", "src")
    done = shell(command)
    assert (done.returncode, done.stderr) == (code, told)


def test_a_run_goes_on_when_nobody_reads_what_it_says() -> None:
    write_corpus(Path("src"), files=2)
    done = shell(f"{' '.join(['$M', *SLOW])} 2>&1 >/dev/null | true")
    assert (done.returncode, done.stderr) == (0, "")
    assert rows(Path("out")) == rows(study("whole", "src", model="slow"))
