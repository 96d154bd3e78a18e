"""Runs that were stopped, killed or done before: they go on to the same rows, or are refused."""

import signal
from pathlib import Path

import pytest
from studies import MODEL, rows, start, study, wait_for_files, write_corpus
from studies import metamorph as cli

from metamorph.runs import manifest as manifests
from metamorph.runs.summary import summarise

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_that_was_killed_goes_on_to_the_same_rows(folder: Path, workers: str) -> None:
    corpus = write_corpus(folder / "src", files=100)
    undisturbed = study("undisturbed", corpus, model="slow")
    arguments = ("run", corpus, "--model", f"{MODEL}slow", "--transform", "VN", "--out", "killed")
    process = start(folder, *arguments, "--workers", workers, SLOW="0.005")
    wait_for_files(folder / "killed", 3, process)
    process.kill()
    process.communicate(timeout=120)  # ends when the workers have ended too
    stored = len(rows(folder / "killed")["files"])
    assert 3 <= stored < 100
    assert not summarise(folder / "killed").complete
    assert cli(*arguments, "--resume") == 0
    assert rows(folder / "killed") == rows(undisturbed)
    assert summarise(folder / "killed").complete


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupted_run_ends_in_good_order_and_goes_on(folder: Path, workers: str) -> None:
    corpus = write_corpus(folder / "src", files=150)
    arguments = ("run", corpus, "--model", f"{MODEL}slow", "--transform", "VN", "--out", "out")
    process = start(folder, *arguments, "--workers", workers, SLOW="0.003")
    wait_for_files(folder / "out", 3, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "INCOMPLETE" in out
    assert "--resume" in err and "Traceback" not in err
    assert 3 <= len(rows(folder / "out")["files"]) < 150
    assert cli(*arguments, "--resume") == 0
    assert rows(folder / "out") == rows(study("undisturbed", corpus, model="slow"))


def test_a_finished_run_is_resumed_without_asking_again(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=2)
    before = rows(study("out", corpus))
    manifest = manifests.read(folder / "out")
    assert rows(study("out", corpus, "--resume")) == before
    assert manifests.read(folder / "out") == manifest


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("--seed", "1"), "--seed was 0, now 1"),
        (("--transform", "PS"), "--transform was VN, now PS"),
        (("--place", "all"), "--place was single, now all"),
        (("--limit", "3"), "--limit was None, now 3"),
        (("--repeat", "2"), "--repeat was 1, now 2"),
        (("--model", f"{MODEL}slow"), "--model was"),
        (("--check", "none"), "--check was syntax, now none"),
    ],
)
def test_a_run_does_not_go_on_with_other_settings(
    folder: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], named: str
) -> None:
    corpus = write_corpus(folder / "src", files=1)
    study("out", corpus)
    options = {"--model": f"{MODEL}word", "--transform": "VN", "--out": "out"} | dict([change])
    flat = [word for pair in options.items() for word in pair]
    assert cli("run", corpus, "--resume", *flat) == 2
    assert named in capsys.readouterr().err


def test_a_run_does_not_go_on_with_another_corpus(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "src", files=2)
    study("out", corpus)
    (corpus / "C000.java").write_text("class C {}")
    options = ("--model", f"{MODEL}word", "--transform", "VN", "--out", "out", "--resume")
    assert cli("run", corpus, *options) == 2
    assert "the corpus changed" in capsys.readouterr().err


def test_a_run_that_goes_on_can_be_reported_but_not_joined(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "src", files=100)
    process = start(
        folder,
        "run",
        corpus,
        "--model",
        f"{MODEL}slow",
        "--transform",
        "VN",
        "--out",
        "out",
        SLOW="0.003",
    )
    try:
        wait_for_files(folder / "out", 2, process)
        summary = summarise(folder / "out")
        assert not summary.complete and 2 <= summary.accounting.files < 100
        options = ("--model", f"{MODEL}slow", "--transform", "VN", "--out", "out", "--resume")
        assert cli("run", corpus, *options) == 2
        assert "another run is going on" in capsys.readouterr().err
    finally:
        process.terminate()
        process.communicate()
