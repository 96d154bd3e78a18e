"""Runs that are killed at every moment in turn: `killing.py NUMBER_OF_MOMENTS ARGUMENTS OF RUN`.

A moment is a touch of the run's folder or a statement to its store. Run n is killed at moment n
and gone on with; the exit codes of both are printed, a line a run, up to the first that ends
before its moment comes. Each begins in a process that is forked, so that starting costs nothing.
"""

import contextlib
import io
import itertools
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from metamorph.cli import main

_TOUCHES = {"open", "os.rename", "os.remove", "os.mkdir", "sqlite3.connect"}


def kill_at(moment: int, folder: str) -> None:
    """Have this process killed at that moment."""
    moments = itertools.count()

    def pass_moment(statement: str = "") -> None:
        if next(moments) == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if event in _TOUCHES and folder in os.fsdecode(str(arguments[0])):
            pass_moment()

    def heard(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.set_trace_callback(pass_moment)
        return connection

    connect, sqlite3.connect = sqlite3.connect, heard
    sys.addaudithook(hear)


def forked(work: Callable[[], int]) -> int:
    """The exit code of some work in a process of its own, silent; minus a signal."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os._exit(work())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run(moment: int, arguments: Sequence[str]) -> int:
    """Begin run `moment`, which is killed if it lives so long."""
    kill_at(moment, f"killed-{moment}")
    return main([*arguments, "--out", f"killed-{moment}"])


def every_moment(step: int, arguments: Sequence[str]) -> None:
    """Every so many moments, up to the last."""
    for moment in itertools.count(0, step):
        killed = forked(partial(run, moment, arguments))
        resumed = [*arguments, "--resume", "--out", f"killed-{moment}"]
        print(moment, killed, forked(partial(main, resumed)), flush=True)
        if killed != -signal.SIGKILL:
            return


if __name__ == "__main__":
    # Not forked, so that all is imported before anything is.
    with contextlib.redirect_stdout(io.StringIO()):
        main([*sys.argv[2:], "--out", "whole"])
    every_moment(int(sys.argv[1]), sys.argv[2:])
