"""The language model: its probabilities, what is not in its vocabulary, surprise as an answer."""

import csv
import io
import json
import math
import random
import re
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from language_models import model_in, write_model
from studies import metamorph, write_corpus

from metamorph.duplicates.lexing import in_order
from metamorph.errors import UserError
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models import Example, Options, load
from metamorph.models.language import LanguageModel, measures, sums
from metamorph.models.records import BadAnswerError, prediction
from metamorph.models.spelling import SYMBOLS, bits_of, table_of
from metamorph.models.weights import read_weights, shipped, write_weights
from metamorph.tasks import load as load_task

WORDS = ("(", ")", ";", "{", "}", "int", "return", "a", "b", "f")
CODE = b"int f(int a) { return a; }"


def chances(path: Path, before: Sequence[int]) -> list[float]:
    """The probability of each known token, by equation 3 of the paper, number for number."""
    weights = read_weights("nlm", str(path))
    inputs, outputs = weights.table("inputs").whole(), weights.table("outputs").whole()
    told = [float(x) for number in before for x in inputs[number]]
    hidden = weights.matrix("hidden")
    inner = [
        math.tanh(sum(told[i] * float(hidden[i, j]) for i in range(len(told))))
        for j in range(hidden.shape[1])
    ]
    powers = [
        math.exp(sum(x * float(y) for x, y in zip(inner, row, strict=True)) + float(bias))
        for row, bias in zip(outputs, weights.matrix("bias"), strict=True)
    ]
    return [power / sum(powers) for power in powers]


def examples(*codes: bytes) -> list[Example]:
    """The first method of each."""
    found = []
    for number, code in enumerate(codes):
        tree = parse(b"class A { " + code + b" }")
        method = next(iter(methods(SourceFile("A.java", tree.data), tree)))
        found.append(Example(str(number), tree, method.node))
    return found


def test_the_surprise_of_a_token_is_that_of_the_equation(tmp_path: Path) -> None:
    path = write_model(tmp_path / "nlm.safetensors", WORDS)
    scores = model_in(path).token_scores(CODE)
    tokens = [token.decode() for token in in_order(CODE)]
    numbers = [WORDS.index(token) + 2 for token in tokens]
    padded = [0, 0, *numbers]
    for at, number in enumerate(numbers):
        expected = chances(path, padded[at : at + 2])
        assert scores.bits[at] == pytest.approx(-math.log2(expected[number - 1]), abs=1e-4)
        better = sum(chance > expected[number - 1] for chance in expected)
        assert scores.ranks[at] == better + 1
    assert scores.known.all()
    assert [t for t, name in zip(tokens, scores.identifiers, strict=True) if name] == list("faa")


def test_what_is_not_known_is_never_right_and_as_likely_as_the_unknown_token(
    tmp_path: Path,
) -> None:
    bias = [5.0, *(0.0,) * len(WORDS)]
    scores = model_in(write_model(tmp_path / "m", WORDS, bias)).token_scores(b"zzz a zzz")
    assert scores.ranks.tolist() == [1, 2, 1]
    assert scores.known.tolist() == [False, True, False]
    found = measures(sums(scores))
    assert found["Acc"] == 0
    assert found["MRR"] == pytest.approx((1 / 2) / 3)
    total = math.exp(5) + len(WORDS)
    bits = (2 * math.log2(total / math.exp(5)) + math.log2(total)) / 3
    assert found["PPL"] == pytest.approx(2**bits, rel=1e-3)


def test_figures_of_identifiers_are_of_them_alone(tmp_path: Path) -> None:
    bias = [0.0, *(float(len(WORDS) - n) for n in range(len(WORDS)))]
    scores = model_in(write_model(tmp_path / "m", WORDS, bias)).token_scores(b"( a (")
    found = measures(sums(scores))
    assert found["Acc"] == pytest.approx(2 / 3) and found["Acc-ID"] == 0
    assert found["MRR"] == pytest.approx((2 + 1 / 8) / 3)
    assert found["MRR-ID"] == pytest.approx(1 / 8)
    assert found["PPL-ID"] > found["PPL"]


def test_no_tokens_at_all_are_no_fault(tmp_path: Path) -> None:
    scores = model_in(write_model(tmp_path / "m", WORDS)).token_scores(b"/* nothing */")
    assert len(scores) == 0
    assert measures(sums(scores))["tokens"] == 0


def test_an_answer_is_the_mean_of_the_methods_tokens(tmp_path: Path) -> None:
    model = model_in(write_model(tmp_path / "m", WORDS))
    (answer,) = model.predict(examples(CODE))
    assert answer.score == pytest.approx(model.token_scores(CODE).bits.mean())
    assert float(answer.label or "") == pytest.approx(answer.score or 0, abs=1e-6)


