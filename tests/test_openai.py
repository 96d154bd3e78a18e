"""OpenAI-compatible servers, asked for chat completions by a real client."""

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from servers import Answer, Request, examples, java, serving, told

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.models import load
from metamorph.models.openai import OpenAI
from metamorph.models.options import Options
from metamorph.models.protocol import Asked, Prediction, Streaming

SECRET = "sk-s3cret"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short pauses, and one key."""
    monkeypatch.setattr("metamorph.models.patience.FIRST_PAUSE", 0.005)
    monkeypatch.delenv("METAMORPH_API_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


def completion(content: object, reason: str = "stop", **more: object) -> dict[str, object]:
    """An answer with one choice."""
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    usage = {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}
    return {"id": "x", "choices": [choice], "usage": usage, **more}


def model_at(url: str, **options: Any) -> OpenAI:
    model = load("openai:small", Options(base_url=f"{url}/v1", **options))
    assert isinstance(model, OpenAI)
    return model


def answer_to(body: object) -> Prediction:
    """The prediction that the server's answer gives."""
    with serving(lambda request: told(body)) as server:
        return model_at(server.url).predict(examples()[:1])[0]


def test_the_prompt_of_the_task_is_asked_with_temperature_0_and_a_seed() -> None:
    with serving(lambda request: told(completion("`getSize`"))) as server:
        model = model_at(f"{server.url}", sampling_seed=7, extra={"top_p": 0.5})
        example = examples()[0]
        found = model.predict([example])
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == f"Bearer {SECRET}"
    assert request.body == {
        "model": "small",
        "messages": [{"role": "user", "content": model.question(example)}],
        "temperature": 0.0,
        "seed": 7,
        "max_tokens": 64,
        "top_p": 0.5,
    }
    assert "int METHOD_NAME() { return n; }" in model.question(example)
    assert "size" not in model.question(example)
    assert found == [
        Prediction("size", "get|size", finish_reason="stop", usage=(30, 4), text="`getSize`")
    ]
    assert isinstance(model, Asked) and isinstance(model, Streaming)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (completion("get", "length"), "cut-off"),
        (completion("", "length"), "cut-off"),
        (completion(""), "empty-answer"),
        (completion(None), "empty-answer"),
        (completion(None, "tool_calls"), "empty-answer"),
        (completion("getSize", "content_filter"), "filtered"),
        (completion("`a` or `b`, who knows?"), "unparsed"),
        ({"choices": []}, "no-choice"),
        ({"error": {"message": "overloaded"}}, "no-choice"),
        ([], "no-choice"),
        ({"choices": [{"index": 0}]}, "empty-answer"),
        ({"choices": [{"index": 1, "message": {"content": "a"}}]}, "no-choice"),
        ({"choices": [{"index": 0, "message": {"content": None, "refusal": "No."}}]}, "refused"),
    ],
)
def test_an_answer_without_a_name_is_an_error(body: object, error: str) -> None:
    found = answer_to(body)
    assert (found.label, found.error) == (None, error)


def test_tokens_that_led_to_nothing_are_counted_too() -> None:
    assert answer_to(completion("get", "length")).usage == (30, 4)


def test_choices_are_taken_by_their_index_and_not_by_their_place() -> None:
    choices = [
        {"index": index, "message": {"content": f"name{index}"}, "finish_reason": "stop"}
        for index in (2, 1, 0)
    ]
    assert answer_to({"choices": choices}).label == "name|0"


def test_an_answer_in_parts_is_put_together() -> None:
    parts = [{"type": "text", "text": "get"}, {"type": "text", "text": "Size"}]
    assert answer_to(completion(parts)).label == "get|size"


def refusing(*names: str) -> "Any":
    """A server that knows some parameters not, and tells one of them at a time."""

    def answer(request: Request) -> Answer:
        body: Any = request.body
        refused = next((name for name in names if name in body), None)
        if refused is None:
            return told(completion("getSize"))
        message = f"Unsupported parameter: '{refused}' is not supported with this model."
        return told({"error": {"message": message, "param": refused}}, 400)

    return answer


def test_parameters_that_a_server_refuses_are_renamed_or_left_out_once_for_all() -> None:
    with serving(refusing("max_tokens", "temperature", "seed")) as server:
        model = model_at(server.url)
        identity = dict(model.identity)
        found = model.predict(examples(java(20)))
    assert {answer.label for answer in found} == {"get|size"}
    last: Any = server.requests[-1].body
    assert set(last) == {"model", "messages", "max_completion_tokens"}
    assert last["max_completion_tokens"] == 64
    # Eight threads may each meet each refusal once, but not again for each program.
    assert len(server.requests) <= 20 + 3 * 8
    assert model.adapted == (
        "max_tokens sent as max_completion_tokens",
        "seed left out",
        "temperature left out",
    )
    assert dict(model.identity) == identity


@pytest.mark.parametrize(
    ("message", "adapted"),
    [
        ("Unexpected fields in the request: {'seed'}", ("seed left out",)),
        ("'temperature' does not support 0. Only the default (1)", ("temperature left out",)),
        ("Use 'max_completion_tokens' instead of max_tokens", None),
        ("max_tokens is too large: 64", ()),
        ("no such thing", ()),
    ],
)
def test_only_what_a_refusal_names_is_changed(message: str, adapted: tuple[str, ...]) -> None:
    bodies = iter([told({"detail": message}, 422)])
    with serving(lambda request: next(bodies, told(completion("x")))) as server:
        model = model_at(server.url)
        model.predict(examples()[:1])
    if adapted is None:
        adapted = ("max_tokens sent as max_completion_tokens",)
    assert model.adapted == adapted


