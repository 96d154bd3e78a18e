"""A user's shell commands, with a time limit and a log."""

import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

_TELLING = re.compile(r"\berror\b|\bFAILED\b|\bFAILURE\b|Exception\b", re.IGNORECASE)
_FEW = 5


TOO_LONG = "ran longer than"


def run(command: str, folder: Path, log: Path, seconds: float) -> str:
    """Run it in the folder, its output going to the log; what went wrong, or "".

    All that it started is ended with it when the time is over, or on an interrupt.
    """
    with open(log, "ab") as out:
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"{TOO_LONG} {seconds:g} seconds"
        finally:
            _end(process)
    return f"exit code {code}" if code else ""


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def first_errors(log: Path) -> list[str]:
    """The first lines of a log that look like errors, else its last lines."""
    lines = [line.rstrip() for line in log.read_text(errors="replace").splitlines()]
    telling = [line for line in lines if _TELLING.search(line)]
    return telling[:_FEW] or [line for line in lines if line][-_FEW:]
