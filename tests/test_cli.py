"""The command line: results on stdout, all else on stderr, faults in one line."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from studies import metamorph as cli
from studies import start, write_corpus, write_models

from metamorph.version import VERSION

MODEL = "python:models_for_tests:word"
RUN = ("run", "--model", MODEL, "--transform", "VN")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where each test works, with the models at hand."""
    write_models(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def faults(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines on stderr; nothing may be on stdout."""
    out, err = capsys.readouterr()
    assert not out
    return err.splitlines()


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ((), "COMMAND"),
        (("rum",), "invalid choice: 'rum'"),
        (("run", "--model", MODEL), "required: --transform"),
        (("run", "--transform", "VN"), "required: --model"),
        ((*RUN, "--place", "middle"), "invalid choice: 'middle'"),
        ((*RUN, "--check", "prayer"), "invalid choice: 'prayer'"),
        ((*RUN, "--limit", "0"), "not a number from 1 up"),
        ((*RUN, "--workers", "many"), "not a number from 1 up"),
        ((*RUN, "--fail-on-change", "7"), "not a share between 0 and 1"),
        ((*RUN, "--sead", "7"), "unrecognized arguments: --sead"),
        ((*RUN, "nowhere"), "nowhere: no such file or folder"),
        (("run", "--model", "oracle", "--transform", "VN", "."), "unknown model 'oracle'"),
        (("run", "--model", MODEL, "--transform", "QQ", "."), "unknown transformation 'QQ'"),
        (("run", "--model", MODEL, "--transform", "PS", "--place", "all", "."), "PS"),
        (("report", "nowhere"), "nowhere: no run is there"),
        (("transforms", "QQ"), "unknown transformation 'QQ'"),
    ],
)
def test_a_fault_of_the_user_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], fault: str
) -> None:
    assert cli(*arguments) == 2
    *notes, line = faults(capsys)
    assert line.startswith("metamorph: error: ") and fault in line
    assert all(note.startswith("metamorph: ") for note in notes)


def test_a_folder_without_java_is_a_fault(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "docs").mkdir()
    assert cli(*RUN, "docs") == 2
    assert "docs: no Java there" in capsys.readouterr().err
    assert not (folder / "metamorph-run").exists()


def test_a_folder_that_is_not_empty_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(folder / "src", files=1)
    (folder / "out").mkdir()
    (folder / "out" / "thesis.tex").write_text("precious")
    assert cli(*RUN, "src", "--out", "out") == 2
    assert "out: not empty" in capsys.readouterr().err
    assert cli(*RUN, "src", "--out", "out", "--resume") == 2
    assert os.listdir(folder / "out") == ["thesis.tex"]


def test_an_out_that_is_a_file_is_a_fault(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(folder / "src", files=1)
    (folder / "out").write_text("")
    assert cli(*RUN, "src", "--out", "out") == 2
    assert "out: not a folder" in capsys.readouterr().err


def test_runs_without_out_get_folders_of_their_own(folder: Path) -> None:
    write_corpus(folder / "src", files=1)
    for _ in range(3):
        assert cli(*RUN, "src") == 0
    assert cli(*RUN, "src", "--resume") == 0
    found = sorted(path.name for path in folder.glob("metamorph-run*"))
    assert found == ["metamorph-run", "metamorph-run-2", "metamorph-run-3"]


def test_without_a_path_the_current_folder_is_taken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(folder / "src", files=1, methods=1)
    assert cli(*RUN) == 0
    out, err = capsys.readouterr()
    assert "files     1 = 1 parsed" in out and "sample" not in err


def test_without_a_path_and_java_the_sample_corpus_is_taken_and_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli(*RUN, "--limit", 5) == 0
    out, err = capsys.readouterr()
    assert "methods   5," in out
    assert "taking the sample corpus" in err


def test_results_go_to_stdout_and_the_rest_to_stderr(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(folder / "src", files=1)
    assert cli(*RUN, "src", "--out", "out") == 0
    out, err = capsys.readouterr()
    assert out.startswith(MODEL) and "metamorph:" not in out
    assert [line.split(":")[0] for line in err.splitlines()] == ["metamorph"] * 2
    assert cli("report", "out") == 0
    again, nothing = capsys.readouterr()
    assert again == out and not nothing


def test_the_report_is_json_where_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(folder / "src", files=1)
    assert cli(*RUN, "src", "--out", "out", "--seed", 3) == 0
    capsys.readouterr()
    assert cli("report", "out", "--format", "json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["seed"] == 3 and report["complete"] is True
    assert report["tally"][0]["variants"] == report["accounting"]["variants"] == 20


def test_a_gate_fails_only_where_it_was_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(folder / "src", files=3)
    assert cli(*RUN, "src", "--out", "one") == 0
    assert cli(*RUN, "src", "--out", "two", "--fail-on-change", "1") == 0
    assert cli(*RUN, "src", "--out", "three", "--fail-on-change", "0.001") == 1
    assert "VN single: change rate" in capsys.readouterr().err


def test_a_place_that_a_transformation_lacks_is_said_and_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(folder / "src", files=1)
    command = ("run", "--model", MODEL, "--transform", "VN,PS", "--place", "both", "src")
    assert cli(*command, "--out", "out") == 0
    out, err = capsys.readouterr()
    assert "PS has no place 'all'" in err and "PS has no place 'all'" in out


def test_help_and_version_need_nothing_heavy() -> None:
    script = (
        "import sys; from metamorph.cli import main\n"
        "try: main(['run', '--help'])\n"
        "except SystemExit: pass\n"
        "print({'numpy', 'rich', 'tree_sitter', 'torch'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "set()"


def test_a_run_begins_without_what_only_some_of_its_parts_need() -> None:
    script = (
        "import sys, metamorph.runs.execute, metamorph.models.code2vec\n"
        "print({'jinja2', 'requests', 'scipy', 'torch'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout == "set()\n"


def test_the_version_is_told(folder: Path) -> None:
    process = start(folder, "--version")
    assert process.communicate()[0] == f"metamorph {VERSION}\n"


def test_a_reader_that_goes_away_is_no_fault(folder: Path) -> None:
    write_corpus(folder / "src", files=1)
    assert cli(*RUN, "src", "--out", "out") == 0
    process = start(folder, "report", "out", "--format", "json")
    assert process.stdout
    process.stdout.close()
    assert process.stderr
    assert process.stderr.read() == ""
    assert process.wait() == 0


def test_transformations_are_listed_with_their_places(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli("transforms") == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(re.match(r"VN +variable renaming +single, all, random$", line) for line in lines)
    assert [line.split()[0] for line in lines] == sorted(line.split()[0] for line in lines)


def test_a_transformation_is_explained_by_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli("transforms", "vn") == 0
    out = capsys.readouterr().out
    assert "-    int score(int[] marks, int kind) {" in out
    assert "+    int score(int[] var0, int kind) {" in out
