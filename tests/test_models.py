"""The models that ship: loading by name, and numpy inference with small made-up weights."""

import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_models import JAVA, small_code2seq, small_code2vec, waves

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models import Example, UnknownModelError, load
from metamorph.models.code2seq import Code2Seq
from metamorph.models.code2vec import Code2Vec
from metamorph.models.numerics import attend, product, softmax
from metamorph.models.paths import PathEncoder
from metamorph.models.segments import MOST_WORDS, Segmenter
from metamorph.models.weights import (
    Table,
    quantised,
    read_weights,
    shipped,
)

KINDS = ("code2vec", "code2seq")


RECORDED: dict[str, list[tuple[str | None, float]]] = {
    "code2vec": [
        ("add|all", 0.3405),
        ("add|all", 0.3166),
        ("size", 0.2654),
        ("add|all", 0.2788),
        ("add|all", 0.3844),
    ],
    "code2seq": [
        ("size|add|add", 0.2295),
        (None, 0),
        ("size", 0.9456),
        ("size|size", 0.3706),
        ("add|add|add|add|add", 0.2922),
    ],
}
"""What the networks in PyTorch answer with the small weights below."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Code2Vec | Code2Seq]:
    """A small model of each kind, read back from its file."""
    folder = tmp_path_factory.mktemp("weights")
    vec = small_code2vec(folder / "small.code2vec.safetensors")
    seq = small_code2seq(folder / "small.code2seq.safetensors")
    return {
        "code2vec": Code2Vec(read_weights("code2vec", str(vec))),
        "code2seq": Code2Seq(read_weights("code2seq", str(seq))),
    }


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    """The methods of JAVA."""
    tree = parse(JAVA)
    found = methods(SourceFile("Basket.java", JAVA), tree)
    return [Example(f"m{method.index}", tree, method.node) for method in found]


def test_an_unknown_name_is_refused_in_one_line_that_lists_the_known() -> None:
    with pytest.raises(UnknownModelError, match=r"'code3vec'.*code2seq.*code2vec") as caught:
        load("code3vec")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_weights_file_is_the_users_fault(kind: str) -> None:
    with pytest.raises(UserError, match=r"nowhere\.safetensors: no such weights file"):
        load(f"{kind}:nowhere.safetensors")


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_holds_no_weights_is_the_users_fault(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    file.write_bytes(b"PK\x03\x04 no weights at all")
    with pytest.raises(UserError, match="not a weights file of metamorph"):
        load(f"{kind}:{file}")


def test_weights_of_another_kind_are_refused(tmp_path: Path) -> None:
    file = small_code2vec(tmp_path / "vec.safetensors")
    with pytest.raises(UserError, match="holds a code2vec model, not code2seq"):
        load(f"code2seq:{file}")


def test_loading_a_file_by_name_gives_the_model_in_it(tmp_path: Path) -> None:
    file = small_code2vec(tmp_path / "vec.safetensors")
    model = load(f"code2vec:{file}")
    assert model.name == f"code2vec:{file}"
    assert re.fullmatch("[0-9a-f]{64}", model.identity["sha256"])


def test_writing_the_same_weights_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = (small_code2seq(tmp_path / name) for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_the_right_answer_is_the_methods_subtokens(
    kind: str, small: dict[str, Code2Vec | Code2Seq]
) -> None:
    assert small[kind].label("getX2HTTPServer_v3") == "get|x|http|server|v"


@pytest.mark.parametrize("kind", KINDS)
def test_answers_do_not_depend_on_the_company_to_the_last_bit(
    kind: str, small: dict[str, Code2Vec | Code2Seq], examples: list[Example]
) -> None:
    together = small[kind].predict(examples)
    backwards = small[kind].predict([*reversed(examples), *examples * 20])[: len(examples)]
    alone = [answer for example in examples for answer in small[kind].predict([example])]
    assert together == alone == backwards[::-1]


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_batch_has_no_answers(kind: str, small: dict[str, Code2Vec | Code2Seq]) -> None:
    assert small[kind].predict([]) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_method_without_contexts_is_an_error_and_not_a_guess(
    kind: str, small: dict[str, Code2Vec | Code2Seq]
) -> None:
    full, none = small[kind].answer(["a", "b"], [[("items", "Nm0|Cal|Nm1", "i")], []])
    assert full.error != "no_contexts"
    assert (none.id, none.label, none.error, none.candidates) == ("b", None, "no_contexts", ())


def test_paths_forgotten_and_encoded_again_get_the_same_vector(tmp_path: Path) -> None:
    weights = read_weights("code2seq", str(small_code2seq(tmp_path / "seq")))
    forgetful, mindful = PathEncoder(weights, capacity=2), PathEncoder(weights)
    batches = (["Nm0|Cal|Nm1", "Bk"], ["Ret|Bk", "Nm0|Cal|Nm1", "Nm0|If", "Bk"], ["Bk", "Ret|Bk"])
    for paths in batches:
        assert np.array_equal(forgetful.encode(paths), mindful.encode(paths))
    assert len(forgetful._kept) == 2


def test_code2vec_has_no_answer_where_it_knows_no_part_of_any_context(
    small: dict[str, Code2Vec | Code2Seq],
) -> None:
    answer = small["code2vec"].answer(["a"], [[("zz", "17", "qq")]])[0]
    assert answer.error == "no_contexts"


def test_code2vec_ranks_every_name_with_its_probability(
    small: dict[str, Code2Vec | Code2Seq], examples: list[Example]
) -> None:
    for answer in small["code2vec"].predict(examples):
        chances = [chance for _, chance in answer.candidates]
        assert (answer.label, answer.score) == answer.candidates[0]
        assert chances == sorted(chances, reverse=True)
        assert math.isclose(sum(chances), 1, abs_tol=1e-5), "all four names are among the ten"


@pytest.mark.parametrize("kind", KINDS)
def test_made_up_weights_give_the_recorded_answers(
    kind: str, small: dict[str, Code2Vec | Code2Seq], examples: list[Example]
) -> None:
    answers = small[kind].predict(examples)
    assert [answer.label for answer in answers] == [label for label, _ in RECORDED[kind]]
    scores = [answer.score or 0 for answer in answers]
    assert scores == pytest.approx([score for _, score in RECORDED[kind]], abs=2e-4)


def test_products_of_a_row_are_the_same_wherever_it_stands() -> None:
    rows, matrix = waves(300, 37, 0.13), waves(37, 53, 0.17)
    whole = product(rows, matrix)
    assert np.allclose(whole, rows.astype(np.float64) @ matrix, atol=1e-4)
    for start in (0, 1, 63, 64, 200, 299):
        assert np.array_equal(product(rows[start:], matrix), whole[start:])


def test_attention_weights_each_groups_rows_by_its_own_scores() -> None:
    rows = np.array([[1, 0], [0, 1], [4, 4]], dtype=np.float32)
    scores = np.array([0, math.log(3), 50], dtype=np.float32)
    mixed = attend(scores, rows, np.array([0, 2]), np.array([2, 1]))
    assert np.allclose(mixed, [[0.25, 0.75], [4, 4]])


def test_softmax_stands_large_numbers() -> None:
    assert np.allclose(softmax(np.array([[1e4, 1e4, -1e4]], dtype=np.float32)), [[0.5, 0.5, 0]])


def test_quantised_rows_are_within_half_a_step_of_the_numbers() -> None:
    weights = waves(50, 16, 0.23, 3.0)
    weights[7] = 0
    tensors = quantised("t", weights)
    table = Table(tensors["t"], tensors["t.scale"])
    step = np.abs(weights).max(axis=1) / 127
    assert (np.abs(table.whole() - weights) <= step[:, None] * 0.5001 + 1e-7).all()
    assert np.array_equal(table.take(np.array([9, 3])), table.whole()[[9, 3]])


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("httpclient", ("http", "client")),
        ("gethttpclients", ("get", "http", "client")),
        ("client", ("client",)),
        ("zzclientzz", ("client",)),
        ("", ()),
        ("qqq", ()),
    ],
)
def test_tokens_split_into_the_likeliest_words(token: str, words: tuple[str, ...]) -> None:
    counts = {"http": 9, "client": 9, "get": 90, "c": 1, "li": 1, "ent": 1, "h": 1, "t": 1}
    assert Segmenter(counts).split(token) == words


def test_a_token_has_a_bounded_number_of_words() -> None:
    assert Segmenter({"ab": 1}).split("ab" * 30) == ("ab",) * MOST_WORDS


@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_model_answers_and_is_small_enough(kind: str, examples: list[Example]) -> None:
    model = load(kind)
    assert shipped(kind).stat().st_size <= 25_000_000
    answers = model.predict(examples)
    assert [answer.id for answer in answers] == [example.id for example in examples]
    named = [answer for answer in answers if answer.label]
    assert len(named) >= 4 and all(0 < (answer.score or 0) <= 1 for answer in named)


def test_the_shipped_models_load_where_there_is_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; from metamorph.models import load;"
        "print(load('code2vec').name, load('code2seq').name)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "code2vec code2seq\n"


@pytest.mark.parametrize("kind", KINDS)
def test_the_card_tells_the_hash_of_the_weights_that_ship(kind: str) -> None:
    card = shipped(kind).with_suffix(".md").read_text("utf-8")
    assert read_weights(kind, "").sha256 in card


def test_the_models_are_listed_with_their_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(line.split()[0] for line in lines)
    for kind in KINDS:
        listed = next(line for line in lines if line.startswith(kind))
        assert re.search(r"; shipped: F1 .* MB$", listed)


def test_showing_a_model_without_weights_is_the_users_fault(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["models", "show", "python"]) == 2
    assert "one of code2vec, code2seq" in capsys.readouterr().err
