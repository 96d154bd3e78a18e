"""code2seq's official checkpoints: the answers of the authors' program."""

import itertools
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import checkpoints
import numpy as np
import pytest
from official import FIXTURES, with_bodies

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.java.tree import parse
from metamorph.models import Example, Options, load
from metamorph.models.contexts import Context, extract
from metamorph.models.official_code2seq import OfficialCode2Seq, official_label
from metamorph.models.tensor_bundle import read_bundle

RELEASED = FIXTURES / "official" / "code2seq"
STACKED = RELEASED / "stacked"
"""One LSTM over paths, from left to right alone, and two layers in the decoder."""


def official(rest: Path | str, **options: Any) -> OfficialCode2Seq:
    model = load(f"code2seq:{rest}", Options(**options))
    assert isinstance(model, OfficialCode2Seq)
    return model


def bag(example: Example) -> list[Context]:
    return extract(example.tree, example.node, "code2seq", 200).contexts


def examples(file: str) -> list[Example]:
    tree = parse((FIXTURES / "corpus" / "sample" / file).read_bytes())
    found = [Example(f"{file}:{node}", tree, node) for node in with_bodies(tree)]
    return [example for example in found if bag(example)]


def recorded(folder: Path) -> list[tuple[Example, Mapping[str, Any]]]:
    lines = (folder / "answers.jsonl").read_text().splitlines()
    pairs: list[tuple[Example, Mapping[str, Any]]] = []
    for file, answers in itertools.groupby(map(json.loads, lines), lambda each: each["file"]):
        pairs += zip(examples(file), answers, strict=True)
    return pairs


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    out = tmp_path / "imported.safetensors"
    assert main(["models", "import", f"code2seq:{RELEASED}", "--out", str(out)]) == 0
    return out


@pytest.mark.parametrize("folder", [RELEASED, STACKED])
def test_greedy_names_and_their_steps_are_those_of_the_official_program(folder: Path) -> None:
    pairs = recorded(folder)
    names = official(folder).names([bag(example) for example, _ in pairs])
    assert len({name.parts for (name,) in names}) > 5
    for (name,), (_, expected) in zip(names, pairs, strict=True):
        assert [*name.parts] == expected["greedy"]
        np.testing.assert_allclose(name.steps, expected["steps"], atol=1e-5)
        assert name.score == pytest.approx(np.prod(expected["steps"]), abs=1e-5)


@pytest.mark.parametrize("folder", [RELEASED, STACKED])
def test_beams_and_their_scores_are_those_of_the_official_program(folder: Path) -> None:
    pairs = recorded(folder)
    names = official(folder, beam=3).names([bag(example) for example, _ in pairs])
    for found, (_, expected) in zip(names, pairs, strict=True):
        assert [[*name.parts] for name in found] == expected["beams"]
        scores = [name.official_score for name in found]
        np.testing.assert_allclose(scores, expected["scores"], atol=1e-5)


def test_a_beam_of_one_is_the_greedy_name() -> None:
    bags = [bag(example) for example, _ in recorded(RELEASED)[:40]]
    for (greedy,), (only,) in zip(
        official(RELEASED).names(bags), official(RELEASED, beam=1).names(bags), strict=True
    ):
        assert only.parts == greedy.parts
        assert only.score == pytest.approx(greedy.score)


def test_unknown_subtokens_are_left_out_of_the_answer() -> None:
    pairs = recorded(RELEASED)
    predictions = official(RELEASED).predict([example for example, _ in pairs])
    kinds = set()
    for prediction, (_, expected) in zip(predictions, pairs, strict=True):
        shown = [part for part in expected["greedy"] if part != "<UNK>"]
        kinds.add((len(shown) < len(expected["greedy"]), bool(shown)))
        if shown:
            assert (prediction.label, prediction.error) == ("|".join(shown), "")
            assert prediction.candidates == ((prediction.label, prediction.score),)
        else:
            assert (prediction.label, prediction.error) == (None, "empty_name")
    assert len(kinds) >= 2


def test_beams_are_the_candidates_best_first() -> None:
    model = official(RELEASED, beam=3)
    example = recorded(RELEASED)[0][0]
    prediction = model.predict([example])[0]
    names = [(official_label(name), name.score) for name in model.names([bag(example)])[0]]
    assert prediction.candidates == tuple(name for name in names if name[0])
    assert (prediction.label, prediction.score) == prediction.candidates[0]
    scores = [score for _, score in prediction.candidates]
    assert scores == sorted(scores, reverse=True)


