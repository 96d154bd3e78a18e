"""Programs written for a model that runs elsewhere, and its answers scored."""

import gzip
import hashlib
import importlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from studies import column, metamorph, rows, study, write_corpus

from metamorph.corpus import read_sources
from metamorph.java.source import SourceFile

SETTINGS = ("--transform", "VN,LX", "--place", "both", "--seed", "3")


def export(*paths: object, options: tuple[object, ...] = SETTINGS) -> list[dict[str, Any]]:
    """Export a suite that must succeed; its programs."""
    assert metamorph("suite", "export", *paths, "--out", "suite", *options) == 0
    return [json.loads(line) for line in Path("suite/programs.jsonl").read_text().splitlines()]


def predict(programs: list[dict[str, Any]], path: str = "answers.jsonl") -> None:
    """What a cluster does: it knows nothing but the programs."""
    word = importlib.import_module("models_for_tests").word
    lines = [json.dumps({"id": p["id"], "label": word(p["code"])}) for p in reversed(programs)]
    text = "\n".join(lines) + "\n"
    Path(path).write_bytes(gzip.compress(text.encode()) if path.endswith(".gz") else text.encode())


def score(*options: object, predictions: str = "answers.jsonl", out: str = "scored") -> int:
    """Score the suite; the exit code."""
    return metamorph("suite", "score", "suite", predictions, "--out", out, *options)


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("suite/manifest.json").read_text())
    return found


@pytest.mark.usefixtures("folder")
def test_every_program_is_written_once_and_known_by_its_content() -> None:
    write_corpus(Path("src"), 3)
    Path("src/Copy.java").write_bytes(Path("src/C000.java").read_bytes())
    programs = export("src")
    keys = [program["id"] for program in programs]
    assert len(set(keys)) == len(keys) == manifest()["counts"]["programs"]
    for program in programs:
        assert program["id"] == hashlib.sha256(program["code"].encode()).hexdigest()
        assert "METHOD_NAME(" in program["code"] and program["code"] in program["prompt"]
        assert program["task"] == "method-name" and program["language"] == "java"
    assert manifest()["counts"]["variants"] > len(programs)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("predictions", "workers"), [("answers.jsonl", 1), ("answers.jsonl.gz", 2)]
)
def test_a_scored_suite_is_the_run_that_the_model_would_have_made(
    predictions: str, workers: int
) -> None:
    write_corpus(Path("src"))
    study("run", "src", "--place", "both", "--seed", "3", transform="VN,LX")
    predict(export("src"), predictions)
    shutil.rmtree("src")
    assert score("--workers", workers, predictions=predictions) == 0
    assert rows(Path("scored")) == rows(Path("run"))


@pytest.mark.usefixtures("folder")
def test_scoring_prints_the_table_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(Path("src"))
    study("run", "src", "--place", "both", "--seed", "3", transform="VN,LX")
    table = capsys.readouterr().out
    predict(export("src"))
    assert score() == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[1:] == table.splitlines()[1:]
    assert printed.startswith("recorded:answers.jsonl, seed 3")


@pytest.mark.usefixtures("folder")
def test_a_suite_is_a_corpus_for_other_models() -> None:
    write_corpus(Path("src"), 3)
    export("src")
    study("a", "src")
    study("b", "suite")
    assert rows(Path("a")) == rows(Path("b"))
    one, other = (json.loads(Path(run, "manifest.json").read_text()) for run in "ab")
    assert one["corpus"] == other["corpus"] == manifest()["corpus"]


