"""Results behind addresses: what is sent is what would lie here, and runs go on elsewhere."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from metamorph.cli import main
from metamorph.corpus import remote
from metamorph.runs.reading import reading

fsspec = pytest.importorskip("fsspec")

CLASS = "class %s { int size(int n) { int m = n; return m; } int f(int a) { return a + 1; } }"
ANSWERS = """
import os, signal

def answer(code: str) -> str:
    return f"name{len(code) % 3}"

def interrupted(code: str) -> str:
    if "class" not in code and os.path.exists("interrupt"):
        os.remove("interrupt")
        os.kill(os.getpid(), signal.SIGINT)
    return answer(code)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A corpus of some files and a model, and fsspec's memory emptied at the end."""
    for number in range(40):
        place = tmp_path / "src" / f"A{number}.java"
        place.parent.mkdir(exist_ok=True)
        place.write_text(CLASS % f"A{number}")
    (tmp_path / "answers.py").write_text(ANSWERS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    files = fsspec.filesystem("memory")
    for place in files.ls("/", detail=False):
        files.rm(place, recursive=True)


def run(*more: str, model: str = "answer") -> int:
    """The exit code of a run over the corpus."""
    what = ["--model", f"python:answers:{model}", "--transform", "VN", *more]
    return main(["run", "src", *what])


def rows(folder: Path) -> list[list[tuple[object, ...]]]:
    """All that a run found."""
    with reading(folder) as connection:
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in ("files", "methods", "variants", "refusals")
        ]


def sent(path: str) -> dict[str, bytes]:
    """The files below an address, by their names there."""
    files = fsspec.filesystem("memory")
    return {name.removeprefix(path): files.cat_file(name) for name in files.find(path)}


def test_a_report_at_an_address_is_the_report_of_a_file(folder: Path) -> None:
    assert run("--out", "run") == 0
    for out in ("here.json", "memory://reports/there.json"):
        assert main(["report", "run", "--format", "json", "--out", out]) == 0
    assert sent("/reports/") == {"there.json": (folder / "here.json").read_bytes()}


def test_a_published_run_is_read_and_compared_from_where_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--out", "run", "--publish", "memory://runs/one") == 0
    assert set(sent("/runs/one/")) == {"results.sqlite", "manifest.json"}
    capsys.readouterr()
    reports = []
    for where in ("run", "memory://runs/one"):
        assert main(["report", where, "--format", "json"]) == 0
        reports.append(json.loads(capsys.readouterr().out))
    assert reports[0] == reports[1]
    assert main(["compare", "run", "memory://runs/one", "--format", "json"]) == 0
    matching = json.loads(capsys.readouterr().out)["matching"]
    assert matching["judged"] == matching["matched"] > 0


def test_a_run_that_was_interrupted_goes_on_elsewhere_from_what_it_published(folder: Path) -> None:
    (folder / "interrupt").touch()
    publish = ["--publish", "memory://runs/two", "--resume"]
    assert run("--out", "first", *publish, model="interrupted") == 130
    assert not json.loads(sent("/runs/two/")["manifest.json"])["complete"]
    assert run("--out", "second", *publish, model="interrupted") == 0
    assert run("--out", "undisturbed", model="interrupted") == 0
    assert rows(folder / "second") == rows(folder / "undisturbed")
    first, second = (
        json.loads((folder / n / "manifest.json").read_text()) for n in ("first", "second")
    )
    assert first["id"] == second["id"] and second["complete"]


@pytest.mark.parametrize(
    "command",
    [
        ["transform", "src", "--transform", "VN"],
        ["transform", "src", "--transform", "VN", "--format", "jsonl"],
        ["suite", "export", "src", "--transform", "VN"],
    ],
    ids=["tree", "list", "suite"],
)
def test_a_folder_at_an_address_holds_what_a_folder_here_holds(
    folder: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for out in ("made", "memory://made"):
        assert main([*command, "--out", out]) == 0
    here = {p.relative_to(folder / "made").as_posix(): p for p in (folder / "made").rglob("*")}
    there = sent("/made/")
    assert set(there) == {name for name, path in here.items() if path.is_file()}
    same = [name for name in there if name != "manifest.json"]
    assert all(there[name] == here[name].read_bytes() for name in same) and same
    assert main([*command, "--out", "memory://made"]) == 2
    assert "not empty" in capsys.readouterr().err


def test_a_run_needs_a_folder_of_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--out", "memory://runs/three") == 2
    assert "--publish" in capsys.readouterr().err


def test_where_nothing_can_be_written_or_nothing_lies_is_told_in_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_PAUSES", ())
    assert run("--out", "run") == 0
    assert main(["report", "run", "--format", "csv", "--out", "http://127.0.0.1:9/r.csv"]) == 2
    assert "r.csv: cannot be reached" in capsys.readouterr().err
    assert main(["report", "memory://runs/none"]) == 2
    assert "no run is there" in capsys.readouterr().err


def test_a_suite_of_a_corpus_behind_an_address_is_that_of_the_disk(folder: Path) -> None:
    fsspec.filesystem("memory").put("src", "/corpora/src", recursive=True)
    for paths, out in (("src", "here"), ("memory://corpora/src", "there")):
        assert main(["suite", "export", paths, "--transform", "VN", "--out", out]) == 0
    for name in ("programs.jsonl", "sources.jsonl"):
        assert (folder / "here" / name).read_bytes() == (folder / "there" / name).read_bytes()
