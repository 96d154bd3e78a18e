"""What the models that ship tell of a method: beams, the cut of its contexts, options in vain."""

from pathlib import Path

import pytest
from small_models import JAVA, small_code2seq, small_code2vec

from metamorph.errors import UserError
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models import Example, Options, Prediction, load


def asked(data: bytes = JAVA) -> list[Example]:
    """The methods of a file."""
    tree = parse(data)
    return [Example(str(m.index), tree, m.node) for m in methods(SourceFile("A.java", data), tree)]


def beams(file: Path, width: int) -> list[Prediction]:
    return list(load(f"code2seq:{file}", Options(beam=width)).predict(asked()))


@pytest.fixture
def seq(tmp_path: Path) -> Path:
    return small_code2seq(tmp_path / "seq.safetensors")


def test_a_beam_of_one_is_the_greedy_name(seq: Path) -> None:
    for greedy, beam in zip(beams(seq, 0), beams(seq, 1), strict=True):
        assert (beam.label, beam.error) == (greedy.label, greedy.error)
        assert beam.score == pytest.approx(greedy.score)


def test_beams_are_distinct_candidates_best_first_and_none_beats_the_answer(seq: Path) -> None:
    answers = beams(seq, 5)
    for answer, greedy in zip(answers, beams(seq, 0), strict=True):
        scores = [score for _, score in answer.candidates]
        assert scores == sorted(scores, reverse=True)
        assert len({label for label, _ in answer.candidates}) == len(scores)
        if answer.label is not None:
            assert (answer.label, answer.score) == answer.candidates[0]
            assert (answer.score or 0) >= (greedy.score or 0) - 1e-6
    assert max(len(answer.candidates) for answer in answers) >= 4


def test_all_beams_together_are_no_more_than_certain(seq: Path) -> None:
    totals = [sum(score for _, score in answer.candidates) for answer in beams(seq, 7)]
    assert max(totals) <= 1 + 1e-5 and max(totals) > 0.1


def test_with_beams_an_answer_does_not_depend_on_its_company(seq: Path) -> None:
    model = load(f"code2seq:{seq}", Options(beam=3))
    alone = [answer for example in asked() for answer in model.predict([example])]
    assert list(model.predict(asked() * 20))[: len(alone)] == alone


def test_a_beam_wider_than_the_words_is_refused(seq: Path) -> None:
    with pytest.raises(UserError, match="--beam 8: wider than the 7 words"):
        beams(seq, 8)


def test_the_width_of_a_beam_is_part_of_the_identity(seq: Path) -> None:
    greedy, wide = (load(f"code2seq:{seq}", Options(beam=width)) for width in (0, 3))
    assert dict(wide.identity) == {**greedy.identity, "beam": "3"}


@pytest.mark.parametrize("kind", ["code2vec", "code2seq"])
def test_answers_to_methods_with_more_contexts_than_are_seen_are_marked(
    kind: str, tmp_path: Path
) -> None:
    make = small_code2vec if kind == "code2vec" else small_code2seq
    model = load(f"{kind}:{make(tmp_path / 'w.safetensors')}")
    many = b" ".join(b"items.add(i + %d);" % number for number in range(60))
    short, long, none = asked(b"void a() { items.add(i); } void b() { " + many + b" } void c() { }")
    answers = {answer.id: answer.truncated for answer in model.predict([short, long, none])}
    assert answers == {short.id: False, long.id: True, none.id: False}


@pytest.mark.parametrize(
    ("model", "option", "flag"),
    [
        ("code2vec", {"beam": 3}, "--beam"),
        ("code2vec", {"temperature": 0.5}, "--temperature"),
        ("code2vec", {"device": "cuda"}, "--device"),
        ("code2seq", {"prompt": "p.txt"}, "--prompt"),
        ("code2seq", {"headers": {"A": "b"}}, "--header"),
        ("code2seq", {"extra": {"k": 2}}, "--model-arg"),
        ("nearest:.", {"beam": 2}, "--beam"),
        ("recorded:a.jsonl", {"max_tokens": 9}, "--max-tokens"),
        ("command:cat", {"comments": "official"}, "--comments"),
        ("python:a:b", {"sampling_seed": 3}, "--sampling-seed"),
        ("http://127.0.0.1:9/", {"base_url": "http://127.0.0.1:9"}, "--base-url"),
        ("http://127.0.0.1:9/", {"temperature": 1.0}, "--temperature"),
        ("openai:m", {"template": "t.json"}, "--template"),
        ("openai:m", {"beam": 2}, "--beam"),
        ("hf:m", {"template": "t.json"}, "--template"),
    ],
)
def test_an_option_that_would_be_in_vain_is_refused(
    model: str, option: dict[str, object], flag: str
) -> None:
    with pytest.raises(UserError, match=f"takes no {flag}; leave it out"):
        load(model, Options(**option))  # type: ignore[arg-type]


@pytest.mark.parametrize("model", ["code2vec", "code2seq"])
def test_options_of_pace_may_stand_for_any_model(model: str) -> None:
    options = Options(timeout=5, retries=1, max_connections=2, batch=4)
    assert load(model, options).name == model


def test_an_unknown_argument_of_the_nearest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unknown argument 'depth'; it takes k"):
        load(f"nearest:{tmp_path}", Options(extra={"depth": 2}))
