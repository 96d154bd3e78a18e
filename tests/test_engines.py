"""Dask as an engine: workers and schedulers of the real thing, killed for real."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from studies import MODEL, metamorph, rows, start, study, wait_for_files, write_corpus
from test_workers import deadly_corpus, workers_of

pytest.importorskip("distributed")


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


@dataclass(frozen=True)
class Cluster:
    """A scheduler and its workers, as users start them; the address is in `dask.json`."""

    scheduler: subprocess.Popen[bytes]
    workers: subprocess.Popen[bytes]


@pytest.fixture
def cluster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Two workers who take their time."""
    monkeypatch.setenv("SLOW", "0.005")
    dask = [sys.executable, "-m", "dask"]
    at = ["--scheduler-file", "dask.json", "--no-dashboard"]
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    two = ["--nworkers", "2", "--nthreads", "1", "--death-timeout", "60"]
    with (
        subprocess.Popen([*dask, "scheduler", "--port", "0", *at], **silent) as scheduler,
        subprocess.Popen([*dask, "worker", *at, *two], **silent) as workers,
    ):
        yield Cluster(scheduler, workers)
        workers.terminate()
        scheduler.terminate()


def test_a_run_outlives_a_killed_worker_and_goes_on_after_its_scheduler_was_killed(
    folder: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = write_corpus(folder / "src", files=130)
    arguments = ("run", corpus, "--model", f"{MODEL}slow", "--transform", "VN", "--out", "out")
    process = start(folder, *arguments, "--engine", "dask", "--scheduler", "dask.json")
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


def test_a_scheduler_that_does_not_answer_is_told_in_one_line(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "src", files=1)
    options = ("--model", f"{MODEL}word", "--transform", "VN", "--engine", "dask")
    assert metamorph("run", corpus, *options, "--scheduler", "nowhere.json") == 2
    assert "--scheduler nowhere.json: no such file" in capfd.readouterr().err
    assert metamorph("run", corpus, *options[:4], "--scheduler", "nowhere.json") == 2
    assert "--engine dask" in capfd.readouterr().err
