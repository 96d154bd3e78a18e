"""`metamorph suite verify`: a suite is made anew, and every byte that differs is told."""

import gzip
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from studies import metamorph, start, write_corpus
from suites import build, contents, json_lines, manifest

pytestmark = pytest.mark.usefixtures("folder")


def verify(capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """The exit code, and what is printed on both streams."""
    capsys.readouterr()
    code = metamorph("suite", "verify", "suite")
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return code, told.out, told.err


@pytest.fixture
def suite() -> Path:
    write_corpus(Path("src"), 2, 2)
    Path("src/N.java").write_text("class N { void f() { } }")
    return build("src", "--format", "hf,java,c2v,c2s,codexglue-text,codexglue-search")


def test_a_suite_that_was_moved_is_made_anew_to_the_byte(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree("src")
    before = contents(suite)
    Path("elsewhere").mkdir()
    suite.rename("elsewhere/suite")
    os.chdir("elsewhere")
    number = manifest()["counts"]["records"]
    assert verify(capsys) == (0, f"{number} records made anew, every byte the same\n", "")
    assert contents(Path("suite")) == before


@pytest.mark.parametrize(
    "options",
    [
        ("--gzip", "--splits", "train:1,test:1", "--format", "codexglue-clone"),
        ("--place", "random", "--seed", "7", "--per-transform", "5"),
        ("--limit", "3", "--check", "none", "--task", "text", "--license", "MIT"),
    ],
)
def test_every_choice_of_a_build_is_followed(
    options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(Path("src"), 3)
    build("src", *options)
    assert verify(capsys)[0] == 0


def test_a_changed_record_is_told_with_its_id_and_fields(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = suite / "data/test.jsonl"
    rows = json_lines(place)
    rows[1] |= {"label": "other", "seed": 9}
    place.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    code, told, _ = verify(capsys)
    assert code == 1
    assert told.splitlines() == [
        "data/test.jsonl: changed since the suite was written",
        f"data/test.jsonl: line 2 differs from the one made anew: {rows[1]['id']} in seed, label",
    ]


def test_a_forged_record_is_found_though_the_manifest_agrees(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import hashlib

    place = suite / "code-to-text/java/test.jsonl"
    place.write_text(place.read_text().replace("Adds up.", "Adds it up.", 1))
    told = manifest(suite)
    told["files"]["code-to-text/java/test.jsonl"] = hashlib.sha256(place.read_bytes()).hexdigest()
    (suite / "manifest.json").write_text(json.dumps(told))
    code, printed, _ = verify(capsys)
    assert code == 1 and printed.startswith("code-to-text/java/test.jsonl: line 1 differs")


def test_two_records_with_one_id_are_told(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = suite / "data/test.jsonl"
    lines = place.read_text().splitlines(keepends=True)
    place.write_text("".join([*lines, lines[0]]))
    code, told, _ = verify(capsys)
    id = json.loads(lines[0])["id"]
    assert code == 1
    assert f"data/test.jsonl:{len(lines) + 1}: a second record with the id {id}" in told
    assert f"line {len(lines) + 1} differs from the one made anew: one of them ends here" in told


@pytest.mark.parametrize("name", ["data/test.jsonl", "java/index.jsonl", "code2vec/suite.dict.c2v"])
def test_a_missing_file_and_a_foreign_one_are_told(
    name: str, suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (suite / name).rename(suite / "java" / "moved")
    code, told, _ = verify(capsys)
    assert code == 1
    assert told.splitlines() == [f"{name}: missing", "java/moved: not a file of this suite"]


def test_a_changed_or_missing_original_is_told_and_nothing_is_made_of_it(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = suite / "sources/src/C001.java"
    text = place.read_text()
    place.write_text(text.replace("first0", "other0"))
    code, told, _ = verify(capsys)
    assert code == 1
    assert told.startswith("sources/src/C001.java: changed since the suite was written")
    assert "its records were not made anew" in told
    place.unlink()
    code, told, _ = verify(capsys)
    assert code == 1 and told.startswith("sources/src/C001.java: missing from the suite")
    place.write_text(text)
    (suite / "sources/src/More.java").write_text("class More { }")
    assert verify(capsys)[1].startswith("sources/src/More.java: not a source of this suite")


def test_a_list_of_sources_that_was_changed_with_its_sources_is_found(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (suite / "sources.jsonl").read_text().splitlines(keepends=True)
    (suite / "sources.jsonl").write_text("".join(lines[:-1]))
    (suite / "sources/src/N.java").unlink()
    code, told, _ = verify(capsys)
    assert code == 1 and told.startswith("sources.jsonl: changed since the suite was written")
    (suite / "sources.jsonl").unlink()
    code, told, _ = verify(capsys)
    assert code == 1 and told.startswith("sources.jsonl: missing from the suite")


def test_another_version_is_told(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = manifest(suite)
    told["versions"]["metamorph"] = "0.0.1"
    (suite / "manifest.json").write_text(json.dumps(told))
    code, _, err = verify(capsys)
    assert code == 0 and "warning: metamorph was 0.0.1, is " in err


def test_what_is_no_suite_of_records_is_told(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert verify(capsys)[0] == 2
    write_corpus(Path("src"), 1)
    assert metamorph("suite", "export", "src", "--transform", "VN", "--out", "suite") == 0
    code, _, err = verify(capsys)
    assert code == 2 and "suite: this suite is an export and has none; build one" in err
    build("src", out="built")
    Path("answers.jsonl").write_text("")
    assert metamorph("suite", "score", "built", "answers.jsonl", "--out", "run") == 2
    assert "built: this suite has records" in capsys.readouterr().err


def test_a_manifest_without_its_recipe_is_told(
    suite: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = manifest(suite)
    del told["recipe"]["splits"]
    (suite / "manifest.json").write_text(json.dumps(told))
    code, _, err = verify(capsys)
    assert code == 2 and "does not tell how the suite was made" in err


def test_what_keeps_a_suite_from_being_made_anew_is_told(
    suite: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/nowhere")
    code, _, err = verify(capsys)
    assert code == 2 and "the suite is not verified" in err


def test_a_full_disk_leaves_nothing_that_looks_like_a_suite(folder: Path) -> None:
    write_corpus(Path("src"), 30)

    def fill() -> None:
        """No file may grow beyond this: writing fails as on a full disk."""
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    command = [sys.executable, "-m", "metamorph", "suite", "build", "src", "--transform", "all"]
    done = subprocess.run(
        [*command, "--out", "suite"], preexec_fn=fill, capture_output=True, text=True
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.splitlines()[-1].endswith("File too large; nothing was written there")
    assert "Traceback" not in done.stderr
    assert [path.name for path in folder.iterdir() if "suite" in path.name] == []


def test_a_killed_build_leaves_no_suite(folder: Path) -> None:
    write_corpus(Path("src"), 1_000)
    process = start(folder, "suite", "build", "src", "--transform", "all", "--out", "suite")
    until = time.monotonic() + 60
    while not list(folder.glob(".suite.unfinished-*/data/*")) and time.monotonic() < until:
        time.sleep(0.02)
    process.kill()
    process.communicate()
    assert not Path("suite").exists()
    (left,) = folder.glob(".suite.unfinished-*")
    assert not (left / "manifest.json").exists()
    assert metamorph("suite", "verify", left) == 2


def test_a_damaged_gzip_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(Path("src"), 2)
    suite = build("src", "--gzip")
    place = suite / "data/test.jsonl.gz"
    data = place.read_bytes()
    place.write_bytes(gzip.compress(gzip.decompress(data), 1))
    code, told, _ = verify(capsys)
    assert code == 1 and "packed in another way than when made anew" in told
    place.write_bytes(data[:-20])
    assert verify(capsys)[0] == 1
