"""Names and answers that would steer a terminal, a spreadsheet or a page."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest
from studies import metamorph

from metamorph.training.corpus import java_files

ESCAPE = "\x1b[2J\x1b]0;owned\x07"
NAMES = (
    f"A{ESCAPE}.java",
    "two\nlines.java",
    "=cmd|' C calc'!A0.java",
    "<script>alert(1)<!--.java",
    "[red]x[bold] [].java",
    "{\\input{x}}$&%#_.java",
    "\u202eavaj.java",
)
ANSWERS = """
ANSWERS = {answers!r}


def answer(code):
    return ANSWERS[len(code) % len(ANSWERS)]


def raising(code):
    raise ValueError("\\x1b[31m" + code)
"""
LABELS = (
    ESCAPE,
    "=1+1",
    "]]>",
    "</script>",
    "[/]",
    "%s{0}\\end{document}",
    "x" * 1_000_000,
    "\ud800",
    "a\nb\r\nc",
    "",
)


@pytest.fixture
def corpus(folder: Path) -> Path:
    """Files of hostile names, bytes that are no text among them."""
    (folder / "hostile_models.py").write_text(ANSWERS.format(answers=LABELS))
    below = folder / "src"
    below.mkdir()
    names = [os.fsencode(name) for name in NAMES] + [b"\xff\xfe.java"]
    for number, name in enumerate(names):
        text = b"class A { int f%d(int a) { int b = a; int c = a; int d = a; return b; } }" % number
        (below / os.fsdecode(name)).write_bytes(text)
        (below / (os.fsdecode(name) + "x.java")).write_bytes(b"class {")
    return below


def is_harmless(text: str) -> bool:
    return "\x1b" not in text and "\x07" not in text and "\u202e" not in text


FORMATS = ("table", "json", "csv", "md", "latex", "html", "junit")


@pytest.mark.parametrize("model", ["answer", "raising"])
def test_no_report_passes_on_what_steers(
    corpus: Path, folder: Path, capsys: pytest.CaptureFixture[str], model: str
) -> None:
    options = ("--model", f"python:hostile_models:{model}", "--transform", "VN", "--out", "run")
    assert metamorph("run", corpus, *options) in (0, 3)
    said = capsys.readouterr()
    assert is_harmless(said.out)
    assert is_harmless(said.err)
    for format in FORMATS:
        out = folder / f"report.{format}"
        assert metamorph("report", "run", "--format", format, "--out", out) == 0
        assert is_harmless(out.read_text(encoding="utf-8", errors="surrogateescape")), format
        assert out.stat().st_size < 20_000_000
    json.loads((folder / "report.json").read_text())
    page = (folder / "report.html").read_text(errors="surrogateescape")
    assert "<script>alert" not in page
    with open(folder / "report.csv", newline="", errors="surrogateescape") as stream:
        cells = [cell for row in csv.reader(stream) for cell in row]
    assert not [cell for cell in cells if cell[:1] in ("=", "@", "+") or cell[:2] == "-1 "]


def test_what_is_told_stays_in_its_line(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert metamorph("contexts", corpus, "--style", "code2vec") == 0
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("metamorph: ") for line in lines)
    assert all(map(is_harmless, lines))
    assert metamorph("run", corpus / f"none{ESCAPE}\nx", "--model", "code2vec") == 2
    [line] = capsys.readouterr().err.splitlines()
    assert is_harmless(line)


def test_trees_of_hostile_names_keep_them(corpus: Path, folder: Path) -> None:
    assert metamorph("transform", corpus, "--transform", "VN", "--out", "tree") == 0
    copied = {os.fsencode(path.name) for path in (folder / "tree").iterdir()}
    assert copied == {os.fsencode(path.name) for path in corpus.iterdir()}
    options = ("--transform", "VN", "--format", "files", "--out", "files")
    assert metamorph("transform", corpus, *options) == 0
    assert metamorph("suite", "build", corpus, "--transform", "VN", "--out", "suite") == 0
    assert metamorph("suite", "verify", "suite") == 0


def test_folders_deeper_than_paths_can_tell_are_one_line_and_leave_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    top = folder / "src"
    top.mkdir()
    monkeypatch.chdir(top)
    for _ in range(1030):
        os.mkdir("ddd")
        os.chdir("ddd")
    Path("A.java").write_text("class A { int f(int a) { int b = a; return b; } }")
    monkeypatch.chdir(folder)
    assert metamorph("contexts", "src", "--style", "code2vec") == 2
    assert "unreadable" in capsys.readouterr().err
    assert java_files(top) == []
    before = {*folder.iterdir()}
    assert metamorph("transform", "src", "--transform", "VN", "--out", "tree") == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.endswith("nothing was written there")
    assert {*folder.iterdir()} == before
    subprocess.run(["rm", "-r", top], check=True)
