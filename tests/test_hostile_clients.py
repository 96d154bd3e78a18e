"""`metamorph models serve` before clients that are slow, endless, too many, or gone."""

import json
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
import requests
from servers import examples, java, service

from metamorph.limits import Limits
from metamorph.models import load
from metamorph.models.options import Options
from metamorph.models.protocol import Example, Prediction

HEAD = b"POST /predict HTTP/1.1\r\nHost: a\r\n"
GOOD = json.dumps({"programs": [{"id": "a", "code": "int f() { return 1; }"}]}).encode()


class Talker:
    """A model that says more than anybody wants to hear."""

    length = 10

    def __init__(self) -> None:
        self.name = "talker"
        self.identity: dict[str, str] = {}

    def label(self, method_name: str) -> str:
        return method_name

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        return [Prediction(example.id, "x" * self.length, 0.5) for example in batch]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients have a moment for what they have a minute for."""
    monkeypatch.setattr("metamorph.models.bounded_clients.PATIENCE", 0.15)
    monkeypatch.setattr("metamorph.models.serving.BODY_SECONDS", 0.3)
    monkeypatch.setattr("metamorph.models.serving.LARGEST_BODY", 300_000)


@pytest.fixture
def served(capfd: pytest.CaptureFixture[str]) -> Iterator[tuple[str, Any]]:
    """A service that must be there for others afterwards, and have said nothing."""
    with service(Talker()) as (url, server):
        yield url, server
        assert requests.post(url, data=GOOD, timeout=60).status_code == 200
    assert capfd.readouterr().err == ""


def connected(url: str) -> socket.socket:
    host, _, port = url.removeprefix("http://").partition("/")[0].partition(":")
    client = socket.create_connection((host, int(port)), timeout=60)
    client.settimeout(60)
    return client


def heard(client: socket.socket) -> bytes:
    """All that the service says until it closes the connection."""
    pieces = []
    with suppress(ConnectionError):
        while piece := client.recv(65_536):
            pieces.append(piece)
    return b"".join(pieces)


def talk(client: socket.socket, pieces: Iterator[bytes], pause: float) -> float:
    """Say something until the service hangs up or all is said; for how long."""
    begun = time.monotonic()
    client.settimeout(0.001)
    with suppress(ConnectionError):
        for piece in pieces:
            client.settimeout(60)
            client.sendall(piece)
            time.sleep(pause)
            client.settimeout(0.001)
            with suppress(TimeoutError):
                if not client.recv(65_536):
                    break
    return time.monotonic() - begun


def drops(before: bytes, piece: bytes) -> Iterator[bytes]:
    """The same piece again and again, for two minutes at the pace of the tests."""
    yield before
    yield from [piece] * 4_000


def test_a_client_that_says_nothing_is_let_go(served: tuple[str, Any]) -> None:
    with connected(served[0]) as client:
        begun = time.monotonic()
        assert heard(client) == b""
        assert 0.1 < time.monotonic() - begun < 30


@pytest.mark.parametrize("before", [b"", HEAD, HEAD + b"X-A: "])
def test_a_head_that_comes_drop_by_drop_is_not_awaited(
    served: tuple[str, Any], before: bytes
) -> None:
    with connected(served[0]) as client:
        assert talk(client, drops(before, b"a"), 0.03) < 30


def test_a_connection_that_is_kept_is_let_go_all_the_same(served: tuple[str, Any]) -> None:
    with connected(served[0]) as client:
        client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD)
        assert client.recv(65_536).startswith(b"HTTP/1.1 200")
        assert talk(client, drops(HEAD, b"a"), 0.03) < 30


def test_a_body_that_comes_drop_by_drop_is_refused(served: tuple[str, Any]) -> None:
    with connected(served[0]) as client:
        client.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
        answer = client.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"within 0.3 seconds" in (answer if b"error" in answer else client.recv(65_536))
        assert talk(client, drops(b"", b" "), 0.03) < 30


def test_a_body_without_an_end_is_refused_and_read_no_further(served: tuple[str, Any]) -> None:
    with connected(served[0]) as client:
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"2000\r\n%s\r\n" % (b" " * 0x2000)
        client.sendall(chunk * 40)
        assert client.recv(65_536).startswith(b"HTTP/1.1 413")
        assert talk(client, drops(b"", chunk), 0.03) < 30


def test_who_does_not_read_the_answer_is_let_go(served: tuple[str, Any]) -> None:
    url, server = served
    Talker.length = 20_000_000
    try:
        with connected(url) as client:
            client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD)
            time.sleep(0.2)
            until = time.monotonic() + 30
            while server.server_state.connections and time.monotonic() < until:
                time.sleep(0.02)
            assert not server.server_state.connections
    finally:
        Talker.length = 10


def test_too_many_connections_are_closed(
    served: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metamorph.models.bounded_clients.MOST_CONNECTIONS", 5)
    monkeypatch.setattr("metamorph.models.bounded_clients.PATIENCE", 60)
    clients = [connected(served[0]) for _ in range(40)]
    assert [heard(client) for client in clients[5:]] == [b""] * 35
    assert len(served[1].server_state.connections) == 5
    for client in clients:
        client.close()
    until = time.monotonic() + 30
    while served[1].server_state.connections and time.monotonic() < until:
        time.sleep(0.02)


def test_clients_that_hang_up_leave_nothing_behind(
    served: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metamorph.models.serving.MOST_WAITING", 3)
    for _ in range(4):
        for said in (b"", HEAD, HEAD + b"Content-Length: 99\r\n\r\n{"):
            with connected(served[0]) as client:
                client.sendall(said)
        with connected(served[0]) as client:
            client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(GOOD) + GOOD)
    time.sleep(0.1)


def test_answers_on_a_kept_connection_do_not_wait_for_each_other(served: tuple[str, Any]) -> None:
    took = []
    with requests.Session() as session:
        for _ in range(20):
            begun = time.monotonic()
            session.post(served[0], data=GOOD, timeout=60)
            took.append(time.monotonic() - begun)
    assert min(took[5:]) < 0.03


BAD_HEADS: dict[str, bytes] = {
    "nonsense": b"\x00\xff\x16\x03\x01\r\n\r\n",
    "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a long line": b"GET /" + b"a" * 300_000 + b" HTTP/1.1\r\n\r\n",
    "many headers": b"GET / HTTP/1.1\r\n" + b"X-A: 1\r\n" * 50_000 + b"\r\n",
    "two lengths": HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "less than nothing": HEAD + b"Content-Length: -1\r\n\r\n{}",
    "length and chunks": HEAD + b"Content-Length: 2\r\nTransfer-Encoding: zebra\r\n\r\n{}",
    "a bad chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    "a name with a space": HEAD + b"X A: 1\r\n\r\n",
}


@pytest.mark.parametrize("what", BAD_HEADS)
def test_what_is_no_request_is_refused(served: tuple[str, Any], what: str) -> None:
    with connected(served[0]) as client:
        with suppress(ConnectionError):
            client.sendall(BAD_HEADS[what])
        said = heard(client)
        assert said.startswith(b"HTTP/1.1 4") or (not said and len(BAD_HEADS[what]) > 65_536)


VALUES = ("NaN", "-Infinity", "1e999", "1" * 5_000, "null", '"x"', "[]", "{}", "[" * 50_000)
PLACES: tuple[Callable[[str], str], ...] = (
    lambda value: f'{{"programs": [], "top_k": {value}}}',
    lambda value: f'{{"programs": [{value}]}}',
    lambda value: f'{{"programs": [{{"id": "a", "code": [{value}]}}]}}',
    lambda value: f'{{"programs": [{{"id": [{value}], "code": ""}}]}}',
    lambda value: f'{{"programs": [], "task": [{value}]}}',
    lambda value: f'{{"programs": [], "language": {value}}}',
    lambda value: f'{{"programs": [], "{value[:90]}": {value}}}',
)


def test_any_value_at_any_place_is_refused_in_a_line(served: tuple[str, Any]) -> None:
    with requests.Session() as session:
        for place in PLACES:
            for value in VALUES:
                answer = session.post(served[0], data=place(value).encode(), timeout=60)
                assert answer.status_code == 400, place(value)[:80]
                assert len(answer.json()["error"]) < 200


def test_ten_thousand_programs_at_once_are_refused_as_an_answer_too_many(
    served: tuple[str, Any],
) -> None:
    many = examples(java(10_000))
    model = load(f"http:{served[0]}", Options(batch=10_000, retries=0))
    assert {answer.error for answer in model.predict(many[:2_000])} == {"http-413"}
    assert {answer.error for answer in model.predict(many)} == {"http-413"}
    in_parts = load(f"http:{served[0]}", Options(batch=1_000))
    assert [answer.error for answer in in_parts.predict(many[:2_000])] == [""] * 2_000


def test_garbage_that_is_read_for_ever_costs_its_own_program(
    served: tuple[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metamorph.models.serving._READING", Limits(seconds=0.05))
    codes = ["int f(int a) { " + "! <<" * 10_000, "int f() { return 1; }"]
    body = {"programs": [{"id": str(n), "code": code} for n, code in enumerate(codes)]}
    begun = time.process_time()
    entries = requests.post(served[0], json=body, timeout=20).json()["predictions"]
    assert [entry.get("error", "") for entry in entries] == ["time-limit", ""]
    assert time.process_time() - begun < 3
