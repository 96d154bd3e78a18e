"""Models behind HTTP, asked from real local servers."""

import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from servers import Answer, Request, examples, java, serving, told

from metamorph.errors import UserError
from metamorph.models import load
from metamorph.models.options import Options
from metamorph.models.protocol import Asked, Prediction, Streaming


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses are a hundredth of what they are."""
    monkeypatch.setattr("metamorph.models.patience.FIRST_PAUSE", 0.005)
    monkeypatch.setattr("metamorph.models.connections._MOMENT", 0.5)


def ask(url: str, **options: Any) -> dict[str, Prediction]:
    """The answers to the two methods of JAVA, by id."""
    model = load(f"http:{url}", Options(**options))
    return {answer.id: answer for answer in model.predict(examples())}


def entry(id: str, label: str = "getSize") -> dict[str, object]:
    return {"id": id, "candidates": [{"label": label, "score": 0.5}, {"label": "no", "score": 0.7}]}


def predictions(request: Request) -> Answer:
    """Each program is answered by its own id, the last program first."""
    body: Any = request.body
    ids = [program["id"] for program in body["programs"]] if body else []
    return told({"model": "m", "predictions": [entry(id, f"{id}It") for id in reversed(ids)]})


def test_programs_go_out_masked_and_answers_are_matched_by_id() -> None:
    with serving(predictions) as server:
        found = ask(server.url)
    assert {id: answer.candidates for id, answer in found.items()} == {
        "size": (("no", 0.7), ("size|it", 0.5)),
        "add": (("no", 0.7), ("add|it", 0.5)),
    }
    (request,) = server.asked
    assert request.path == "/predict"
    assert request.body == {
        "task": "method-name",
        "language": "java",
        "top_k": 10,
        "programs": [
            {"id": "size", "code": "int METHOD_NAME() { return n; }"},
            {"id": "add", "code": "int METHOD_NAME(int a) { return a + n; }"},
        ],
    }


def test_a_batch_is_split_into_requests_of_the_size_asked_for() -> None:
    with serving(predictions) as server:
        found = ask(f"{server.url}/mine", batch=1)
    assert {request.path for request in server.asked} == {"/mine"}
    assert len(server.asked) == len(found) == 2


def test_the_official_field_names_are_understood() -> None:
    def official(request: Request) -> Answer:
        listed = [{"name": ["get", "value"], "probability": 0.9}, {"name": "x", "probability": 0.1}]
        return told({"predictions": [{"id": id, "predictions": listed} for id in ("size", "add")]})

    with serving(official) as server:
        assert ask(server.url)["add"].candidates == (("get|value", 0.9), ("x", 0.1))


@pytest.mark.parametrize(
    ("entries", "errors"),
    [
        ([entry("size"), entry("size"), entry("add")], {"size": "duplicate-id", "add": ""}),
        ([entry("size")], {"size": "", "add": "missing-id"}),
        ([entry("size"), entry("other")], {"size": "", "add": "wrong-id"}),
        ([entry("size"), entry("add"), entry("other")], {"size": "", "add": ""}),
        (
            [entry("size"), {"id": "add", "error": "no_contexts"}],
            {"size": "", "add": "no_contexts"},
        ),
        ([entry("size"), {"id": "add", "error": "o" * 90}], {"size": "", "add": "server-error"}),
        ([entry("size"), {"id": "add", "label": 3}], {"size": "", "add": "bad-entry"}),
        ([entry("size"), {"id": "add", "label": "?"}], {"size": "", "add": "empty-answer"}),
        ([entry("size"), 3, None, {"id": "add"}], {"size": "", "add": "no-answer"}),
        ("all", {"size": "no-predictions", "add": "no-predictions"}),
    ],
)
def test_what_an_answer_lacks_is_the_error_of_the_example_concerned(
    entries: object, errors: dict[str, str]
) -> None:
    with serving(lambda request: told({"predictions": entries})) as server:
        found = ask(server.url)
    assert {id: answer.error for id, answer in found.items()} == errors
    assert all((answer.label is None) == bool(answer.error) for answer in found.values())


FAULTS: dict[str, tuple[Callable[[Request], Answer | None], str, int]] = {
    "too many requests": (lambda request: Answer(b"wait", 429), "http-429", 3),
    "broken": (lambda request: told({"error": "x"}, 500), "http-500", 3),
    "away": (lambda request: Answer(b"", 503), "http-503", 3),
    "forbidden": (lambda request: Answer(b"", 403), "http-403", 1),
    "not understood": (lambda request: Answer(b"", 400), "http-400", 1),
    "moved": (lambda request: Answer(b"", 307, {"Location": "/other"}), "http-307", 1),
    "silent": (lambda request: None, "disconnected", 3),
    "half a body": (lambda request: Answer(b'{"predictions": [', promised=99), "half-body", 3),
    "half of JSON": (lambda request: Answer(b'{"predictions": ['), "half-body", 3),
    "nonsense": (lambda request: Answer(b"<html>"), "not-json", 2),
    "too deep": (lambda request: Answer(b"[" * 100_000), "too-deep", 1),
    "deep": (lambda request: Answer(b"[" * 101 + b"]" * 101), "too-deep", 1),
    "a list": (lambda request: told([1, 2]), "no-predictions", 1),
    "no hope": (lambda request: told({"code": "insufficient_quota"}, 429), "http-429", 1),
    "come tomorrow": (lambda request: Answer(b"", 429, {"Retry-After": "86400"}), "http-429", 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failing_server_is_an_error_of_each_example_after_the_retries(fault: str) -> None:
    answer, error, tries = FAULTS[fault]
    with serving(answer) as server:
        found = ask(server.url, retries=2)
    assert {each.error for each in found.values()} == {error}
    assert {each.label for each in found.values()} == {None}
    assert len(server.asked) == tries


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_request_that_fails_at_first_is_answered_in_the_end(status: int) -> None:
    counted = iter(range(99))

    def answer(request: Request) -> Answer:
        failing = request.method == "POST" and next(counted) < 2
        return Answer(b"", status) if failing else predictions(request)

    with serving(answer) as server:
        assert ask(server.url)["size"].error == ""
    assert len(server.asked) == 3


def test_the_wait_that_a_server_asks_for_is_kept() -> None:
    times: list[float] = []

    def answer(request: Request) -> Answer:
        if request.method == "GET":
            return Answer(b"", 404)
        times.append(time.monotonic())
        return Answer(b"", 429, {"Retry-After": "0.4"}) if len(times) < 2 else predictions(request)

    with serving(answer) as server:
        assert ask(server.url)["add"].label == "no"
    assert times[1] - times[0] >= 0.4


def test_a_server_that_hangs_costs_the_time_limit_and_is_asked_once_more() -> None:
    ended = threading.Event()

    def answer(request: Request) -> None:
        if request.method == "POST":
            ended.wait(60)

    begun = time.monotonic()
    with serving(answer) as server:
        assert ask(server.url, timeout=0.2)["size"].error == "timeout"
        ended.set()
    assert 0.4 <= time.monotonic() - begun < 30
    assert len(server.asked) == 2


def test_a_server_that_is_down_is_soon_asked_no_more() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    model = load(f"http:http://127.0.0.1:{port}", Options(batch=1, retries=1, max_connections=1))
    many = examples(java(300))
    begun = time.monotonic()
    found = model.predict(many)
    assert [answer.error for answer in found] == ["unreachable"] * 300
    assert time.monotonic() - begun < 2


def test_no_more_requests_are_under_way_than_allowed() -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def answer(request: Request) -> Answer:
        if request.method == "GET":
            return Answer(b"", 404)
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.05)
        with lock:
            now[0] -= 1
        return predictions(request)

    many = examples(java(12))
    with serving(answer) as server:
        model = load(f"http:{server.url}", Options(batch=1, max_connections=3))
        # Two askers share the model's connections.
        found: list[Prediction] = []
        other = threading.Thread(target=lambda: found.extend(model.predict(many)))
        other.start()
        found += model.predict(many)
        other.join()
    assert {answer.error for answer in found} == {""}
    assert len(found) == 24
    assert most == [3]


def test_answers_stream_as_they_come() -> None:
    gone_on = threading.Event()

    def answer(request: Request) -> Answer:
        body: Any = request.body
        if body and body["programs"][0]["id"] == "size":
            gone_on.wait(5)
        return predictions(request)

    with serving(answer) as server:
        model = load(f"http:{server.url}", Options(batch=1))
        assert isinstance(model, Streaming)
        stream = model.answers(examples())
        assert next(stream).id == "add"
        gone_on.set()
        assert [found.id for found in stream] == ["size"]


def test_headers_are_sent_and_redirects_are_not_followed_with_them() -> None:
    with serving(predictions) as other:
        away = Answer(b"", 302, {"Location": f"{other.url}/predict"})
        with serving(lambda request: away) as server:
            found = ask(server.url, headers={"X-Key": "s3cret"})
    assert found["size"].error == "http-302"
    assert server.asked[0].headers["X-Key"] == "s3cret"
    assert other.requests == []


def test_a_secret_that_the_server_repeats_is_not_kept() -> None:
    def answer(request: Request) -> Answer:
        return told({"error": f"no access for {request.headers.get('Authorization')}"}, 401)

    with serving(answer) as server:
        found = ask(server.url, headers={"Authorization": "Bearer s3cretkey"})
    assert "no access for ***" in found["size"].text
    assert "s3cretkey" not in repr(found)


def test_passwords_of_a_netrc_file_and_cookies_stay_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password s3cret\n")
    monkeypatch.setenv("NETRC", str(netrc))

    def answer(request: Request) -> Answer:
        found = predictions(request)
        return Answer(found.body, 200, {"Set-Cookie": "a=1"})

    with serving(answer) as server:
        ask(server.url, batch=1, max_connections=1)
    assert len(server.requests) == 3
    sent = {name for request in server.requests for name in request.headers}
    assert not sent & {"Authorization", "Cookie"}


def test_identity_tells_the_address_and_the_servers_revision_but_no_header() -> None:
    def answer(request: Request) -> Answer:
        return told({"revision": "r7"}) if request.path == "/health" else predictions(request)

    with serving(answer) as server:
        model = load(f"http:{server.url}", Options(headers={"X-Key": "s3cret"}))
    assert model.identity["url"] == f"{server.url}/predict"
    assert model.identity["revision"] == "r7"
    assert "s3cret" not in json.dumps(dict(model.identity)) + repr(model) + model.name


def test_the_question_is_the_code_with_stray_bytes_made_sendable() -> None:
    data = b'String a() { return "\xff"; }'
    with serving(predictions) as server:
        model = load(f"http:{server.url}")
        (example,) = examples(data)
        assert isinstance(model, Asked)
        assert model.question(example) == 'String METHOD_NAME() { return "\ufffd"; }'
        assert [answer.error for answer in model.predict([example])] == [""]


@pytest.mark.parametrize(
    ("rest", "fault"),
    [
        ("", "not an http or https address"),
        ("localhost", "not an http or https address"),
        ("ftp://host/", "not an http or https address"),
        ("http://host/a b", "not an http or https address"),
        ("http://me:pass@host/", "credentials in an address"),
    ],
)
def test_an_address_that_cannot_be_asked_is_the_users_fault(rest: str, fault: str) -> None:
    with pytest.raises(UserError, match=fault) as caught:
        load(f"http:{rest}")
    assert "pass@" not in str(caught.value)


def test_an_address_may_stand_without_repeating_http() -> None:
    with serving(predictions) as server:
        assert load(server.url).predict(examples())[0].label == "no"


def test_a_header_that_would_break_the_request_is_refused_without_telling_it() -> None:
    with pytest.raises(UserError, match="'X-Key'") as caught:
        load("http:http://127.0.0.1:9/", Options(headers={"X-Key": "s3cret\r\nHost: evil"}))
    assert "s3cret" not in str(caught.value)