def test_parameters_of_the_users_own_are_sent_as_they_are() -> None:
    extra = {"max_completion_tokens": 9, "temperature": 0.7}
    with serving(refusing("temperature")) as server:
        model = model_at(server.url, extra=extra)
        (found,) = model.predict(examples()[:1])
    assert found.error == "http-400"
    (request,) = server.requests
    body: Any = request.body
    assert {name: body.get(name) for name in (*extra, "max_tokens")} == {
        **extra,
        "max_tokens": None,
    }
    assert model.adapted == ()


@pytest.mark.parametrize("name", ["model", "messages", "stream"])
def test_parameters_that_would_break_the_question_are_refused(name: str) -> None:
    with pytest.raises(UserError, match=name):
        model_at("http://127.0.0.1:9", extra={name: True})


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 128 tokens. However, you requested 170 tokens "
        "(106 in the messages, 64 in the completion): reduce max_tokens, unsupported",
        "Prompt is too long",
    ],
)
def test_a_question_that_is_too_long_is_an_error_of_its_own(message: str) -> None:
    with serving(lambda request: told({"error": {"message": message}}, 400)) as server:
        model = model_at(server.url)
        (found,) = model.predict(examples()[:1])
    assert (found.error, found.text.count(message[:20])) == ("too-long", 1)
    assert len(server.requests) == 1
    assert model.adapted == ()


def test_a_file_replaces_the_prompt(tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("Name {this}:\n{code}\n", "utf-8")
    model = model_at("http://127.0.0.1:9", prompt=str(file))
    assert model.question(examples()[0]) == "Name {this}:\nint METHOD_NAME() { return n; }\n"
    plain = model_at("http://127.0.0.1:9")
    assert model.identity["prompt"] != plain.identity["prompt"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"no place", "no {code}"), (b"\xff{code}", "not UTF-8"), (None, "No such file")],
)
def test_a_faulty_prompt_is_the_users_fault(
    tmp_path: Path, content: bytes | None, fault: str
) -> None:
    file = tmp_path / "prompt.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UserError, match=fault):
        model_at("http://127.0.0.1:9", prompt=str(file))


def test_the_key_is_nowhere_but_in_the_header(tmp_path: Path) -> None:
    with serving(lambda request: told({"error": {"message": "Incorrect API key"}}, 401)) as server:
        model = model_at(server.url, retries=0)
        found = model.predict(examples())
    assert {answer.error for answer in found} == {"http-401"}
    shown = repr(model) + repr(vars(model)) + json.dumps(dict(model.identity)) + repr(found)
    assert SECRET not in shown


def test_a_key_that_a_header_cannot_hold_is_refused_without_telling_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("METAMORPH_API_KEY", "sk-x\nHost: evil")
    with pytest.raises(UserError, match="METAMORPH_API_KEY: not a key") as caught:
        model_at("http://127.0.0.1:9")
    assert "sk-x" not in str(caught.value)


def test_without_a_key_only_another_server_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(UserError, match="OPENAI_API_KEY"):
        load("openai:small")
    with serving(lambda request: told(completion("getSize"))) as server:
        assert model_at(server.url).predict(examples()[:1])[0].label == "get|size"
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    "headers", [{"Authorization": "Basic eA=="}, {"authorization": "Basic eA=="}]
)
def test_an_authorization_of_the_users_own_counts_before_the_key(
    headers: Mapping[str, str],
) -> None:
    with serving(lambda request: told(completion("getSize"))) as server:
        model_at(server.url, headers=headers).predict(examples()[:1])
    assert {n.lower(): v for n, v in server.requests[0].headers.items()}["authorization"] == (
        "Basic eA=="
    )


def test_a_model_without_a_name_is_the_users_fault() -> None:
    with pytest.raises(UserError, match="openai:NAME"):
        load("openai:")


def test_slow_and_quick_answers_go_to_their_own_examples() -> None:
    first = threading.Event()

    def answer(request: Request) -> Answer:
        body: Any = request.body
        prompt = body["messages"][0]["content"]
        if "int a" in prompt:
            first.set()
            return told(completion("adding"))
        first.wait(5)
        return told(completion("sizing"))

    with serving(answer) as server:
        found = {answer.id: answer.label for answer in model_at(server.url).predict(examples())}
    assert found == {"size": "sizing", "add": "adding"}


def test_a_run_stores_answers_and_tokens_but_no_secret(tmp_path: Path, cache: Path) -> None:
    def answer(request: Request) -> Answer:
        if "long " in str(request.body):
            return told({"error": {"message": f"bad key {request.headers['X-Key']}"}}, 400)
        return told(completion(f"The name is `named`. {request.headers['Authorization']}"))

    source = tmp_path / "A.java"
    source.write_text("class A { int f(int a) { return a; } int g(long b) { return 1; } }")
    run = ["run", "--model", "openai:small", "--transform", "VN", "--out", str(tmp_path / "run")]
    with serving(answer) as server:
        run += ["--base-url", f"{server.url}/v1", "--header", "X-Key=another-s3cret"]
        assert main([*run, str(source)]) == 0
    assert len(server.requests) == 4
    kept = b"".join(path.read_bytes() for path in (*tmp_path.rglob("run/*"), *cache.rglob("*.*")))
    assert b"is `named`. ***" in kept and b"bad key ***" in kept
    assert SECRET.encode() not in kept and b"another-s3cret" not in kept
