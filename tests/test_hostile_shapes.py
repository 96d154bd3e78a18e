"""Java of hostile shapes, through the real commands: all is accounted for, nothing falls over."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hostile_shapes import GARBAGE, SHAPES
from studies import column, metamorph, study

SMALL = b"class Z { int f(int a) { int b = a; return b; } }\n"


@pytest.fixture
def corpus(folder: Path) -> Path:
    """Every shape a file, deep enough for what calls itself to overflow, and a plain file."""
    below = folder / "shapes"
    below.mkdir()
    for name, shape in SHAPES.items():
        (below / f"{name}.java").write_bytes(shape(60))
    for name, shape in GARBAGE.items():
        (below / f"{name}.java").write_bytes(shape(60))
    (below / "Z.java").write_bytes(SMALL)
    return below


def test_a_run_accounts_for_every_shape(corpus: Path, folder: Path) -> None:
    run = study("run", corpus, "--place", "random", transform="all")
    assert metamorph("report", run, "--format", "json", "--out", "r.json") == 0
    accounts = json.loads(Path("r.json").read_text())["accounting"]
    assert accounts["files"] == len(SHAPES) + len(GARBAGE) + 1
    assert accounts["files_unparsable"] == len(GARBAGE) - 1  # only `dimensions` parses
    assert accounts["variants"] == accounts["answered"] > 100
    assert not accounts.get("broken")


def test_contexts_of_every_shape_are_printed(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for style in ("code2vec", "code2seq"):
        assert metamorph("contexts", corpus, "--style", style, "--max-contexts", "200") == 0
        out, err = capsys.readouterr()
        assert len(out.splitlines()) > len(SHAPES)
        assert err.count("does not parse") == len(GARBAGE) - 1


@pytest.mark.parametrize("format", ["jsonl", "files", "tree"])
def test_every_shape_is_transformed(corpus: Path, folder: Path, format: str) -> None:
    options = ("--transform", "VN", "--place", "all", "--format", format, "--out", "out")
    assert metamorph("transform", corpus, *options) == 0
    assert len([*(folder / "out").iterdir()]) > len(SHAPES) - 5 or format == "jsonl"


def test_suites_and_duplicates_take_hostile_shapes(folder: Path) -> None:
    below = folder / "shapes"
    below.mkdir()
    for name in ("lambdas", "nested-switch", "long-name", "anonymous-classes", "unicode-escapes"):
        (below / f"{name}.java").write_bytes(SHAPES[name](60))
    (below / "open-generics.java").write_bytes(GARBAGE["open-generics"](60))
    options = ("--transform", "VN,UN", "--place", "random", "--out", "suite")
    assert metamorph("suite", "build", below, *options) == 0
    assert metamorph("suite", "verify", "suite") == 0
    for unit in ("file", "method"):
        assert metamorph("duplicates", "find", below, "--unit", unit) == 0


def test_garbage_that_takes_the_parser_for_ever_is_left_out_by_name(folder: Path) -> None:
    below = folder / "garbage"
    below.mkdir()
    names = ("dimensions", "open-generics", "shifts", "questions", "colons")
    for name in names:
        (below / f"{name}.java").write_bytes(GARBAGE[name](12_000))
    (below / "Z.java").write_bytes(SMALL)
    limit = ("--time-limit", "0.02")
    run = study("run", below, *limit)
    assert Counter(column(run, "files", "status")) == {"time-limit": len(names), "parsed": 1}
    assert metamorph("report", run, "--format", "json", "--out", "r.json") == 0
    accounts = json.loads(Path("r.json").read_text())["accounting"]
    assert accounts["files_unparsable"] == len(names)
    assert metamorph("contexts", below, "--style", "code2vec", *limit) == 0
    for format in ("jsonl", "tree"):
        options = ("--transform", "VN", "--format", format, "--out", format)
        assert metamorph("transform", below, *limit, *options) == 0
    assert (folder / "tree" / "shifts.java").read_bytes() == GARBAGE["shifts"](12_000)


@pytest.mark.parametrize(
    ("transform", "body", "reason"),
    [
        (
            "SF",
            "switch (a) { case 1: a = 2; break; default: a = 3; break; default: a = 4; }",
            "several-defaults",
        ),
        ("BX", "boolean b = {1, a}; if (b) a = 2;", "not-a-boolean"),
    ],
)
def test_what_parses_but_is_no_java_is_refused_by_name(
    folder: Path, transform: str, body: str, reason: str
) -> None:
    (folder / "A.java").write_text(f"class A {{ int f(int a) {{ {body} return a; }} }}")
    options = ("--transform", transform, "--format", "jsonl", "--out", "out")
    assert metamorph("transform", "A.java", *options) == 0
    [line] = (folder / "out" / "variants.jsonl").read_text().splitlines()
    assert json.loads(line)["refused"] == reason
