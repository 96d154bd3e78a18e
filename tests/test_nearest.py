"""The baseline that only remembers."""

import io
import json
import random
import zipfile
from pathlib import Path

import pytest
from asked import examples

from metamorph.errors import UserError
from metamorph.models import Options, load
from metamorph.models.nearest import told_tokens
from metamorph.models.neighbours import Gathering, Neighbours
from metamorph.tasks import load as load_task

CORPUS = """
class Corpus {
    int sumOf(int[] values) { int sum = 0; for (int v : values) sum += v; return sum; }
    int productOf(int[] values) { int product = 1; for (int v : values) product *= v;
        return product; }
    String getName() { return name; }
    String name() { return name; }
    String title() { return name; }
}
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "Corpus.java").write_text(CORPUS)
    (tmp_path / "corpus" / "Broken.java").write_text("class Broken { int x( { }")
    return tmp_path / "corpus"


def brute(sets: list[set[bytes]], asked: set[bytes], count: int) -> list[tuple[int, float]]:
    """The nearest by comparing with every set."""
    found = [(len(s & asked) / len(s | asked), -n) for n, s in enumerate(sets) if s & asked]
    return [(-n, similarity) for similarity, n in sorted(found, reverse=True)[:count]]


def test_files_over_the_limits_are_not_remembered_and_counted(corpus: Path) -> None:
    whole = load(f"nearest:{corpus}")
    (corpus / "Angles.java").write_text("A<" * 9_000)
    less = load(f"nearest:{corpus}")
    assert less.identity["methods"] == whole.identity["methods"]
    assert less.identity["over_limit"] == "1"


@pytest.mark.parametrize("seed", range(6))
def test_the_search_finds_what_comparing_with_all_finds(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metamorph.models.neighbours._FEW", (0, 5, 40, 200, 800, 10**6)[seed])
    rng = random.Random(seed)
    words = [b"%d" % number for number in range(120)]
    weights = [1 / (1 + number) for number in range(120)]
    sets = [set(rng.choices(words, weights, k=rng.randint(1, 30))) for _ in range(400)]
    gathering = Gathering()
    for each in sets:
        gathering.add(each)
    neighbours = Neighbours(gathering.vocabulary, gathering.sets())
    for _ in range(60):
        asked = set(rng.choices([*words, b"unknown"], [*weights, 0.3], k=rng.randint(1, 30)))
        if rng.random() < 0.5:
            asked = set(rng.sample(sorted(rng.choice(sets)), 1)) | rng.choice(sets)
        count = rng.choice([1, 2, 7])
        assert neighbours.nearest(asked, count) == brute(sets, asked, count)


def test_a_known_method_is_recognised(corpus: Path) -> None:
    source = b"int f(int[] values) { int sum = 0; for (int v : values) sum += v; return sum; }"
    (answer,) = load(f"nearest:{corpus}").predict(examples(source))
    assert (answer.label, answer.score) == ("sum|of", 1.0)
    assert answer.candidates == (("sum|of", 1.0),)


def test_the_score_is_the_jaccard_similarity_of_identifiers_and_literals(corpus: Path) -> None:
    source = b"int g(int[] values) { int all = 0; for (int v : values) all += v; return all; }"
    (answer,) = load(f"nearest:{corpus}").predict(examples(source))
    assert answer.label == "sum|of"
    assert answer.score == len({"values", "0", "v"}) / len({"values", "0", "v", "sum", "all"})


def test_the_declared_name_does_not_count(corpus: Path) -> None:
    (example,) = examples(b"int productOf() { return productOf + 17; }")
    tokens = told_tokens(example.tree, example.node, load_task("method-name"))
    assert tokens == {b"productOf", b"17"}
    (example,) = examples(b"int productOf() { return 17; }")
    assert told_tokens(example.tree, example.node, load_task("method-name")) == {b"17"}
    assert told_tokens(example.tree, example.node, load_task("label")) == {b"17", b"productOf"}


def test_of_equally_near_methods_the_first_answers(corpus: Path) -> None:
    (answer,) = load(f"nearest:{corpus}").predict(examples(b"String f() { return name; }"))
    assert answer.label == "get|name"


def test_k_methods_vote_with_their_similarity(corpus: Path) -> None:
    (corpus / "More.java").write_text("class More { String name() { return name; } }")
    model = load(f"nearest:{corpus}", Options(extra={"k": 4}))
    (answer,) = model.predict(examples(b"String f() { return name; }"))
    assert answer.label == "name"
    assert answer.candidates == (("name", 0.5), ("get|name", 0.25), ("title", 0.25))


def test_a_method_like_no_other_has_no_answer(corpus: Path) -> None:
    found = load(f"nearest:{corpus}").predict(examples(b"void f() { } void g() { other(); }"))
    assert [answer.error for answer in found] == ["no-tokens", "no-neighbour"]


def test_a_corpus_may_be_an_archive_or_json_lines(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a/Corpus.java", CORPUS)
    (tmp_path / "c.zip").write_bytes(packed.getvalue())
    (tmp_path / "c.jsonl").write_text(json.dumps({"code": CORPUS}) + "\n")
    source = b"int f() { int product = 1; return product; }"
    labels = [
        load(f"nearest:{tmp_path / name}").predict(examples(source))[0].label
        for name in ("c.zip", "c.jsonl")
    ]
    assert labels == ["product|of"] * 2


def test_other_tasks_answer_with_the_labels_of_the_corpus(tmp_path: Path) -> None:
    rows = [
        {"code": "int f(int a) { return 1 / a; }", "label": "risky"},
        {"code": "int g(int a) { return 1 + a; } int h(int b) { return b; }", "label": "two"},
        {"code": "int g(int a) { return a; }"},
        {"code": "void f() { new X() { void g() { call(); } }; }", "label": 0},
    ]
    corpus = tmp_path / "c.jsonl"
    corpus.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    model = load(f"nearest:{corpus}", Options(task="label"))
    assert model.identity["methods"] == "2"
    asked = examples(b"int f(int a) { return 2 / a; } void f() { call(X); }")
    assert [answer.label for answer in model.predict(asked)] == ["risky", "0"]


def test_the_corpus_tells_one_model_from_another(corpus: Path) -> None:
    before = load(f"nearest:{corpus}").identity
    assert before == load(f"nearest:{corpus}").identity
    (corpus / "More.java").write_text("class More { int more() { return 3; } }")
    after = load(f"nearest:{corpus}").identity
    assert before["corpus"] != after["corpus"]


@pytest.mark.parametrize("k", [0, 1001, "3", 1.5, True])
def test_k_is_a_whole_number(corpus: Path, k: object) -> None:
    with pytest.raises(UserError, match="give a whole number from 1 to 1000"):
        load(f"nearest:{corpus}", Options(extra={"k": k}))


def test_a_corpus_without_methods_is_the_users_fault(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no method with an answer to method-name"):
        load(f"nearest:{tmp_path}")
    with pytest.raises(UserError, match="no such file or folder"):
        load(f"nearest:{tmp_path / 'nothing'}")
    with pytest.raises(UserError, match="names no corpus"):
        load("nearest:")
