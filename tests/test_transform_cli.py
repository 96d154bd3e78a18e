"""metamorph transform: trees, files and lists of transformed code."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from studies import metamorph as cli

from metamorph.java.edits import Edit, apply

SAMPLE = b"""\
class Sample {
    int first(int[] marks) {
        int sum = 0;
        for (int i = 0; i < marks.length; i++) {
            sum += marks[i];
        }
        return sum;
    }

    Runnable second(int n) {
        return new Runnable() {
            public void run() {
                while (n > 1) System.out.println(n);
            }
        };
    }
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tree with Java, broken Java, other files, a script and links."""
    folder = tmp_path / "source"
    (folder / "deep" / "empty").mkdir(parents=True)
    (folder / "deep" / "Sample.java").write_bytes(SAMPLE)
    (folder / "Crlf.java").write_bytes(SAMPLE.replace(b"\n", b"\r\n").replace(b"Sample", b"Crlf"))
    (folder / "Broken.java").write_bytes(b"class Broken { int f( }")
    (folder / "Latin.java").write_bytes(b"class Latin { /* \xe9 */ void f() { int \xe9 = 1; } }")
    (folder / "notes.txt").write_bytes(b"\0notes")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    (folder / "deep" / "Sample.java").chmod(0o640)
    (folder / "link.java").symlink_to("deep/Sample.java")
    (folder / "loop").symlink_to(".")
    return folder


def transform(source: Path, out: Path, *options: object) -> int:
    return cli("transform", source, "--out", out, *options)


def files(folder: Path) -> dict[str, bytes]:
    """The regular files below a folder."""
    found = (p for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_symlink())
    return {str(p.relative_to(folder)): p.read_bytes() for p in found}


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "variants.jsonl").read_text().splitlines()]


def test_a_tree_has_every_outermost_method_transformed(source: Path, tmp_path: Path) -> None:
    assert transform(source, tmp_path / "out", "--transform", "LX", "--place", "all") == 0
    before, after = files(source), files(tmp_path / "out")
    assert before.keys() == after.keys()
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"deep/Sample.java", "Crlf.java"}
    sample = after["deep/Sample.java"]
    assert b"while (i < marks.length)" in sample and b"for (; n > 1; )" in sample
    assert after["Crlf.java"].count(b"\n") == after["Crlf.java"].count(b"\r\n") > 0


def test_a_tree_keeps_modes_links_and_empty_folders(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (source / "outside").symlink_to("../elsewhere")
    (source / "itself").symlink_to("itself")
    assert transform(source, out, "--transform", "VN") == 0
    assert (out / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (out / "deep" / "Sample.java").stat().st_mode & 0o777 == 0o640
    assert (out / "deep" / "empty").is_dir()
    assert os.readlink(out / "link.java") == "deep/Sample.java"
    assert os.readlink(out / "loop") == "."
    assert os.readlink(out / "itself") == "itself"
    assert os.readlink(out / "outside") == str(tmp_path / "elsewhere")


def test_a_tree_in_random_place_has_one_site_a_method(source: Path, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        options = ("--transform", "UN", "--place", "random", "--seed", seed)
        assert transform(source, tmp_path / name, *options) == 0
    one, same, other = (files(tmp_path / name) for name in ("one", "same", "other"))
    assert one == same != other
    assert one["deep/Sample.java"].count(b"String var0 = ") == 2


def test_a_tree_tells_what_it_did(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert transform(source, tmp_path / "out", "--transform", "LX") == 0
    out, err = capsys.readouterr()
    assert not out
    assert "4 files, 2 of them changed; 4 outermost methods, 4 sites" in err.splitlines()[0]
    assert "copied as they are 2: syntax-error 2" in err


def test_a_single_file_is_a_tree_too(source: Path, tmp_path: Path) -> None:
    file = source / "deep" / "Sample.java"
    assert transform(file, tmp_path / "out", "--transform", "LX") == 0
    assert list(files(tmp_path / "out")) == ["Sample.java"]


@pytest.mark.parametrize("code", ["VN", "LX", "UN", "TC"])
def test_the_edits_of_a_list_give_the_files(code: str, source: Path, tmp_path: Path) -> None:
    options = ("--transform", code, "--place", "single", "--format", "files")
    assert transform(source, tmp_path / "out", *options) == 0
    found = lines(tmp_path / "out")
    assert found
    for number, line in enumerate(found, 1):
        folder = tmp_path / "out" / str(number)
        if "refused" in line:
            assert not folder.exists()
            continue
        before = Path(line["path"]).read_bytes()
        edits = [Edit(e["start"], e["end"], e["text"].encode()) for e in line["edits"]]
        assert files(folder) == {Path(line["path"]).name: apply(before, edits)}


def test_a_line_has_the_fields_that_the_design_names(source: Path, tmp_path: Path) -> None:
    file = source / "deep" / "Sample.java"
    options = ("--transform", "VN,PS", "--place", "single", "--format", "jsonl")
    assert transform(file, tmp_path / "out", *options) == 0
    found = lines(tmp_path / "out")
    first = next(line for line in found if line.get("name_map") == {"sum": "var0"})
    assert first == {
        "path": str(file),
        "method": "Sample.first",
        "line": 3,
        "transform": "VN",
        "place": "single",
        "sites": [1],
        "edits": first["edits"],
        "line_map": [[1, 2, 1], [4, 4, 4], [6, 6, 6], [8, 18, 8]],
        "name_map": {"sum": "var0"},
    }
    assert [e["text"] for e in first["edits"]] == ["var0"] * 3
    refused = [line for line in found if "refused" in line]
    for line in refused:
        assert set(line) == {"path", "method", "line", "transform", "refused"}


def test_a_swallowing_handler_says_so(source: Path, tmp_path: Path) -> None:
    file = source / "deep" / "Sample.java"
    for handler, marked in (("print", True), ("rethrow", False)):
        out = tmp_path / handler
        options = ("--transform", "TC", "--place", "single", "--format", "files")
        assert transform(file, out, *options, "--handler", handler) == 0
        variants = [line for line in lines(out) if "refused" not in line]
        assert variants
        assert all(("changes" in line) == marked for line in variants)
        text = (out / "1" / "Sample.java").read_bytes()
        assert (b"printStackTrace" in text) == marked


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--transform", "VN,LX"), "takes one transformation"),
        (("--transform", "VN", "--place", "single"), "in place all or random"),
        (("--transform", "PS"), "PS cannot be applied there"),
        (("--transform", "QQ"), "unknown transformation 'QQ'"),
    ],
)
def test_what_a_tree_cannot_be_is_one_line(
    options: tuple[str, ...],
    fault: str,
    source: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert transform(source, tmp_path / "out", *options) == 2
    assert fault in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("format", ["tree", "files", "jsonl"])
def test_a_folder_that_holds_something_is_left_alone(
    format: str, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = files(tmp_path)
    inside = source / "deep" / "out"
    for out, fault in (
        (source, "lies inside of"),
        (inside, "lies inside"),
        (tmp_path, "not empty"),
    ):
        assert transform(source, out, "--transform", "VN", "--format", format) == 2
        assert fault in capsys.readouterr().err
    assert files(tmp_path) == before


def test_a_path_without_java_is_a_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs").mkdir()
    options = ("--transform", "VN", "--format", "jsonl")
    assert transform(tmp_path / "docs", tmp_path / "out", *options) == 2
    assert "no Java there" in capsys.readouterr().err
    assert transform(tmp_path / "nowhere", tmp_path / "more", "--transform", "VN") == 2
