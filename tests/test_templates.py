"""Foreign servers, asked as a template says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from servers import examples, serving, told

from metamorph.errors import UserError
from metamorph.models import load
from metamorph.models.options import Options
from metamorph.models.protocol import Prediction


def ask(url: str, **options: Any) -> dict[str, Prediction]:
    """The answers to two methods, by id."""
    model = load(f"http:{url}", Options(**options))
    return {answer.id: answer for answer in model.predict(examples())}


def write(folder: Path, **template: object) -> str:
    """A template's file."""
    file = folder / "template.json"
    file.write_text(json.dumps(template))
    return str(file)


def test_a_template_shapes_the_request_and_finds_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEIR_KEY", "k1")
    template = write(
        tmp_path,
        method="PUT",
        headers={"Authorization": "Bearer {env:THEIR_KEY}"},
        body={"inputs": ["Java:\n{code}", {"n": 3}], "id": "{id}"},
        answer="out[0].generated_text",
    )
    body = {"out": [{"generated_text": "The name is `sizeOf`."}]}
    with serving(lambda request: told(body)) as server:
        found = ask(f"{server.url}/generate", template=template)
    assert found["size"].label == "size|of"
    assert found["size"].text == "The name is `sizeOf`."
    request = next(r for r in server.asked if isinstance(r.body, dict) and r.body["id"] == "add")
    assert request.method == "PUT"
    assert request.headers["Authorization"] == "Bearer k1"
    assert request.body == {
        "inputs": ["Java:\nint METHOD_NAME(int a) { return a + n; }", {"n": 3}],
        "id": "add",
    }


def test_a_template_reads_ranked_names_in_subtokens_with_their_scores(tmp_path: Path) -> None:
    template = write(
        tmp_path,
        body={"code": "{code}"},
        answer="methods.0.predictions[*].name",
        score="methods.0.predictions[*].probability",
        error="error",
    )
    listed = [{"name": ["no"], "probability": 0.2}, {"name": ["get", "x"], "probability": 0.5}]
    bodies = iter([{"methods": [{"predictions": listed}], "error": None}, {"error": "no parse"}])
    with serving(lambda request: told(next(bodies))) as server:
        found = ask(server.url, template=template, max_connections=1)
    assert found["size"].candidates == (("get|x", 0.5), ("no", 0.2))
    assert (found["add"].error, found["add"].text) == ("server-error", "no parse")


@pytest.mark.parametrize("body", [{}, {"a": []}, {"a": [{}]}, [], "a", {"a": {"b": 1}}])
def test_an_answer_that_is_not_where_the_template_says_is_an_error(
    tmp_path: Path, body: object
) -> None:
    template = write(tmp_path, body="{code}", answer="a[0].b")
    with serving(lambda request: told(body)) as server:
        assert ask(server.url, template=template)["size"].error == "no-answer-at-path"


def test_code_that_looks_like_a_place_of_the_template_is_left_alone(tmp_path: Path) -> None:
    template = write(tmp_path, body={"q": "{code}"}, answer="a")
    data = b'String m() { return "{id}{prompt}"; }'
    with serving(lambda request: told({"a": "m"})) as server:
        model = load(f"http:{server.url}", Options(template=template))
        model.predict(examples(data))
    assert server.asked[0].body == {"q": 'String METHOD_NAME() { return "{id}{prompt}"; }'}


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"body": "{code}"}', "needs the fields"),
        ('{"body": "{code}", "answer": "a", "url": "x"}', "unknown field 'url'"),
        ('{"body": {"code": "code"}, "answer": "a"}', "neither {code} nor {prompt}"),
        ('{"body": "{code}", "answer": "a..b"}', "not a path"),
        ('{"body": "{code}", "answer": "a[x]"}', "not a path"),
        ('{"body": "{code}", "answer": "a[*].b[*]"}', "more than one"),
        ('{"body": "{code}", "answer": "a[*]", "score": "s"}', r"both have a \[\*\]"),
        ('{"body": "{code}", "answer": 3}', "answer must be a path"),
        ('{"body": "{code}", "answer": "a", "method": "GET"}', "POST or PUT"),
        ('{"body": "{code}", "answer": "a", "headers": {"K": 1}}', "headers must be"),
        ('{"body": "{code}", "answer": "a", "headers": {"K": "{env:NOT_SET_X}"}}', "NOT_SET_X"),
    ],
)
def test_a_faulty_template_is_the_users_fault(tmp_path: Path, template: str, fault: str) -> None:
    file = tmp_path / "t.json"
    file.write_text(template)
    with pytest.raises(UserError, match=fault) as caught:
        load("http:http://127.0.0.1:9/", Options(template=str(file)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "options", "fault"),
    [
        ("http:http://127.0.0.1:9/", {"extra": {"top_p": 1}}, "no --model-arg"),
        ("http:http://127.0.0.1:9/", {"base_url": "http://127.0.0.1:9/"}, "no --base-url"),
        ("http:http://127.0.0.1:9/", {"prompt": "p.txt"}, "http without --template takes no"),
        ("openai:m", {"template": "t.json", "base_url": "http://127.0.0.1:9"}, "no --template"),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(
    name: str, options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(UserError, match=fault):
        load(name, Options(**options))


def test_the_templates_of_the_manual_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TGI_KEY", "k")
    manual = (Path(__file__).parent.parent / "docs" / "servers.md").read_text("utf-8")
    shown = [b for b in re.findall(r"(?:^    .*\n)+", manual, re.M) if '"answer":' in b]
    answers = [
        [{"generated_text": "`getX`"}],
        {"methods": [{"predictions": [{"name": ["get", "x"], "probability": 0.9}]}]},
    ]
    for template, answer in zip(shown, answers, strict=True):
        (tmp_path / "t.json").write_text(template)
        with serving(lambda request, answer=answer: told(answer)) as server:
            found = ask(server.url, template=str(tmp_path / "t.json"))
        assert {prediction.label for prediction in found.values()} == {"get|x"}
