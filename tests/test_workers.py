"""Workers: what dies is replaced, what kills is found, what changes meanwhile is noticed."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from studies import MODEL, metamorph, rows, start, study, wait_for_files, write_corpus

from metamorph.corpus import Marks, read_sources, survey
from metamorph.models import Options, load
from metamorph.runs import guards
from metamorph.runs.packing import Packed, packed
from metamorph.runs.processes import Processes, WorkerDiedError, WorkersLostError
from metamorph.runs.settings import Settings
from metamorph.runs.shifts import Done, Shift
from metamorph.runs.sightings import Item, sighted
from metamorph.runs.workers import Job, lost, study_here, work

POISON = "class P { int f(int poison) { return poison; } }"


def test_a_task_that_kills_its_worker_fails_alone() -> None:
    with Processes(2, os.getpid) as executor:
        futures = [executor.submit(pow, 2, n) for n in range(20)]
        deadly = executor.submit(os._exit, 7)
        futures += [executor.submit(pow, 2, n) for n in range(20, 40)]
        assert [future.result() for future in futures] == [2**n for n in range(40)]
        with pytest.raises(WorkerDiedError) as error:
            deadly.result()
        assert error.value.exitcode == 7


def test_a_worker_that_dies_between_two_tasks_is_replaced() -> None:
    with Processes(1, os.getpid) as executor:
        first = executor.submit(os.getpid).result()
        os.kill(first, signal.SIGKILL)
        time.sleep(1.0)
        assert executor.submit(os.getpid).result() != first


def test_workers_that_end_at_their_start_are_told_as_that() -> None:
    with Processes(1, partial(os._exit, 3)) as executor, pytest.raises(WorkersLostError):
        executor.submit(os.getpid).result()


def test_tasks_that_wait_can_be_cancelled() -> None:
    with Processes(1, os.getpid) as executor:
        executor.submit(os.getpid).result()
        executor.submit(time.sleep, 300)
        waiting = executor.submit(os.getpid)
        assert waiting.cancel()
        executor.kill()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers of CPU time here")
def test_the_guard_ends_a_worker_that_does_not_come_back_out_of_c() -> None:
    with Processes(1, os.getpid) as executor:
        executor.submit(guards.arm, 0.2)
        with pytest.raises(WorkerDiedError) as error:
            executor.submit(sum, range(10**15)).result()
        assert guards.was_by_guard(error.value.exitcode)


def deadly_corpus(folder: Path, files: int = 40) -> Path:
    corpus = write_corpus(folder / "src", files)
    (corpus / "C020.java").write_text(POISON)
    return corpus


@pytest.mark.parametrize("options", [(), ("--limit", "100")])
def test_a_file_that_kills_its_worker_is_written_down_and_left(
    folder: Path, options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    corpus = deadly_corpus(folder)
    undisturbed = rows(study("undisturbed", corpus, *options, model="deadly"))
    monkeypatch.setenv("DEADLY", "1")
    found = rows(study("out", corpus, "--workers", "2", *options, model="deadly"))
    dead = next(row for row in found["files"] if row[0] == 20)
    assert dead[2] == "worker-died" and dead[4] == len(POISON)
    assert f"{corpus}/C020.java: worker-died (SIGKILL); skipped" in capfd.readouterr().err
    for table in ("methods", "variants", "refusals"):
        kept = [row for row in undisturbed[table] if row[0] != 20]
        assert [row for row in found[table] if row in kept] == kept
    assert metamorph("report", "out", "--format", "md") == 0
    assert "worker-died" in capfd.readouterr().out


def test_a_worker_killed_in_mid_run_changes_no_row(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=100)
    undisturbed = rows(study("undisturbed", corpus, model="slow"))
    options = ("--model", f"{MODEL}slow", "--transform", "VN", "--workers", 2, "--out", "out")
    process = start(folder, "run", corpus, *options, SLOW="0.004")
    wait_for_files(folder / "out", 1, process)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "worker-died" not in err and "Traceback" not in err
    assert rows(folder / "out") == undisturbed


def workers_of(parent: int) -> list[int]:
    """The processes below that do tasks."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    table = [line.split(None, 2) for line in listed.splitlines()]
    below = {parent}
    for _ in table:
        below |= {int(pid) for pid, above, _ in table if int(above) in below}
    return [int(pid) for pid, _, what in table if int(pid) in below and "spawn_main" in what]


