"""code2vec's official checkpoints: the answers of the authors' program."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import checkpoints
import numpy as np
import numpy.typing as npt
import pytest
from official import (
    PREFIX,
    RECORDED,
    bag,
    copied,
    dictionaries,
    official,
    recorded,
    tables,
    write_dictionaries,
)

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.models.contexts import Context
from metamorph.models.official_code2vec import Answer, OfficialCode2Vec


def answered(model: OfficialCode2Vec) -> list[Answer]:
    found = model.answers([bag(example) for example, _ in recorded()])
    return [answer for answer in found if answer is not None]


@pytest.fixture
def released(tmp_path: Path) -> Path:
    return copied(tmp_path)


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    out = tmp_path / "imported.safetensors"
    assert main(["models", "import", f"code2vec:{PREFIX}", "--out", str(out)]) == 0
    return out


def test_answers_are_those_of_the_official_program() -> None:
    answers = answered(official(PREFIX))
    assert len(answers) == len(RECORDED)
    for answer, expected in zip(answers, RECORDED, strict=True):
        names, chances = zip(*expected["predictions"], strict=True)
        assert answer.names == names
        np.testing.assert_allclose(answer.official, chances, atol=1e-6)
        np.testing.assert_allclose(answer.vector, expected["vector"], rtol=1e-4, atol=1e-6)


def test_the_unknown_name_is_left_out_of_some_of_the_lists() -> None:
    lengths = [len(answer["predictions"]) for answer in RECORDED]
    assert set(lengths) == {9, 10}


def test_scores_are_shares_of_all_names() -> None:
    model = official(PREFIX)
    weights = {name: table.astype(np.float64) for name, table in tables(PREFIX).items()}
    rows: list[dict[str, int]] = [dictionaries(PREFIX)[place] for place in (0, 3, 6)]
    asked = [example for example, _ in recorded()]
    for example, prediction in zip(asked, model.predict(asked), strict=True):
        expected = shares(bag(example), weights, *rows)
        assert dict(prediction.candidates) == pytest.approx(
            {name: expected[rows[1][name]] for name, _ in prediction.candidates}, rel=1e-4
        )
        assert (prediction.label, prediction.score) == prediction.candidates[0]


def shares(
    contexts: Sequence[Context],
    weights: Mapping[str, npt.NDArray[np.float64]],
    tokens: Mapping[str, int],
    names: Mapping[str, int],
    paths: Mapping[str, int],
) -> npt.NDArray[np.float64]:
    """The network once more, a context at a time, in double precision."""
    rows = [(tokens.get(a, 0), paths.get(p, 0), tokens.get(b, 0)) for a, p, b in contexts]
    words, between = weights["model/WORDS_VOCAB"], weights["model/PATHS_VOCAB"]
    hidden = np.array(
        [
            np.tanh(np.concatenate([words[a], between[p], words[b]]) @ weights["model/TRANSFORM"])
            for a, p, b in rows
            if a or p or b
        ]
    )
    attention = np.exp(hidden @ weights["model/ATTENTION"][:, 0])
    logits = weights["model/TARGET_WORDS_VOCAB"] @ (attention @ hidden / attention.sum())
    found: npt.NDArray[np.float64] = np.exp(logits) / np.exp(logits).sum()
    return found


def test_an_imported_checkpoint_answers_as_the_released_one(imported: Path) -> None:
    for one, other in zip(answered(official(PREFIX)), answered(official(imported)), strict=True):
        assert (one.names, one.chances, one.official) == (
            other.names,
            other.chances,
            other.official,
        )
        np.testing.assert_array_equal(one.vector, other.vector, strict=True)


def test_half_precision_changes_little(tmp_path: Path) -> None:
    out = tmp_path / "half.safetensors"
    command = ["models", "import", f"code2vec:{PREFIX}", "--precision", "float16"]
    assert main([*command, "--out", str(out)]) == 0
    for one, other in zip(answered(official(PREFIX)), answered(official(out)), strict=True):
        np.testing.assert_allclose(one.vector, other.vector, atol=5e-3)
        assert not np.array_equal(one.vector, other.vector)


def test_only_the_first_200_contexts_count_and_the_cut_is_told() -> None:
    model = official(PREFIX)
    example = next(one for one, _ in recorded() if len(bag(one)) == 200)
    first = bag(example)
    assert model.predict([example])[0].truncated
    whole, cut = model.answers([[*first, *reversed(first)], first])
    assert whole is not None
    assert cut is not None
    assert whole.chances == cut.chances
    short = next(one for one, _ in recorded() if len(bag(one)) < 200)
    assert not model.predict([short])[0].truncated


def test_a_method_without_a_known_context_has_no_answer(released: Path) -> None:
    known = recorded()[0][0]
    bags = [[], [("zyzzyva", "12", "zyzzyva")], bag(known)]
    assert [answer is None for answer in official(PREFIX).answers(bags)] == [True, True, False]
    found = dictionaries(released)
    for rows, words in ((0, 1), (6, 7)):
        found[rows] = {f"<{word}>": row for word, row in found[rows].items()}
        found[words] = {row: word for word, row in found[rows].items()}
    write_dictionaries(released, found)
    prediction = official(released).predict([known])[0]
    assert (prediction.label, prediction.score, prediction.error) == (None, None, "no_contexts")


def test_an_answer_does_not_depend_on_the_others_of_a_batch() -> None:
    model = official(PREFIX)
    asked = [example for example, _ in recorded()][:20]
    together = model.predict(asked * 2)
    alone = [model.predict([example])[0] for example in asked]
    assert together == alone * 2


def test_the_identity_tells_checkpoints_apart(released: Path, imported: Path) -> None:
    one = official(released).identity
    assert one == {**official(PREFIX).identity, "comments": "strip", "contexts": "200"}
    changed = tables(released)
    changed["model/ATTENTION"][0] += 1
    checkpoints.write_bundle(released, changed)
    others = (official(released).identity, official(imported).identity)
    assert len({one["sha256"], *(other["sha256"] for other in others)}) == 3


def test_unknown_ways_with_comments_are_refused() -> None:
    with pytest.raises(UserError, match="--comments none"):
        official(PREFIX, comments="none")
