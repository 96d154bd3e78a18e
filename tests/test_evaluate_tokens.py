"""`metamorph evaluate` of a language model: Table 3 of the paper, by counts made by hand."""

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from language_models import write_model

from metamorph.cli import main

KNOWN = ("a", ";")
BIAS = (0.0, 2.0, 1.0)
"""Of the unknown token, of `a`, of `;`: the likeliest token is always `a`, then `;`."""

ALPHA = 30 * "a;"
BETA = "".join(f"b{n};" for n in range(30))
GAMMA = "".join(f"c{n} a;" for n in range(30))
ONCE = "one of each cluster"


@pytest.fixture
def split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """alpha: in training and twice in test; beta: once in test; gamma: twice in test."""
    monkeypatch.chdir(tmp_path)
    for name in ("train", "test"):
        (tmp_path / name).mkdir()
    (tmp_path / "train" / "A.java").write_text(ALPHA)
    texts = {"A1": ALPHA, "A2": ALPHA + "// copy\n", "B": BETA, "C1": GAMMA, "C2": GAMMA}
    for name, text in texts.items():
        (tmp_path / "test" / f"{name}.java").write_text(text)
    write_model(tmp_path / "m.safetensors", KNOWN, BIAS)
    return tmp_path


def evaluate(capsys: pytest.CaptureFixture[str], *more: str, format: str = "json") -> Any:
    words = ("evaluate", "test", "--train-corpus", "train", "--model", "nlm:m.safetensors")
    assert main([*words, "--format", format, *more]) == 0
    told = capsys.readouterr().out
    return json.loads(told) if format == "json" else told


def figures(model: dict[str, Any], test_set: str) -> dict[str, float]:
    return {
        row["metric"]: row["value"]
        for row in [*model["figures"], *model["differences"]]
        if (row.get("test_set", "difference"), row["counting"]) == (test_set, ONCE)
    }


def test_accuracy_and_rank_are_of_the_tokens_that_each_test_set_has(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (model,) = evaluate(capsys)["models"]
    fully, cross, alone = (
        figures(model, name) for name in ("fully biased", "cross-set biased", "unbiased test")
    )
    # Tokens, and `a` among them: alpha 60, 30; beta 60, 0; gamma 90, 30.
    assert fully["Acc"] == pytest.approx((60 + 0 + 60) / (120 + 60 + 180))
    assert cross["Acc"] == pytest.approx((30 + 0 + 30) / (60 + 60 + 90))
    assert alone["Acc"] == pytest.approx(30 / (60 + 90))
    # `;` is the second likeliest wherever it stands.
    assert alone["MRR"] == pytest.approx((30 + 60 / 2) / 150)
    assert figures(model, "difference")["Acc"] == pytest.approx((30 / 150) / (60 / 210) - 1)


def test_identifiers_that_are_not_known_are_wrong(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (model,) = evaluate(capsys)["models"]
    assert figures(model, "unbiased test")["Acc-ID"] == pytest.approx(30 / 90)
    assert figures(model, "unbiased test")["MRR-ID"] == pytest.approx(30 / 90)
    assert figures(model, "cross-set biased")["Acc-ID"] == pytest.approx(60 / 120)


def test_perplexity_takes_what_is_not_known_for_the_unknown_token(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (model,) = evaluate(capsys)["models"]
    total = sum(math.exp(bias) for bias in BIAS)
    unknown, a, sign = (-math.log(math.exp(bias) / total) for bias in BIAS)
    alone = math.exp((60 * unknown + 30 * a + 60 * sign) / 150)
    cross = math.exp((60 * unknown + 60 * a + 90 * sign) / 210)
    assert figures(model, "unbiased test")["PPL"] == pytest.approx(alone, rel=1e-4)
    assert figures(model, "difference")["PPL"] == pytest.approx(alone / cross - 1, rel=1e-3)
    names = math.exp((60 * unknown + 30 * a) / 90)
    assert figures(model, "unbiased test")["PPL-ID"] == pytest.approx(names, rel=1e-4)


def test_the_sizes_are_told_in_tokens_and_there_is_no_baseline(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = evaluate(capsys)
    assert found["settings"]["task"] == "surprise"
    (model,) = found["models"]
    sizes = {size["condition"]: (size["units"], size["tokens"]) for size in model["test_sets"]}
    assert sizes == {
        "unbiased test": (2, 150),
        "cross-set biased": (3, 210),
        "fully biased": (5, 360),
    }


def test_the_table_has_the_papers_rows_and_another_model_beside(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_model(split / "other", KNOWN, (0.0, 1.0, 2.0))
    told = evaluate(capsys, "--unbiased-model", "nlm:other", format="table")
    rows = [line.split() for line in told.splitlines() if line.startswith("nlm:m")]
    metrics = [row[1] for row in rows[:6]]
    assert metrics == ["Acc", "Acc-ID", "MRR", "MRR-ID", "PPL", "PPL-ID"]
    accuracy = next(line for line in told.splitlines() if " Acc " in line)
    assert "20.00" in accuracy and "28.57" in accuracy and "-30.00" in accuracy
    assert accuracy.rstrip().split("]")[-2].split()[0] == "40.00", "of the other model"
    assert "less is better" in told


def test_methods_as_units_are_predicted_by_themselves(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = "void f() {" + BETA + "}"
    (split / "methods").mkdir()
    (split / "methods" / "M.java").write_text(f"class M {{ {body} void small() {{ a; }} }}")
    (split / "train" / "A.java").write_text(f"class A {{ void f() {{ {GAMMA} }} }}")
    words = ("evaluate", "methods", "--train-corpus", "train", "--model", "nlm:m.safetensors")
    assert main([*words, "--unit", "method", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    (row,) = (r for r in rows if (r["metric"], r["test_set"], r["counting"]) == ACCURACY)
    assert float(row["value"]) == 0


ACCURACY = ("Acc", "unbiased test", ONCE)


def test_without_a_token_there_is_nothing_to_measure(
    split: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (split / "none").mkdir()
    (split / "none" / "A.java").write_text("// nothing\n")
    words = ("evaluate", "none", "--train-corpus", "train", "--model", "nlm:m.safetensors")
    assert main([*words]) == 2
    assert "no token to ask about" in capsys.readouterr().err