STARTLESS = """
import multiprocessing, os
if multiprocessing.parent_process():
    os._exit(5)
def word(code): return "word"
"""


def test_workers_that_cannot_begin_end_the_run_with_what_is_stored(
    folder: Path, capfd: Any
) -> None:
    corpus = write_corpus(folder / "src", files=3)
    (folder / "startless.py").write_text(STARTLESS)
    options = ("--model", "python:startless:word", "--transform", "VN", "--out", "out")
    assert metamorph("run", corpus, *options, "--workers", 2) == 3
    err = capfd.readouterr().err
    assert "ended at its start (5)" in err and "--resume --out out" in err
    assert metamorph("run", corpus, *options, "--workers", 1, "--resume") == 0


MEDDLER = """
import pathlib, os
def word(code):
    if not os.path.exists("done"):
        open("done", "w").close()
        {}
    return "word"
"""


def write_meddler(folder: Path, meddling: str) -> None:
    """A model that meddles with the corpus when it is first asked."""
    (folder / "meddler.py").write_text(MEDDLER.format(meddling))
    sys.modules.pop("meddler", None)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_that_changes_while_the_run_goes_on_is_written_down_and_not_used(
    folder: Path, workers: int
) -> None:
    corpus = write_corpus(folder / "src", files=70)
    (corpus / "Last.java").write_text("class L { int f(int a) { return a; } }")
    meddling = 'pathlib.Path("src/Last.java").write_text("class L { int g(int b) { return b; } }")'
    write_meddler(folder, meddling)
    options = ("--model", "python:meddler:word", "--transform", "VN", "--out", "out")
    assert metamorph("run", corpus, *options, "--workers", workers) == 0
    found = rows(folder / "out")
    assert [row[2] for row in found["files"] if row[0] == 70] == ["changed-meanwhile"]
    assert not [row for row in found["methods"] if row[0] == 70]
    assert len(found["files"]) == 71


@pytest.mark.parametrize(
    "meddling", ['os.remove("src/below/C001.java")', 'open("src/below/A.java", "w").close()']
)
def test_files_that_come_or_go_while_the_run_goes_on_end_it(
    folder: Path, meddling: str, capfd: Any
) -> None:
    corpus = write_corpus(folder / "src", files=2)
    write_corpus(corpus / "below", files=2)
    write_meddler(folder, meddling)
    options = ("--model", "python:meddler:word", "--transform", "VN", "--out", "out")
    assert metamorph("run", corpus, *options) == 2
    assert "files came or went" in capfd.readouterr().err


@dataclass
class Elsewhere:
    """Threads in the place of machines that do not see the files of this one."""

    executor: ThreadPoolExecutor
    deaths: tuple[type[BaseException], ...] = ()

    def workers(self) -> int:
        return 1

    def halt(self, futures: list[Future[Any]]) -> None: ...


def work_elsewhere(job: Job, items: list[Item]) -> Done[Packed]:
    """The task where all paths lead nowhere."""
    return work(job, [replace(item, place=item.place and "/nowhere/at/all") for item in items])


def test_workers_that_do_not_see_the_files_are_sent_the_bytes(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=40)
    settings = Settings((str(corpus),), f"{MODEL}word", (("VN", "single"),))
    model = load(settings.model, Options())
    marks = Marks()
    survey(read_sources(settings.paths), marks)
    expected = study_here(sighted(settings.paths, marks), model, settings, "")
    job = Job(settings, "", dict(model.identity), Job.decisive())
    with ThreadPoolExecutor(1) as threads, Processes(1, os.getpid) as lone:
        engine = Elsewhere(threads)
        left = partial(lost, model, settings)
        shift = Shift(engine, lone, partial(work_elsewhere, job), left, lambda: False, False)
        found = list(shift.rows(sighted(settings.paths, marks)))
    assert sorted(found, key=lambda row: row.ordinal) == [packed(row) for row in expected]