def test_only_the_first_200_contexts_count_and_the_cut_is_told() -> None:
    model = official(RELEASED)
    long = [one for one, _ in recorded(RELEASED) if len(bag(one)) == 200]
    short = [one for one, _ in recorded(RELEASED) if len(bag(one)) < 200]
    assert model.predict(long[:1])[0].truncated
    first = bag(long[0])
    whole, cut = model.names([[*first, *reversed(first)], first])
    assert whole == cut
    assert not any(each.truncated for each in model.predict(short[:20]))


def test_a_method_without_contexts_has_an_answer_of_its_own() -> None:
    tree = parse(b"class A { void f() { } int g() { return 1; } }")
    asked = [Example(str(node), tree, node) for node in with_bodies(tree)]
    model = official(RELEASED)
    bags = [extract(each.tree, each.node, "code2seq").contexts for each in asked]
    assert [bool(names) for names in model.names([[], bags[1]])] == [False, True]
    for prediction, contexts in zip(model.predict(asked), bags, strict=True):
        assert (prediction.error == "no_contexts") == (not contexts)


@pytest.mark.parametrize("beam", [0, 3])
def test_an_answer_does_not_depend_on_the_others_of_a_batch(beam: int) -> None:
    model = official(RELEASED, beam=beam)
    asked = [example for example, _ in recorded(RELEASED)][20:50]
    together = model.predict(asked * 3)
    alone = [official(RELEASED, beam=beam).predict([example])[0] for example in asked[:5]]
    assert together[:5] == alone
    assert together == model.predict(asked) * 3


def test_an_imported_checkpoint_answers_as_the_released_one(imported: Path) -> None:
    asked = [example for example, _ in recorded(RELEASED)]
    for beam in (0, 2):
        one, other = official(RELEASED, beam=beam), official(imported, beam=beam)
        assert one.predict(asked) == other.predict(asked)


def test_half_precision_changes_little(tmp_path: Path) -> None:
    out = tmp_path / "half.safetensors"
    command = ["models", "import", f"code2seq:{RELEASED}", "--precision", "float16"]
    assert main([*command, "--out", str(out)]) == 0
    bags = [bag(example) for example, _ in recorded(RELEASED)]
    pairs = list(zip(official(RELEASED).names(bags), official(out).names(bags), strict=True))
    same = [(one.score, other.score) for (one,), (other,) in pairs if one.parts == other.parts]
    assert len(same) > 0.9 * len(pairs)
    np.testing.assert_allclose(*zip(*same, strict=True), atol=0.02)
    assert any(one != other for one, other in same)


def test_the_identity_tells_checkpoints_and_beams_apart(imported: Path) -> None:
    some = [official(RELEASED), official(RELEASED, beam=2), official(STACKED), official(imported)]
    assert len({tuple(model.identity.items()) for model in some}) == 4
    assert official(RELEASED).identity == some[0].identity
    assert some[0].identity["comments"] == "strip"


def test_a_beam_wider_than_the_vocabulary_is_a_usage_error() -> None:
    with pytest.raises(UserError, match="--beam 1000: wider than the "):
        official(RELEASED, beam=1000)


def test_a_run_asks_an_official_checkpoint(tmp_path: Path) -> None:
    corpus = FIXTURES / "corpus" / "sample" / "math" / "Numbers.java"
    run = tmp_path / "run"
    command = ["run", str(corpus), "--model", f"code2seq:{RELEASED}", "--transform", "VN"]
    assert main([*command, "--beam", "2", "--out", str(run)]) == 0
    manifest = json.loads((run / "manifest.json").read_text())
    assert official(RELEASED, beam=2).identity["sha256"] in json.dumps(manifest)


def test_a_name_that_does_not_end_has_seven_subtokens(tmp_path: Path) -> None:
    """Six are a name's most in training; the official program carries out a step more."""
    shutil.copy(next(RELEASED.glob("*.dict")), tmp_path / "endless.dict")
    bundle = read_bundle(next(RELEASED.glob("*.index")).with_suffix(""))
    tables = {name: np.array(bundle.tensor(name)) for name in bundle.names()}
    words = tables["model/decoder/dense/kernel"]
    words[:, 0] = words[:, 3:].sum(axis=1)
    checkpoints.write_bundle(tmp_path / "endless", tables)
    bags = [bag(example) for example, _ in recorded(RELEASED)]
    for beam in (0, 2):
        names = official(tmp_path, beam=beam).names(bags)
        assert max(len(name.parts) for found in names for name in found) == 7
