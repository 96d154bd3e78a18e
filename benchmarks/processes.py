"""What a command takes: time, and the memory of it and of the processes that it starts."""

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PACE = 0.05


@dataclass(frozen=True, slots=True)
class Usage:
    """Seconds, and megabytes at the peak.

    parent_peak_mb, child_peak_mb: of the command's own process, and of the largest that it
    started; None where the system does not tell. peak_mb: the larger of the two.
    """

    wall_seconds: float
    cpu_seconds: float
    peak_mb: float
    parent_peak_mb: float | None
    child_peak_mb: float | None


def used(command: Sequence[str], environ: Mapping[str, str]) -> Usage:
    """Carry out the command, its output thrown away; raises CalledProcessError where it fails."""
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
    peaks: dict[int, int] = {}
    ended = threading.Event()
    watching = threading.Thread(target=_watch, args=(process.pid, peaks, ended))
    watching.start()
    _, status, usage = os.wait4(process.pid, 0)
    ended.set()
    watching.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    parent = peaks.pop(process.pid, None)
    return Usage(
        round(time.perf_counter() - started, 2),
        round(usage.ru_utime + usage.ru_stime, 2),
        _megabytes(usage.ru_maxrss),
        _megabytes(parent) if parent else None,
        _megabytes(max(peaks.values())) if peaks else None,
    )


def _megabytes(kilobytes: int) -> float:
    return round(kilobytes / 1024, 1)


def _watch(parent: int, peaks: dict[int, int], ended: threading.Event) -> None:
    """Note the peak of each process, which the system keeps: only the last moment is lost."""
    while not ended.wait(_PACE):
        for process in (parent, *_children(parent)):
            if peak := _peak(process):
                peaks[process] = peak


def _children(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(number) for number in task.read_text().split()]
        except OSError:
            continue
    return found


def _peak(process: int) -> int:
    """The process' peak in kilobytes, 0 where it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)
