"""Models behind servers that mean ill, or are broken in ways that no library foresees."""

import gzip
import json
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from servers import Answer, Request, examples, serving, told
from studies import metamorph

from metamorph.models import load
from metamorph.models.options import Options
from metamorph.models.protocol import Prediction

OK = b"HTTP/1.1 200 OK\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nLocation: "


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little patience, and answers of a megabyte at most."""
    monkeypatch.setattr("metamorph.models.patience.FIRST_PAUSE", 0.005)
    monkeypatch.setattr("metamorph.models.connections._MOMENT", 0.5)
    monkeypatch.setattr("metamorph.models.connections.LARGEST_ANSWER", 1_000_000)


class Sender:
    """What a server says to one client: bytes, counted. unheard: nobody listens any more."""

    def __init__(self, client: socket.socket) -> None:
        self._client = client
        self.sent = 0
        self.unheard = threading.Event()

    def hear(self) -> bytes:
        """The next request; empty where the client has closed the connection."""
        return self._client.recv(65_536)

    def say(self, data: bytes) -> None:
        self._client.sendall(data)
        self.sent += len(data)


@contextmanager
def saying(talk: Callable[[Sender], None]) -> Iterator[tuple[str, list[Sender]]]:
    """A server that talks to each client as it likes, whatever it was asked; what it said."""
    listener = socket.create_server(("127.0.0.1", 0))
    senders: list[Sender] = []

    def answer(client: socket.socket) -> None:
        sender = Sender(client)
        senders.append(sender)
        with client, suppress(OSError):
            client.recv(65_536)
            talk(sender)
            client.shutdown(socket.SHUT_WR)
            while client.recv(65_536):
                pass
        sender.unheard.set()

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=answer, args=(client,), daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", senders
    finally:
        # Else the thread could go on to accept by the number of the closed socket, which the next
        # one gets.
        listener.shutdown(socket.SHUT_RDWR)
        accepting.join()
        listener.close()


def ask(url: str, **options: Any) -> Prediction:
    """The answer to the first example."""
    return load(f"http:{url}", Options(**{"retries": 0, "timeout": 5.0, **options})).predict(
        examples()
    )[0]


def whole(body: bytes, headers: bytes = b"") -> bytes:
    return OK + b"Content-Length: %d\r\n%s\r\n%s" % (len(body), headers, body)


def endless(before: bytes, piece: bytes, pause: float = 0.0) -> Callable[[Sender], None]:
    """Says the same for ever, or until nobody listens."""

    def talk(sender: Sender) -> None:
        sender.say(before)
        while True:
            sender.say(piece)
            time.sleep(pause)

    return talk


ENDLESS = {
    "a body": (endless(OK + b"\r\n", b" " * 65_536), "answer-too-large"),
    "chunks": (
        endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n%s\r\n" % (b" " * 65_536)),
        "answer-too-large",
    ),
    "a redirect": (endless(MOVED + b"/x\r\n\r\n", b" " * 65_536), "answer-too-large"),
    "a failure": (endless(b"HTTP/1.1 500 X\r\n\r\n", b" " * 65_536), "answer-too-large"),
    "headers": (endless(OK, b"X-A: 1\r\n"), "disconnected"),
    "one header": (endless(OK + b"X-A: ", b"1" * 65_536), "disconnected"),
    "a status": (endless(b"HTTP/1.1 200 ", b"O" * 65_536), "disconnected"),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_what_never_ends_is_left_after_a_bounded_part(what: str) -> None:
    talk, error = ENDLESS[what]
    with saying(talk) as (url, senders):
        assert ask(url).error == error
        assert all(sender.unheard.wait(60) for sender in senders)
    assert sum(sender.sent for sender in senders) < 30_000_000


SLOW = {
    "a status": endless(b"H", b"T", 0.03),
    "headers": endless(OK, b"X", 0.03),
    "a body": endless(OK + b"\r\n", b" ", 0.03),
    "a body whose length is told": endless(OK + b"Content-Length: 10000\r\n\r\n", b" ", 0.03),
    "a redirect": endless(MOVED + b"/x\r\n\r\n", b" ", 0.03),
    "a size of a chunk": endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"0", 0.03),
    "a trailer": endless(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: 1\r\n", 0.03),
    "the wish that the client goes on": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.003),
}


@pytest.mark.parametrize("what", SLOW)
def test_what_comes_drop_by_drop_costs_the_time_limit_and_no_more(what: str) -> None:
    with saying(SLOW[what]) as (url, _):
        begun = time.monotonic()
        assert ask(url, timeout=0.3).error == "timeout"
        assert time.monotonic() - begun < 30


def bomb(layers: int) -> bytes:
    """200 MB of spaces, packed so many times."""
    packer = zlib.compressobj(1, wbits=31)
    data = b"".join(packer.compress(b" " * 1_000_000) for _ in range(200)) + packer.flush()
    for _ in range(layers - 1):
        data = gzip.compress(data)
    return data


@pytest.mark.parametrize("layers", [1, 2])
def test_a_packed_answer_is_unpacked_as_far_as_it_may_be_long(layers: int) -> None:
    coding = b"Content-Encoding: " + b", ".join([b"gzip"] * layers) + b"\r\n"
    answer = whole(bomb(layers), coding)
    with saying(lambda sender: sender.say(answer)) as (url, _):
        tracemalloc.start()
        assert ask(url).error == "answer-too-large"
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 8_000_000


ENTRY = b'{"predictions": [{"id": "size", "label": "%s"}]}'


@pytest.mark.parametrize("connections", [1, 4])
def test_a_connection_that_the_server_closes_after_its_answer_costs_no_try(
    connections: int,
) -> None:
    def talk(sender: Sender) -> None:
        sender.say(whole(ENTRY % b"x"))
        sender.hear()  # The next request, which gets no answer.

    with saying(talk) as (url, senders):
        options = Options(retries=0, timeout=60.0, max_connections=connections)
        model = load(f"http:{url}", options)
        for _ in range(3):
            assert model.predict(examples())[0].label == "x"
    assert len(senders) > 3


ODD = {
    "damaged gzip": (whole(b"\x1f\x8bgarbage", b"Content-Encoding: gzip\r\n"), "half-body"),
    "half of gzip": (
        whole(gzip.compress(ENTRY % b"x")[:-20], b"Content-Encoding: gzip\r\n"),
        "half-body",
    ),
    "unknown coding": (whole(ENTRY % b"x", b"Content-Encoding: zebra\r\n"), ""),
    "no text": (whole(ENTRY % b"\xff\xfe\xc0x"), ""),
    "half characters": (whole(ENTRY % rb"\ud800x"), ""),
    "a NUL": (whole(ENTRY % rb"a\u0000b"), ""),
    "a BOM": (whole(b"\xef\xbb\xbf" + ENTRY % b"x"), "not-json"),
    "UTF-16": (whole((ENTRY % b"x").decode().encode("utf-16")), "not-json"),
    "a place that is no text": (MOVED + b"\xff\xfe\r\nContent-Length: 0\r\n\r\n", "http-302"),
    "a place that is none": (MOVED + b"http://[\r\nContent-Length: 0\r\n\r\n", "http-302"),
    "many values": (whole(b"[" + b"0," * 400_000 + b"0]"), "no-predictions"),
    "too many values": (whole(b"," * 600_000), "answer-too-large"),
    "two lengths": (OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}", "not-json"),
    "no length": (OK + b"Content-Length: x\r\n\r\n{}", "no-predictions"),
    "less than nothing": (OK + b"Content-Length: -5\r\n\r\n{}", "no-predictions"),
    "a bad chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}", "half-body"),
    "another protocol": (b"SSH-2.0-OpenSSH_9.6\r\n", "disconnected"),
    "a status of six digits": (b"HTTP/1.1 123456 X\r\n\r\n", "disconnected"),
    "nothing": (b"", "disconnected"),
    "a head without an end": (OK + b"X: 1\r\n", "not-json"),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_answer_is_an_error_by_name(what: str) -> None:
    answer, error = ODD[what]
    with saying(lambda sender: sender.say(answer)) as (url, _):
        found = ask(url)
    assert found.error == error
    assert (found.label is None) == bool(error)


VALUES = (
    "NaN",
    "1e999",
    "1" * 5_000,
    "1" * 4_000,
    "-1",
    "{}",
    "[[[]]]",
    "null",
    "true",
    '"' + "aB" * 500_000 + '"',
    '"' + "<a" * 400_000 + '"',
    "[" * 90 + "]" * 90,
    '{"a":' * 90 + "1" + "}" * 90,
)
PLACES = (
    '{"predictions": [{"id": "size", "label": %s}]}',
    '{"predictions": [{"id": "size", "label": "x", "score": %s}]}',
    '{"predictions": [{"id": "size", "candidates": [{"label": "x", "score": %s}]}]}',
    '{"predictions": [{"id": "size", "candidates": %s}]}',
    '{"predictions": [{"id": "size", "predictions": [{"name": %s, "probability": 1}]}]}',
    '{"predictions": [{"id": "size", "error": %s}]}',
    '{"predictions": [{"id": "size", "label": "x", "usage": {"prompt_tokens": %s}}]}',
    '{"predictions": [{"id": %s, "label": "x"}]}',
    '{"predictions": %s}',
    '{"choices": [{"index": 0, "message": {"content": %s}}]}',
    '{"choices": [{"index": 0, "finish_reason": %s, "message": {"refusal": %s}}]}',
    '{"choices": [{"index": %s}], "usage": %s}',
    '{"choices": %s, "error": %s}',
    "%s",
)


def test_any_value_at_any_place_is_an_answer_or_an_error(tmp_path: Path) -> None:
    template = tmp_path / "template.json"
    paths = {"answer": "predictions[*].label", "score": "predictions[*].score", "error": "error"}
    template.write_text(json.dumps({"body": "{code}", **paths}))
    bodies = [place.replace("%s", value).encode() for place in PLACES for value in VALUES]
    at = [0]
    with serving(lambda request: Answer(bodies[at[0]])) as server:
        models = (
            load(f"http:{server.url}", Options(retries=0)),
            load(f"http:{server.url}", Options(retries=0, template=str(template))),
            load("openai:m", Options(retries=0, base_url=server.url)),
        )
        for at[0], body in enumerate(bodies):
            for model in models:
                found = model.predict(examples())[0]
                assert (found.label is None) == bool(found.error), body[:100]
                json.dumps([found.score, found.candidates, found.text], allow_nan=False)
                assert len(found.error + found.text + found.finish_reason) < 5_000


def test_a_run_stores_what_a_hostile_server_says(tmp_path: Path, cache: Path) -> None:
    labels = ["\x1b[2J", "=1+1", "\ud800", "a\0b", "x" * 200_000, "</script>", "\n\r\n", ""]

    def answer(request: Request) -> Any:
        body: Any = request.body
        if body is None:
            return told({"status": "ok", "revision": "\ud800\x1b[2J", "labels": ["official"]})
        entries = []
        for number, program in enumerate(body["programs"]):
            label = labels[(number + len(program["code"])) % len(labels)]
            entries.append({"id": program["id"], "label": label})
            entries[-1]["usage"] = {"prompt_tokens": 10**4_000, "completion_tokens": 10**18}
            if number % 3 == 2:
                entries[-1] = {"id": program["id"], "error": label}
        return told({"predictions": entries})

    source = tmp_path / "A.java"
    methods = "".join(
        f"int f{n}(int a) {{ int b{n} = a; return b{n} + {n}; }}\n" for n in range(40)
    )
    source.write_text(f"class A {{ {methods} }}")
    out = tmp_path / "run"
    with serving(answer) as server:
        assert metamorph(
            "run", source, "--model", server.url, "--transform", "VN", "--out", out
        ) in (0, 3)
    report = tmp_path / "r.json"
    assert metamorph("report", out, "--format", "json", "--out", report) == 0
    accounts = json.loads(report.read_text())["accounting"]
    assert accounts["variants"] == accounts["answered"] + accounts["no_answer"] > 0


@pytest.mark.parametrize(
    "header",
    ["X-Key=s3cret\r\nHost: evil", "X-Key\r\nHost=s3cret", "X Key=s3cret", "X-Key=s3cr\0et"],
)
def test_a_header_of_several_lines_is_refused_in_one(
    header: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "A.java").write_text("class A { int f() { return 1; } }")
    with serving(lambda request: told({})) as server:
        options = ("--model", server.url, "--header", header, "--out", tmp_path / "run")
        assert metamorph("run", tmp_path, "--transform", "VN", *options) == 2
        assert server.requests == []
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "s3cr" not in said
