"""Python callables as models."""

from pathlib import Path

import pytest

from metamorph.errors import UserError
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models import UnknownModelError, load
from metamorph.models.protocol import Example

MODULE = """
def echo(code):
    return code.split("(")[0].split()[-1]

def seen(code):
    return "METHOD_NAME" if "fact(n - 1)" in code and "int fact" not in code else "other"

def none(code):
    return None

def failing(code):
    raise RuntimeError("out of order")

def batched(codes: list[str]) -> list[str]:
    return [f"answer{len(codes)}" for _ in codes]

def short(codes: "list[str]") -> list[str]:
    return codes[1:]

word = "not callable"
"""
SOURCE = b"int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }  int two() { return 2; }"


@pytest.fixture
def examples() -> list[Example]:
    file = SourceFile("M.java", SOURCE)
    tree = parse(SOURCE)
    return [Example(m.name, tree, m.node) for m in methods(file, tree)]


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "callable_models.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


def test_the_declared_name_is_masked_and_calls_keep_it(examples: list[Example]) -> None:
    answers = load("python:callable_models:seen").predict(examples)
    assert [answer.label for answer in answers] == ["method|name", "other"]


def test_labels_are_subtokens_so_that_spelling_does_not_matter() -> None:
    model = load("python:callable_models:echo")
    assert model.label("parseHTTPHeader2") == "parse|http|header|2"
    assert model.label("get_name") == model.label("getName") == "get|name"


def test_a_callable_of_lists_gets_the_whole_batch(examples: list[Example]) -> None:
    answers = load("python:callable_models:batched").predict(examples)
    assert [(a.id, a.label) for a in answers] == [("fact", "answer|2"), ("two", "answer|2")]


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("none", "no-answer"),
        ("failing", "raised-RuntimeError (callable_models.py:12)"),
        ("short", "wrong-answer-count"),
    ],
)
def test_a_missing_answer_has_its_reason(examples: list[Example], name: str, error: str) -> None:
    answers = load(f"python:callable_models:{name}").predict(examples)
    assert [(a.label, a.error) for a in answers] == [(None, error)] * 2


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("python:", "not of the form"),
        ("python:callable_models", "not of the form"),
        ("python:no_such_module:f", "cannot import no_such_module"),
        ("python:callable_models:nothing", "no callable 'nothing'"),
        ("python:callable_models:word", "no callable 'word'"),
    ],
)
def test_a_callable_that_is_not_there_is_the_users_fault(name: str, fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        load(name)


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(UnknownModelError, match="'oracle'"):
        load("oracle")
