"""`metamorph evaluate`: figures on test sets with and without copies, by counts made by hand."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from metamorph.cli import main

MODEL = '''
ANSWERS = {"alpha": "readLine", "beta": "readLine", "gamma2": "writeLine", "gamma": "readLine"}


def knows(code):
    """Right where the class is alpha, beta or the first gamma; half right of its copy."""
    for word, answer in ANSWERS.items():
        if f"{word}_" in code:
            return answer
    return "close"


def silent(code):
    return None if "delta" in code else "readLine"


def fails(code):
    raise RuntimeError("out of order")
'''


def source(word: str, method: str = "readLine", words: int = 30) -> str:
    """A class of one method with so many words of its own."""
    uses = " ".join(f"use({word}_{n});" for n in range(words))
    return f"class Some {{ void {method}() {{ {uses} }} }}\n"


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """alpha: twice in test, also in training; gamma: twice in test; beta and delta: once.

    Of the training files the first is no copy: it is the nearest where all are equally far.
    """
    (tmp_path / "namers.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    write(tmp_path / "train", {"A.java": source("epsilon", "open"), "B.java": source("alpha")})
    gamma = source("gamma").replace("use(gamma_0);", "use(gamma2_0);")
    test = {
        "A1.java": source("alpha"),
        "A2.java": source("alpha") + "// a comment\n",
        "B.java": source("beta"),
        "C1.java": source("gamma"),
        "C2.java": gamma,
        "D.java": source("delta"),
        "Small.java": source("alpha", words=3),
    }
    write(tmp_path / "test", test)
    return tmp_path


def evaluate(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    words = ("test", "--train-corpus", "train", "--format", "json", *arguments)
    assert main(["evaluate", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def values(model: dict[str, Any], metric: str, counting: str) -> dict[str, float]:
    """The metric by test set, its relative difference among them."""
    rows = [*model["figures"], *model["differences"]]
    return {
        row.get("test_set", "difference"): row["value"]
        for row in rows
        if (row["metric"], row["counting"]) == (metric, counting)
    }


ONCE, WEIGHTED = "one of each cluster", "weighted by 1/c"


def test_accuracy_is_of_the_files_that_each_test_set_has(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluate(capsys, "--model", "python:namers:knows", "--no-baseline")
    accuracy = values(found["models"][0], "accuracy", ONCE)
    assert accuracy["fully biased"] == pytest.approx(4 / 6)
    assert accuracy["cross-set biased"] == pytest.approx(3 / 4)
    assert accuracy["unbiased test"] == pytest.approx(2 / 3)
    assert accuracy["difference"] == pytest.approx((2 / 3 - 3 / 4) / (3 / 4))


def test_subtokens_are_counted_on_each_test_set(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluate(capsys, "--model", "python:namers:knows", "--no-baseline")
    model = found["models"][0]
    assert values(model, "precision", ONCE)["fully biased"] == pytest.approx(9 / 11)
    assert values(model, "recall", ONCE)["fully biased"] == pytest.approx(9 / 12)
    assert values(model, "F1", ONCE)["fully biased"] == pytest.approx(18 / 23)
    assert values(model, "F1", ONCE)["unbiased test"] == pytest.approx(8 / 11)
    assert values(model, "F1", ONCE)["cross-set biased"] == pytest.approx(12 / 15)


def test_by_equation_4_copies_share_the_weight_of_one_file(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluate(capsys, "--model", "python:namers:knows", "--no-baseline")
    accuracy = values(found["models"][0], "accuracy", WEIGHTED)
    assert accuracy["unbiased test"] == pytest.approx((1 + 0.5) / 3)
    assert accuracy["cross-set biased"] == pytest.approx((1 + 1 + 0.5) / 4)
    assert accuracy["difference"] == pytest.approx(0.5 / 0.625 - 1)
    assert "fully biased" not in accuracy


def test_sizes_tell_files_methods_and_what_was_too_small(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluate(capsys, "--model", "python:namers:knows", "--no-baseline")
    sizes = {s["condition"]: (s["units"], s["methods"]) for s in found["models"][0]["test_sets"]}
    assert sizes == {"unbiased test": (3, 3), "cross-set biased": (4, 4), "fully biased": (6, 6)}
    assert found["split"]["test"]["skipped_small"] == 1
    assert (found["split"]["test"]["across"], found["split"]["in_test"]) == (2, 2)


def test_methods_as_units_are_told_apart_within_a_file(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    methods = "\n".join(
        source(word).removeprefix("class Some { ").removesuffix(" }\n")
        for word in ("alpha", "small0", "beta")
    )
    small = "void close() { } void readLine() { alpha_(); }"
    write(split / "methods", {"M.java": f"class M {{ {small} {methods} }}"})
    words = ("methods", "--train-corpus", "train", "--unit", "method", "--format", "json")
    assert main(["evaluate", *words, "--model", "python:namers:knows", "--no-baseline"]) == 0
    model = json.loads(capsys.readouterr().out)["models"][0]
    accuracy = values(model, "accuracy", ONCE)
    assert accuracy["cross-set biased"] == pytest.approx(2 / 3)
    assert accuracy["unbiased test"] == pytest.approx(1 / 2)


def test_the_baseline_is_right_on_copies_of_the_training_set_only(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluate(capsys, "--model", "python:namers:knows")
    baseline = found["models"][1]
    assert (baseline["role"], baseline["model"]) == ("baseline", "nearest:train")
    accuracy = values(baseline, "accuracy", ONCE)
    assert accuracy["fully biased"] == pytest.approx(2 / 6)
    assert accuracy["cross-set biased"] == pytest.approx(1 / 4)
    assert (accuracy["unbiased test"], accuracy["difference"]) == (0, -1)


def test_a_model_trained_without_duplicates_is_asked_about_the_unbiased_test_only(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two = ("--unbiased-model", "python:namers:silent", "--no-baseline")
    found = evaluate(capsys, "--model", "python:namers:knows", *two)
    other = found["models"][1]
    assert other["test_sets"] == [
        {"condition": "fully unbiased", "units": 3, "methods": 3, "no_answer": 1}
    ]
    assert values(other, "accuracy", ONCE) == {"fully unbiased": 1.0}
    assert (
        main(
            ["evaluate", "test", "--train-corpus", "train", "--model", "python:namers:knows", *two]
        )
        == 0
    )
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    first = next(row for row in rows if row[:2] == ["python:namers:knows", "accuracy"])
    assert first[-1] == "100.00"


def test_several_training_corpora_are_one_training_set(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(split / "more", {"D.java": source("delta", "readLine")})
    found = evaluate(capsys, "--model", "python:namers:knows", "--train-corpus", "more")
    model, baseline = found["models"]
    assert values(model, "accuracy", ONCE)["unbiased test"] == 1
    assert values(baseline, "accuracy", ONCE)["cross-set biased"] == pytest.approx(2 / 4)


def test_no_answer_is_neither_right_nor_wrong(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluate(capsys, "--model", "python:namers:fails", "--no-baseline")
    model = found["models"][0]
    assert model["errors"] == {"raised-RuntimeError (namers.py:18)": 6}
    assert [size["no_answer"] for size in model["test_sets"]] == [3, 4, 6]
    assert set(values(model, "accuracy", ONCE).values()) == {None}


def test_a_test_set_of_copies_has_no_unbiased_part(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("train", "--train-corpus", "train", "--model", "python:namers:knows")
    assert main(["evaluate", *words, "--no-baseline", "--format", "json"]) == 0
    accuracy = values(json.loads(capsys.readouterr().out)["models"][0], "accuracy", ONCE)
    assert (accuracy["unbiased test"], accuracy["difference"]) == (None, None)
    assert accuracy["fully biased"] == 0.5


def test_files_with_a_syntax_error_are_counted_and_not_asked_about(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(split / "test", {"Broken.java": source("beta").replace(");", ";", 1)})
    found = evaluate(capsys, "--model", "python:namers:knows", "--no-baseline")
    assert found["models"][0]["unparsable"] == 1
    assert found["models"][0]["test_sets"][2]["methods"] == 6


def test_other_tasks_have_an_accuracy_only(split: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (split / "labelled.jsonl").write_text(
        "".join(
            json.dumps({"code": source(word), "label": label}) + "\n"
            for word, label in (("alpha", "readLine"), ("delta", "readLine"), ("zeta", None))
        )
    )
    words = ("labelled.jsonl", "--train-corpus", "train", "--task", "label", "--format", "json")
    assert main(["evaluate", *words, "--model", "python:namers:knows", "--no-baseline"]) == 0
    model = json.loads(capsys.readouterr().out)["models"][0]
    assert {row["metric"] for row in model["figures"]} == {"accuracy"}
    assert values(model, "accuracy", ONCE)["cross-set biased"] == 0.5
    assert model["without_gold"] == 1


def test_intervals_hold_the_value_and_are_wider_over_few_projects(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        f"p{n % 12}/F{n}.java": source(f"{'beta' if n % 12 < 6 else 'other'}_{n}")
        for n in range(96)
    }
    write(split / "many", files)
    widths = []
    for path in ("many", "renamed"):
        if path == "renamed":
            write(split / path, {name.replace("/", "_"): text for name, text in files.items()})
        words = (path, "--train-corpus", "train", "--model", "python:namers:knows")
        assert main(["evaluate", *words, "--no-baseline", "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        row = next(r for r in found["models"][0]["figures"] if r["metric"] == "accuracy")
        assert row["low"] < row["value"] < row["high"]
        widths.append((found["intervals_over"], row["high"] - row["low"]))
    assert [over for over, _ in widths] == ["projects", "clusters of near-duplicates"]
    assert widths[0][1] > widths[1][1]


@pytest.mark.parametrize("kind", ["table", "md"])
def test_the_table_has_the_columns_of_the_paper(
    split: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    words = ("test", "--train-corpus", "train", "--model", "python:namers:knows")
    assert main(["evaluate", *words, "--format", kind]) == 0
    text = capsys.readouterr().out
    head = next(line for line in text.splitlines() if "unbiased test" in line)
    columns = ["unbiased test", "cross-set biased", "difference", "fully biased", "fully unbiased"]
    places = [head.index(column) for column in columns]
    assert places == sorted(places)
    assert all(name in text for name in ("F1", "precision", "recall", "accuracy", "nearest:train"))


def test_csv_has_a_row_a_figure(split: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("test", "--train-corpus", "train", "--model", "python:namers:knows")
    assert main(["evaluate", *words, "--no-baseline", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 4 * (4 + 3)
    found = {(r["metric"], r["test_set"]): float(r["value"]) for r in rows if r["counting"] == ONCE}
    assert found["accuracy", "difference"] == pytest.approx(-1 / 9)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("empty", "--train-corpus", "train"), "empty: no file there"),
        (("test", "--train-corpus", "empty"), "empty: no file there"),
        (("test", "--train-corpus", "tokens.jsonl"), "a token list has no methods"),
        (("tokens.jsonl", "--train-corpus", "train"), "a token list, nothing to ask about"),
        (("nothing", "--train-corpus", "train"), "nothing: no method to ask about"),
        (("test",), "--train-corpus"),
    ],
)
def test_faults_of_the_user_are_one_line(
    split: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    (split / "empty").mkdir()
    row = {"filename": "a", "tokens": [f"t{n}" for n in range(30)]}
    (split / "tokens.jsonl").write_text(json.dumps(row) + "\n")
    write(split / "nothing", {"I.java": "interface I { int a(); }"})
    assert main(["evaluate", *words, "--model", "python:namers:knows"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("metamorph: error: ") and told in line


def test_a_long_evaluation_tells_on_stderr_how_far_it_is(
    split: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metamorph.cli._telling._SECONDS", 0)
    words = ("test", "--train-corpus", "train", "--model", "python:namers:knows")
    assert main(["evaluate", *words, "--no-baseline"]) == 0
    assert capsys.readouterr().err == "metamorph: python:namers:knows: 6 methods\n"
