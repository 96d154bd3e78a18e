"""CodRep: the line that a model points at must move with the code."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from codrep_tasks import INSERTED, PROGRAM, SOLUTION, write_dataset
from studies import metamorph as cli

from metamorph.codrep.changes import Left, Wanted, changes, parsed
from metamorph.codrep.kinds import kind_of_line
from metamorph.codrep.reading import Question
from metamorph.java.tree import parse
from metamorph.oracles.equivariance import (
    FOLLOWS,
    NEW_LINE,
    REWRITTEN,
    SILENT,
    WRONG_LINE,
    Pointing,
)

ALWAYS = """\
import os, sys
for name in sorted(os.listdir(sys.argv[1])):
    print(name, {answer})
"""


def predictor(folder: Path, answer: str) -> str:
    """A command that gives this answer to everything."""
    script = folder / "always.py"
    script.write_text(ALWAYS.replace("{answer}", answer))
    return f"command:{sys.executable} {script} {{tasks}}"


def results(
    capsys: pytest.CaptureFixture[str], dataset: Path, *options: object
) -> list[dict[str, Any]]:
    assert cli("codrep", "run", "-d", dataset, "--format", "json", *options) == 0
    found = json.loads(capsys.readouterr().out)
    predictors: list[dict[str, Any]] = found["predictors"]
    return predictors


@pytest.mark.parametrize(
    ("before", "after", "images", "verdict"),
    [
        (3, 4, {4}, FOLLOWS),
        (3, 5, {4, 5}, FOLLOWS),
        (3, 3, {4}, WRONG_LINE),
        (3, 9, {4}, NEW_LINE),
        (None, 4, set(), SILENT),
        (3, None, {4}, SILENT),
        (3, 4, set(), REWRITTEN),
    ],
)
def test_an_answer_is_judged_through_the_lines_images(
    before: int | None, after: int | None, images: set[int], verdict: str
) -> None:
    pointing = Pointing(before, after, images, frozenset(range(1, 8)))
    assert pointing.verdict == verdict
    assert pointing.violates == (verdict in (WRONG_LINE, NEW_LINE))


def test_a_predictor_that_points_at_the_text_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = write_dataset(tmp_path, (PROGRAM, SOLUTION))
    for found in results(capsys, dataset, "--per-task", 0, "--place", "single"):
        assert found["all"]["violation_rate"] == 0
        assert found["all"]["follows"] == found["all"]["variants"] > 5
        assert found["by_before"][0]["before"] == "correct"
        assert found["by_kind"][0]["kind"] == "body"
        assert found["accounting"]["recall"] == 1


def test_a_predictor_that_always_says_one_points_at_a_new_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    programs = [b"int f%d() {\n  return 1;\n}\n" % n for n in range(40)]
    dataset = write_dataset(tmp_path / "d", *((program, 2) for program in programs))
    name = predictor(tmp_path, "1")
    options = ("--transform", "blank-line", "--predictor", name)
    (found,) = results(capsys, dataset, *options)
    row = found["all"]
    assert row["loss_before"] == pytest.approx(0.76159, abs=1e-5)
    assert (row["wrong-line"], row["silent"]) == (0, 0)
    # The blank line comes first in one of four places.
    assert 1 <= row["new-line"] <= 20
    assert row["follows"] + row["new-line"] == 40


def test_the_relation_needs_no_solution(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dataset = write_dataset(tmp_path, (PROGRAM, None))
    found = results(capsys, dataset, "--predictor", "edits", "--transform", "VN,comment")[0]
    assert found["all"]["judged"] == 2
    assert found["all"]["loss_before"] is None
    assert found["by_before"][0]["before"] == "unknown"
    assert found["accounting"]["without_solution"] == 1


def _inserted(line: int | None, inserted: bytes = INSERTED, place: str = "single") -> set[bytes]:
    asked = Question(inserted, PROGRAM)
    tree = parsed(asked)
    assert tree is not None
    wanted = Wanted((("VN", place),), (), place, per_task=0)
    return {c.question.inserted for c in changes(asked, tree, line, wanted, Left())}


def test_renames_are_applied_in_the_inserted_line_where_it_is_to_stand() -> None:
    assert _inserted(SOLUTION) == {
        INSERTED,
        b"if (var0.get(i).length() >= least) {",
        b"if (names.get(i).length() >= var0) {",
        b"if (names.get(var0).length() >= least) {",
    }
    assert _inserted(3) == {INSERTED}
    assert _inserted(None) == {INSERTED}


def test_a_rename_stays_within_the_scope_of_its_variable() -> None:
    assert b"i = 1;" in _inserted(12, b"i = 1;")
    assert _inserted(12, b"i = 1;") == {b"i = 1;"}


def test_what_only_looks_like_the_name_stays() -> None:
    line = b'x.least(this.least, "least", least(1), least); // least'
    renamed = b'x.least(this.least, "least", least(1), var0); // least'
    assert _inserted(SOLUTION, line) == {line, renamed}


def test_all_names_at_once_are_renamed_at_once() -> None:
    (found,) = _inserted(SOLUTION, place="all")
    assert b"names" not in found
    assert b"least" not in found
    assert b"(i)" not in found


def test_variants_that_edit_the_line_can_be_spared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = write_dataset(tmp_path, (PROGRAM, SOLUTION))
    options = ("--transform", "VN", "--place", "single", "--per-task", 0, "--predictor", "edits")
    whole = results(capsys, dataset, *options)[0]
    spared = results(capsys, dataset, *options, "--spare")[0]
    left = spared["accounting"]["left"]["VN"]["touches-the-line"]
    assert whole["all"]["variants"] == spared["all"]["variants"] + left
    assert left == 3


def test_everything_is_accounted_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    artefact = PROGRAM + b" No newline at end of file"
    tasks = [(PROGRAM, SOLUTION), (b"class {", 1), (b"", 1), (PROGRAM, 99), (artefact, SOLUTION)]
    dataset = write_dataset(tmp_path / "d", *tasks)
    name = predictor(tmp_path, "0 if name == '1.txt' else 4")
    found = results(capsys, dataset, "--transform", "TC,identity", "--predictor", name)[0]
    account = found["accounting"]
    assert (account["tasks"], account["bad_tasks"]) == (5, {"no program": 1})
    assert (account["unparsable"], account["without_solution"]) == (1, 1)
    assert account["variants"] == found["all"]["variants"] == 6
    # "class {" has one line, so 4 is none of its.
    assert account["faults"] == {"before: out-of-range": 2, "after: out-of-range": 1}
    assert account["silent_before"] == 2
    assert found["all"]["silent"] == 3 - 1


def test_line_ends_and_encodings_of_any_kind_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = PROGRAM.replace(b"\n", b"\r\n").replace(b"Counts", b"Z\xe4hlt")
    dataset = write_dataset(tmp_path, (program, SOLUTION), inserted=INSERTED + b"\r")
    (dataset / "Tasks" / "1.txt").write_bytes(INSERTED + b"\r\n\r\n" + program)
    for found in results(capsys, dataset):
        assert found["all"]["follows"] == found["all"]["variants"] > 5


def test_outcomes_can_be_read_line_by_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = write_dataset(tmp_path, (PROGRAM, SOLUTION))
    out = tmp_path / "outcomes.jsonl"
    options = ("--transform", "comment", "--predictor", "edits", "--outcomes", out)
    results(capsys, dataset, *options)
    (row,) = [json.loads(line) for line in out.read_text().splitlines()]
    assert row["verdict"] == FOLLOWS
    assert row["text_before"] == row["text_after"] == row["text_expected"][0]
    assert row["edits"][0][2].strip() == "// metamorph"


def test_the_same_seed_gives_the_same_outcomes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for number, seed in enumerate((1, 1, 2)):
        dataset = write_dataset(tmp_path / str(number), (PROGRAM, SOLUTION))
        out = tmp_path / f"{number}.jsonl"
        results(capsys, dataset, "--seed", seed, "--outcomes", out, "--predictor", "edits")
        texts.append(out.read_text().replace(f'"dataset": "{number}"', ""))
    assert texts[0] == texts[1] != texts[2]


def test_a_gate_fails_when_the_line_does_not_follow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = write_dataset(tmp_path / "d", (PROGRAM, SOLUTION))
    name = predictor(tmp_path, "open(os.path.join(sys.argv[1], name)).read().count(';')")
    options = ("-d", dataset, "--predictor", name, "--transform", "UN")
    assert cli("codrep", "run", *options) == 0
    assert cli("codrep", "run", *options, "--fail-on-violation", "0.5") == 1
    assert "wrong-line" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--transform", "QQ"), "to move lines comment, blank-line, imports"),
        (("--transform", "PS", "--place", "all"), "PS"),
        (("--per-task", "-1"), "not a number from 0 up"),
        (("--fail-on-violation", "2"), "not a share"),
        (("--time-limit", "0"), "not a time"),
    ],
)
def test_a_fault_of_the_user_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], fault: str
) -> None:
    dataset = write_dataset(tmp_path, (PROGRAM, SOLUTION))
    assert cli("codrep", "run", "-d", dataset, *options) == 2
    assert fault in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "kind"),
    [(1, "package"), (3, "import"), (6, "comment"), (7, "type"), (8, "field"), (10, "header"),
     (11, "body"), (18, "body"), (2, "other"), (99, "other")],
)  # fmt: skip
def test_lines_have_kinds(line: int, kind: str) -> None:
    assert kind_of_line(parse(PROGRAM), line) == kind


def test_it_does_not_matter_how_many_variants_are_asked_about_at_a_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = write_dataset(tmp_path, (PROGRAM, SOLUTION), (PROGRAM, 11), (PROGRAM, None))
    whole = results(capsys, dataset)
    monkeypatch.setattr("metamorph.codrep.relation._MOST", 3)
    monkeypatch.setattr("metamorph.codrep.relation._BATCH", 2)
    assert results(capsys, dataset) == whole
