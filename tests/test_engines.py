"""Dask as an engine: workers and schedulers of the real thing, killed for real."""

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from studies import MODEL, metamorph, rows, start, study, wait_for_files, write_corpus
from test_interruptions import ended, tell_all, tell_twice, wait_for
from test_workers import deadly_corpus, workers_of

from metamorph.runs.cluster import joined
from metamorph.runs.processes import WorkersLostError

pytest.importorskip("distributed")
dask = pytest.importorskip("dask")


@pytest.mark.proof
def test_a_cluster_of_this_machine_gives_the_same_rows_though_workers_are_killed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = deadly_corpus(folder, files=60)
    one = study("one", corpus, "--workers", 2, model="deadly")
    options = ("--model", f"{MODEL}deadly", "--transform", "VN", "--engine", "dask", "--out", "out")
    process = start(folder, "run", corpus, *options, "--workers", 2, DEADLY="1")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "C020.java: worker-died (SIGKILL); skipped" in err and "Traceback" not in err
    found, expected = rows(folder / "out"), rows(one)
    assert [row[2] for row in found["files"] if row[0] == 20] == ["worker-died"]
    for table in ("methods", "variants", "refusals"):
        assert found[table] == [row for row in expected[table] if row[0] != 20]


HELD = """
import os, pathlib, time
from models_for_tests import word
from metamorph.runs import workers

def held(code):
    if "HELD" in os.environ:
        pathlib.Path(f"begun-{os.getpid()}").touch()
        until = time.monotonic() + float(os.environ["HELD"])
        while time.monotonic() < until and ("STUCK" in os.environ or not workers.halted):
            time.sleep(0.01)
    return word(code)
"""
"""A model whose first answers come when its worker is to begin no more tasks, or much later."""

TASK = 16
"""Files."""

OWN = ("--engine", "dask", "--workers", "2")
THEIRS = ("--engine", "dask", "--scheduler", "dask.json")