@pytest.mark.usefixtures("folder")
def test_a_program_without_an_answer_makes_the_run_incomplete(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_corpus(Path("src"), 3)
    programs = export("src")
    predict([*programs[2:], {"id": "foreign", "code": "int x"}])
    assert score() == 3
    told = capsys.readouterr()
    assert f"2 of {len(programs)} programs have no answer" in told.err
    assert "1 answers are about programs that the suite does not have" in told.err
    assert "not-recorded" in told.out


@pytest.mark.usefixtures("folder")
def test_an_error_of_the_model_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(Path("src"), 3)
    programs = export("src")
    predict(programs[1:])
    with open("answers.jsonl", "a") as answers:
        answers.write(json.dumps({"id": programs[0]["id"], "error": "out-of-memory"}) + "\n")
    assert score() == 0
    assert "out-of-memory" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_what_could_not_be_read_or_parsed_is_accounted_for_in_the_suite_too() -> None:
    write_corpus(Path("src"), 2)
    Path("src/Broken.java").write_text("class {")
    Path("src/Gone.java").symlink_to("nowhere")
    study("run", "src", transform="VN")
    predict(export("src", options=("--transform", "VN")))
    assert score() == 0
    assert rows(Path("scored")) == rows(Path("run"))
    assert {row[2] for row in rows(Path("run"))["files"]} == {
        "parsed",
        "syntax-error",
        "dangling-link",
    }


@pytest.mark.usefixtures("folder")
def test_sources_of_archives_and_json_lines_keep_their_names_and_stay_inside() -> None:
    code = "class A { int two(int a) { return a; } }"
    with zipfile.ZipFile("a.zip", "w") as archive:
        archive.writestr("../../up/A.java", code)
        archive.writestr("p/A.java", code.replace("two", "three"))
        archive.writestr("p/A.java/B.java", code.replace("two", "four"))
        archive.writestr(f"p/{'x' * 240}.java", code.replace("two", "five"))
    with tarfile.open("b.tar.gz", "w:gz") as tar:
        for name in ("twice/A.java", "twice/A.java"):
            member = tarfile.TarInfo(name)
            member.size = len(code)
            tar.addfile(member, io.BytesIO(code.encode()))
    Path("c.jsonl").write_text(f"{json.dumps({'code': code})}\n\nnot json\n" * 2)
    paths = ("a.zip", "b.tar.gz", "c.jsonl")
    export(*paths, options=("--transform", "VN"))
    kept, named = list(read_sources(["suite"])), list(read_sources(paths))
    assert [replace(s, project="") if isinstance(s, SourceFile) else s for s in kept] == named
    projects = {s.path: s.project for s in kept if isinstance(s, SourceFile)}
    assert projects["a.zip!/p/A.java"] == "a.zip" and projects["c.jsonl:1"] == "c.jsonl"
    assert len(list(Path("suite").rglob("*.java"))) == 8
    assert not Path("up").exists() and not Path("../up").exists()


@pytest.mark.usefixtures("folder")
def test_paths_in_a_suite_begin_at_the_folder_that_was_named(folder: Path) -> None:
    write_corpus(folder / "project" / "src", 1)
    export(folder / "project", options=("--transform", "VN"))
    assert [source.path for source in read_sources(["suite"])] == ["project/src/C000.java"]
    assert Path("suite/sources/project/src/C000.java").is_file()
    assert str(folder) not in Path("suite/sources.jsonl").read_text()


@pytest.mark.usefixtures("folder")
def test_labels_of_a_corpus_travel_with_the_suite() -> None:
    records = [
        {"code": "int f(int a) { return a + a + a + a; }", "label": "risky"},
        {"code": "int g(int a) { return a; }", "label": "risky"},
    ]
    Path("c.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    task = ("--transform", "VN", "--task", "label")
    programs = export("c.jsonl", options=task)
    assert programs[0]["code"].startswith("int f(")
    lines = [json.dumps({"id": program["id"], "label": "risky"}) for program in programs]
    Path("answers.jsonl").write_text("\n".join(lines))
    assert score() == 0
    assert set(column(Path("scored"), "methods", "label")) == {"risky"}
    assert all("CCP" in row for row in rows(Path("scored"))["variants"])


@pytest.mark.usefixtures("folder")
def test_a_limit_keeps_the_rest_of_the_corpus_out() -> None:
    write_corpus(Path("src"), 6)
    study("run", "src", "--limit", "6")
    predict(export("src", options=("--transform", "VN", "--limit", "6")))
    assert [source.path for source in read_sources(["suite"])] == ["src/C000.java", "src/C001.java"]
    assert score() == 0
    assert rows(Path("scored")) == rows(Path("run"))


@pytest.mark.usefixtures("folder")
def test_repeated_questions_measure_the_noise_of_a_model_elsewhere() -> None:
    write_corpus(Path("src"), 2, 2)
    programs = export("src", options=("--transform", "VN", "--repeat", "2"))
    again = [program for program in programs if program.get("repeat")]
    assert [program["id"].partition("#")[2] for program in again] == ["1"] * 4
    steady = again[0]["id"].partition("#")[0]
    with open("answers.jsonl", "w") as answers:
        for program in programs:
            varies = "repeat" in program and not program["id"].startswith(steady)
            label = "other" if varies else "one"
            answers.write(json.dumps({"id": program["id"], "label": label}) + "\n")
    assert score() == 0
    assert set(column(Path("scored"), "variants", "status")) == {"inconclusive", "answered"}


@pytest.mark.usefixtures("folder")
def test_a_suite_is_written_into_a_new_folder_only(capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(Path("src"), 1)
    Path("suite").mkdir()
    Path("suite/mine.txt").write_text("mine")
    arguments = ("suite", "export", "src", "--out", "suite", "--transform", "VN")
    assert metamorph(*arguments) == 2
    assert "suite: not empty; give another folder" in capsys.readouterr().err
    assert [path.name for path in Path("suite").iterdir()] == ["mine.txt"]


@pytest.mark.usefixtures("folder")
def test_a_suite_does_not_copy_itself(capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(Path("src"), 1)
    assert metamorph("suite", "export", ".", "--out", "suite", "--transform", "VN") == 2
    assert "suite: lies inside of ." in capsys.readouterr().err
    Path("src/back").symlink_to("..")
    assert metamorph("suite", "export", "src", "--out", "suite", "--transform", "VN") == 0
    listed = Path("suite/sources.jsonl").read_text().splitlines()
    assert [json.loads(line)["path"] for line in listed] == ["src/C000.java"]


@pytest.mark.usefixtures("folder")
def test_a_corpus_without_java_makes_no_suite(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert metamorph("suite", "export", "empty", "--out", "suite", "--transform", "VN") == 2
    assert "empty: no Java there" in capsys.readouterr().err
    predict([])
    assert score() == 2
    assert "no suite is there" in capsys.readouterr().err


def remove_source() -> None:
    Path("suite/sources/src/C001.java").unlink()


def change_source() -> None:
    place = Path("suite/sources/src/C001.java")
    place.write_text(place.read_text() + "\n")


def name_a_file_outside() -> None:
    place = Path("suite/sources.jsonl")
    place.write_text(place.read_text().replace("sources/src/C001", "sources/../../src/C001"))


def spoil_the_list() -> None:
    Path("suite/sources.jsonl").write_text("{}\n")


def remove_programs() -> None:
    Path("suite/programs.jsonl").unlink()


def spoil_programs() -> None:
    Path("suite/programs.jsonl").write_text("[1]\n")


def remove_manifest() -> None:
    Path("suite/manifest.json").unlink()


def age_manifest() -> None:
    Path("suite/manifest.json").write_text(json.dumps(manifest() | {"schema": 0}))


def cut_short() -> None:
    Path("suite/manifest.json").write_text(json.dumps(manifest() | {"complete": False}))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("harm", "fault"),
    [
        (remove_source, "C001.java: missing from the suite"),
        (change_source, "C001.java: changed since the suite was written"),
        (name_a_file_outside, "lies outside of the suite"),
        (spoil_the_list, "sources.jsonl:1: not an entry"),
        (remove_programs, "programs.jsonl: missing from the suite"),
        (spoil_programs, "programs.jsonl:1: not a program"),
        (remove_manifest, "suite: no suite is there"),
        (age_manifest, "suite: a suite of another version"),
        (cut_short, "suite: this suite was not written to its end"),
    ],
)
def test_a_damaged_suite_is_not_scored(
    capsys: pytest.CaptureFixture[str], harm: Any, fault: str
) -> None:
    write_corpus(Path("src"), 2)
    predict(export("src"))
    capsys.readouterr()
    harm()
    assert score() == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("metamorph: error: ") and fault in line


@pytest.mark.usefixtures("folder")
def test_a_suite_of_another_version_is_scored_with_a_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_corpus(Path("src"), 1)
    predict(export("src"))
    versions = manifest()["versions"] | {"metamorph": "0.0.1"}
    Path("suite/manifest.json").write_text(json.dumps(manifest() | {"versions": versions}))
    assert score() == 0
    assert "warning: metamorph was 0.0.1, is " in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_suite_of_a_transformation_that_is_not_there_is_not_scored(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_corpus(Path("src"), 1)
    predict(export("src"))
    settings = manifest()["settings"] | {"plan": [["QQ", "single"]]}
    Path("suite/manifest.json").write_text(json.dumps(manifest() | {"settings": settings}))
    assert score() == 2
    assert "unknown transformation 'QQ'" in capsys.readouterr().err


def test_a_disk_that_is_full_leaves_no_suite(folder: Path) -> None:
    write_corpus(Path("src"), 2)
    command = 'ulimit -f 4; exec "$0" -m metamorph suite export src --out suite --transform VN'
    done = subprocess.run(
        ["bash", "-c", command, sys.executable], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line == "metamorph: error: suite: File too large; nothing was written there"
    assert [path.name for path in folder.iterdir() if "suite" in path.name] == []