def test_an_answer_does_not_depend_on_what_else_is_asked(tmp_path: Path) -> None:
    model = model_in(write_model(tmp_path / "m", WORDS, context=6, size=16))
    several = examples(CODE, b"int b() { return f(a); }", b"void f() { }", CODE * 1)
    together = [answer.score for answer in model.predict(several)]
    assert together == [model.predict([one])[0].score for one in several]


def test_white_space_and_comments_are_no_surprise(tmp_path: Path) -> None:
    model = model_in(write_model(tmp_path / "m", WORDS))
    plain, spaced = model.predict(examples(CODE, b"int f(\n int a) {/* a */ return a;\n}"))
    assert plain.score == spaced.score


def test_a_name_that_is_not_known_costs_its_spelling_too(tmp_path: Path) -> None:
    names = (b"count", b"counter", b"county")
    path = write_model(tmp_path / "m", WORDS, (0.0,) * (len(WORDS) + 1), names=names)
    common, rare, literal = model_in(path).predict(
        examples(
            b"int f() { return count; }", b"int f() { return xqzwk; }", b"int f() { return 77; }"
        )
    )
    table = table_of(names)
    for answer, spelling in ((common, b"count"), (rare, b"xqzwk")):
        gained = 9 * ((answer.score or 0) - (literal.score or 0))
        assert gained == pytest.approx(bits_of(table, spelling), abs=1e-5)
    assert (common.score or 0) < (rare.score or 0)


def test_after_each_symbol_the_chances_of_all_symbols_are_one_in_all() -> None:
    table = table_of([b"abc", "ä$".encode()])
    assert table.shape == (SYMBOLS, SYMBOLS)
    assert np.exp2(-table.astype(np.float64)).sum(axis=1) == pytest.approx(1, abs=1e-2)
    after_a = table[0 + 26]
    assert after_a.argmin() == 1 + 26, "b, the only one that was seen there"
    assert bits_of(table, b"abc") < bits_of(table, b"acb")


def test_only_surprise_is_asked_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_model(tmp_path / "m", WORDS)
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "src", 1)
    words = ("run", "src", "--model", f"nlm:{path}", "--transform", "VN", "--out", "out")
    assert metamorph(*words, "--task", "text") == 2
    assert "--task surprise alone" in capsys.readouterr().err
    with pytest.raises(UserError, match="--task surprise"):
        load(f"nlm:{path}", Options())


@pytest.mark.parametrize(
    "damage", ["letters", "inputs.scale", "outputs", "token_list", "hidden", "context"]
)
def test_weights_that_do_not_go_together_are_refused(damage: str, tmp_path: Path) -> None:
    whole = read_weights("nlm", str(write_model(tmp_path / "m", WORDS)))
    tensors, facts = dict(whole.tensors), dict(whole.facts)
    if damage == "context":
        facts["context"] = 3
    elif damage in ("letters", "token_list"):
        del tensors[damage]
    else:
        tensors[damage] = tensors[damage][:-1]
    write_weights(tmp_path / "damaged", tensors, facts)
    with pytest.raises(UserError, match="damaged"):
        load(f"nlm:{tmp_path / 'damaged'}", Options(task="surprise"))


@pytest.mark.parametrize(
    ("record", "label"),
    [
        ({"label": 6.5}, "6.5"),
        ({"label": " 6.50 "}, "6.5"),
        ({"score": 7}, "7"),
        ({"label": "8", "score": 2}, "8"),
    ],
)
def test_other_models_tell_a_number_as_text_as_a_number_or_as_their_score(
    record: dict[str, object], label: str
) -> None:
    assert prediction("1", record, load_task("surprise")).label == label


@pytest.mark.parametrize("record", [{"label": "much"}, {"label": True}, {"label": [1]}, {}])
def test_what_is_no_number_is_no_answer_to_a_task_that_asks_for_one(
    record: dict[str, object],
) -> None:
    try:
        assert prediction("1", record, load_task("number")).label is None
    except BadAnswerError as error:
        assert "label is no text" in str(error)


def test_a_callable_that_answers_with_a_number_is_a_model_of_surprise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lengths_for_tests.py").write_text("def bits(code):\n    return len(code) / 100\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    write_corpus(tmp_path / "src", 2)
    words = ("--model", "python:lengths_for_tests:bits", "--task", "surprise")
    assert metamorph("run", "src", *words, "--transform", "VN", "--out", "out") == 0
    (moves,) = json.loads(report(tmp_path / "out", "json", capsys))["moves"]
    assert moves["score_change"] < 0, "var0 is shorter than the names"
    assert moves["untouched_change"] is None