@pytest.fixture
def held(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arguments of a run of six tasks, which wait."""
    monkeypatch.setenv("HELD", "300")
    (folder / "held.py").write_text(HELD)
    write_corpus(folder / "src", files=6 * TASK)
    return ["run", "src", "--model", "python:held:held", "--transform", "VN", "--out", "out"]


def wait_for_begun(folder: Path, workers: int) -> None:
    """Until so many processes are at a task."""
    until = time.monotonic() + 120
    while len(list(folder.glob("begun-*"))) < workers:
        assert time.monotonic() < until
        time.sleep(0.02)


def goes_on_to_the_same_rows(held: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HELD")
    assert metamorph(*held, "--resume") == 0
    assert rows(Path("out")) == rows(study("undisturbed", "src"))


def test_told_to_stop_a_run_finishes_the_tasks_that_have_begun_and_no_others(
    folder: Path, held: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start(folder, *held, *OWN, session=True)
    wait_for_begun(folder, 2)
    tell_all(process, signal.SIGINT)
    _, err = ended(process)
    assert err.splitlines()[-1] == "metamorph: interrupted; go on with --resume --out out"
    assert len(rows(folder / "out")["files"]) == 2 * TASK
    goes_on_to_the_same_rows(held, monkeypatch)


def test_told_twice_a_run_stops_at_once_and_goes_on_later(
    folder: Path, held: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start(folder, *held, *OWN, session=True, STUCK="1")
    wait_for_begun(folder, 2)
    tell_twice(process, signal.SIGINT)
    ended(process)
    assert not rows(folder / "out")["files"]
    goes_on_to_the_same_rows(held, monkeypatch)


def test_a_killed_run_leaves_no_workers_behind(folder: Path, held: list[str]) -> None:
    process = start(folder, *held, *OWN, session=True, STUCK="1")
    wait_for_begun(folder, 2)
    process.kill()
    ended(process, -signal.SIGKILL)


def test_workers_of_a_cluster_of_its_own_keep_their_memory_and_are_not_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")  # As Dask sets them in this process for good.
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    with joined(1, "", int) as engine:
        assert set(engine.client.run(os.environ.get, "MALLOC_TRIM_THRESHOLD_").values()) == {None}
        for setting, value in (("worker.profile.enabled", False), ("admin.tick.interval", "1s")):
            told = engine.client.run(dask.config.get, f"distributed.{setting}")
            assert set(told.values()) == {value}


@dataclass(frozen=True)
class Cluster:
    """A scheduler and its workers, as users start them; the address is in `dask.json`."""

    scheduler: subprocess.Popen[bytes]
    workers: subprocess.Popen[bytes]


@contextmanager
def started(workers: int, threads: int) -> Iterator[Cluster]:
    """So many workers of so many threads each."""
    dask = [sys.executable, "-m", "dask"]
    at = ["--scheduler-file", "dask.json", "--no-dashboard"]
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    crew = ["--nworkers", str(workers), "--nthreads", str(threads), "--death-timeout", "60"]
    with (
        subprocess.Popen([*dask, "scheduler", "--port", "0", *at], **silent) as scheduler,
        subprocess.Popen([*dask, "worker", *at, *crew], **silent) as nannies,
    ):
        try:
            yield Cluster(scheduler, nannies)
        finally:
            nannies.terminate()
            scheduler.terminate()


@pytest.fixture
def cluster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Two workers who take their time."""
    monkeypatch.setenv("SLOW", "0.005")
    with started(2, 1) as cluster:
        yield cluster


def test_of_a_worker_of_several_threads_the_one_task_that_has_begun_is_finished(
    folder: Path, held: list[str]
) -> None:
    with started(workers=1, threads=3):
        wait_for(folder / "dask.json")
        process = start(folder, *held, *THEIRS, session=True)
        wait_for_begun(folder, 1)
        tell_all(process, signal.SIGINT)
        ended(process)
    assert len(rows(folder / "out")["files"]) == TASK


def test_told_to_stop_a_run_whose_workers_are_gone_does_not_wait_for_others(
    folder: Path, held: list[str], cluster: Cluster
) -> None:
    wait_for(folder / "dask.json")
    process = start(folder, *held, *THEIRS, session=True)
    wait_for_begun(folder, 2)
    workers = workers_of(cluster.workers.pid)
    for lost in (cluster.workers.pid, *workers):  # First the one that would replace the others.
        with suppress(ProcessLookupError):
            os.kill(lost, signal.SIGKILL)
    tell_all(process, signal.SIGINT)
    ended(process)


def test_a_run_outlives_a_killed_worker_and_goes_on_after_its_scheduler_was_killed(
    folder: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = write_corpus(folder / "src", files=130)
    arguments = ("run", corpus, "--model", f"{MODEL}slow", "--transform", "VN", "--out", "out")
    process = start(folder, *arguments, *THEIRS)
    wait_for_files(folder / "out", 1, process)
    os.kill(workers_of(cluster.workers.pid)[0], signal.SIGKILL)
    wait_for_files(folder / "out", 49, process)
    cluster.scheduler.kill()
    _, err = process.communicate(timeout=300)
    assert process.returncode == 3, err
    assert "scheduler is gone" in err and "--resume --out out" in err and "Traceback" not in err
    assert 49 <= len(rows(folder / "out")["files"]) < 130
    monkeypatch.setenv("SLOW", "0")
    assert metamorph(*arguments, "--resume") == 0
    assert rows(folder / "out") == rows(study("undisturbed", corpus, model="slow"))


@pytest.mark.proof
def test_a_scheduler_that_is_gone_when_it_is_asked_is_told_as_that(
    folder: Path, cluster: Cluster
) -> None:
    wait_for(folder / "dask.json")
    gone = pytest.raises(WorkersLostError, match="the scheduler is gone")
    with gone, joined(0, "dask.json", int) as engine:
        cluster.scheduler.kill()
        cluster.scheduler.wait()
        until = time.monotonic() + 300
        while time.monotonic() < until:
            engine.counted = -math.inf
            engine.workers()


def test_a_scheduler_that_does_not_answer_is_told_in_one_line(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "src", files=1)
    options = ("--model", f"{MODEL}word", "--transform", "VN", "--engine", "dask")
    assert metamorph("run", corpus, *options, "--scheduler", "nowhere.json") == 2
    assert "--scheduler nowhere.json: no such file" in capfd.readouterr().err
    assert metamorph("run", corpus, *options[:4], "--scheduler", "nowhere.json") == 2
    assert "--engine dask" in capfd.readouterr().err