def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m", WORDS)
    with pytest.raises(UserError, match="holds a nlm model, not code2vec"):
        load(f"code2vec:{path}")


def test_the_shipped_model_is_small_and_its_card_tells_its_hash() -> None:
    assert shipped("nlm").stat().st_size <= 3_000_000
    card = shipped("nlm").with_suffix(".md").read_text("utf-8")
    assert read_weights("nlm", "").sha256 in card
    assert "--split SPLIT" in card and "Apache-2.0" in card


def test_java_surprises_the_shipped_model_less_than_the_same_tokens_in_another_order() -> None:
    model = load("nlm", Options(task="surprise"))
    sample = Path(__file__).parent.parent / "fixtures" / "corpus" / "sample"
    for path in sorted(sample.rglob("*.java"))[:3]:
        tokens = in_order(path.read_bytes())
        shuffled = random.Random(0).sample(tokens, len(tokens))
        assert isinstance(model, LanguageModel)
        plain, mixed = (model.token_scores(b" ".join(each)) for each in (tokens, shuffled))
        assert plain.bits.mean() < 5 < 8 < mixed.bits.mean()
        assert (plain.ranks == 1).mean() > 0.3


def test_the_shipped_model_needs_no_torch_and_is_listed() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; from metamorph.cli import main;"
        "main(['models', 'list']); main(['run', '--model', 'nlm', '--transform', 'LX',"
        "'--limit', '3', '--dry-run'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("nlm"))
    assert re.search(r"; shipped: PPL test [\d.]+, valid [\d.]+, [\d.]+ MB$", line)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a language model over a few classes, with controls."""
    folder = tmp_path_factory.mktemp("surprise")
    words = ("(", ")", ";", "{", "}", "int", "return", "+", "=", "<", ",", "-", "for", "if", ">")
    path = write_model(folder / "m", words, context=3, size=8)
    sample = Path(__file__).parent.parent / "fixtures" / "corpus" / "sample"
    command = (
        "run",
        sample / "time",
        sample / "shop" / "Money.java",
        "--model",
        f"nlm:{path}",
        "--transform",
        "VN,LX",
    )
    assert metamorph(*command, "--controls", "--out", folder / "run") == 0
    return folder / "run"


def report(run: Path, format: str, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert metamorph("report", run, "--format", format) == 0
    return capsys.readouterr().out


def differences(run: Path, transform: str) -> list[float]:
    """After less before, variant by variant."""
    query = (
        "SELECT v.score - m.score FROM variants v JOIN methods m USING (file, method) "
        "WHERE v.transform = ?"
    )
    connection = sqlite3.connect(run / "results.sqlite")
    try:
        return [difference for (difference,) in connection.execute(query, (transform,))]
    finally:
        connection.close()


def test_a_change_is_a_difference_above_the_threshold(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = json.loads(report(run, "json", capsys))
    assert (found["task"], found["accounting"]["without_gold"]) == (
        "surprise",
        found["accounting"]["variants"],
    )
    for row in found["tally"]:
        gone = [abs(each) > 0.1 for each in differences(run, row["transform"])]
        assert (row["changed"], row["judged"]) == (sum(gone), len(gone))
        assert row["without_gold"] == {"same": gone.count(False), "changed": gone.count(True)}
        if row["control"]:
            assert row["changed"] == 0 and row["judged"]


def test_the_mean_difference_is_told_with_its_interval_in_every_format(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moves = {m["transform"]: m for m in json.loads(report(run, "json", capsys))["moves"]}
    gained = differences(run, "VN")
    assert moves["VN"]["score_change"] == pytest.approx(sum(gained) / len(gained), abs=1e-5)
    assert moves["VN"]["ci_low"] < moves["VN"]["score_change"] < moves["VN"]["ci_high"]
    assert (moves["identity"]["score_change"], moves["identity"]["ci_low"]) == (0, None)
    change = f"{moves['VN']['score_change']:.3f}"
    for format in ("table", "md", "latex", "html"):
        told = report(run, format, capsys)
        assert "in bits a token" in told
        assert change in told.replace("\\-", "-").replace("−", "-")
    rows = list(csv.DictReader(io.StringIO(report(run, "csv", capsys))))
    (row,) = (r for r in rows if (r["level"], r["transform"], r["group"]) == SCORE_CHANGE)
    assert float(row["rate"]) == pytest.approx(moves["VN"]["score_change"])
    assert float(row["low"]) == pytest.approx(moves["VN"]["ci_low"])


SCORE_CHANGE = ("score", "VN", "change")
