"""`metamorph models serve`, asked over the wire."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

import pytest
import requests
from servers import examples, java, service

from metamorph.cli import main
from metamorph.corpus import read_sources, sample_path
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models import Model, load
from metamorph.models.entries import entry_of
from metamorph.models.options import Options
from metamorph.models.protocol import Example, Prediction
from metamorph.models.serving import LARGEST_BODY, MOST_PROGRAMS, Program, answered


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a server of code2vec, in a process of its own."""
    command = [sys.executable, "-m", "metamorph", "models", "serve"]
    server = subprocess.Popen(
        [*command, "--model", "code2vec", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    yield server.stdout.readline().split()[-1]
    server.send_signal(signal.SIGINT)
    _, said = server.communicate(timeout=20)
    assert server.returncode == 130
    assert "Traceback" not in said


def post(url: str, body: object) -> requests.Response:
    return requests.post(url, json=body, timeout=30)


def sample() -> list[Example]:
    """Every method of the sample corpus."""
    found = []
    for source in read_sources([str(sample_path())]):
        assert isinstance(source, SourceFile)
        tree = parse(source.data)
        found += [
            Example(f"{source.path}:{method.index}", tree, method.node)
            for method in methods(source, tree)
        ]
    return found


def test_a_served_model_answers_as_it_does_at_home(url: str) -> None:
    asked = sample()
    home, away = load("code2vec"), load(f"http:{url}")
    at_home = {answer.id: answer for answer in home.predict(asked)}
    served = {answer.id: answer for answer in away.predict(asked)}
    assert len(served) == len(asked) > 200
    for id, answer in at_home.items():
        there = served[id]
        assert (there.label, there.score, there.error) == (answer.label, answer.score, answer.error)
        assert there.candidates == answer.candidates
    for name in ("getX2HTTPServer", "$", "名前", "utf8"):
        assert away.label(name) == home.label(name)


def test_health_tells_the_model_and_its_revision(url: str) -> None:
    told = requests.get(url.replace("/predict", "/health"), timeout=30).json()
    assert (told["status"], told["model"], told["task"]) == ("ok", "code2vec", "method-name")
    assert load(f"http:{url}").identity["revision"] == told["revision"]


def test_programs_that_are_no_method_are_errors_of_their_own(url: str) -> None:
    codes = {
        "plain": "int f(int n) { return n; }",
        "documented": "/** Says. */\n@Override public int f(int n) { return n; }",
        "in a class": "class A { int f(int n) { return n; } }",
        "with a class inside": "int f() { return new A() { int g() { return 1; } }.g(); }",
        "broken": "int f( {",
        "empty": "",
        "no body": "abstract class A { abstract int f(); }",
        "two": "int f() { return 1; } int g() { return 2; }",
        "deep": "int f() { return " + "(" * 5_000 + "1" + ")" * 5_000 + "; }",
        "surrogate": 'String f() { return "\ud800"; }',
    }
    body = {"programs": [{"id": id, "code": code} for id, code in codes.items()], "top_k": 2}
    answer = post(url, body)
    assert answer.status_code == 200
    found = {entry["id"]: entry for entry in answer.json()["predictions"]}
    assert list(found) == list(codes)
    assert {id: entry["error"] for id, entry in found.items() if "error" in entry} == {
        "broken": "does-not-parse",
        "empty": "no-method",
        "no body": "no-method",
        "two": "several-methods",
    }
    assert len(found["plain"]["candidates"]) == 2
    assert found["plain"]["candidates"] == found["in a class"]["candidates"]


@pytest.mark.parametrize(
    ("body", "status", "fault"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b"\xff", 400, "not JSON"),
        ([], 400, "not a JSON object"),
        ({}, 400, "programs is not a list"),
        ({"programs": {}}, 400, "programs is not a list"),
        ({"programs": ["int f() {}"]}, 400, "an object with id and code"),
        ({"programs": [{"id": 1, "code": ""}]}, 400, "both texts"),
        ({"programs": [{"id": "1", "code": None}]}, 400, "both texts"),
        ({"programs": [{"id": "a" * 999, "code": ""}]}, 400, "longer than"),
        ({"programs": [{"id": "a", "code": ""}] * 2}, 400, "same id"),
        ({"programs": [], "top_k": 0}, 400, "top_k"),
        ({"programs": [], "top_k": True}, 400, "top_k"),
        ({"programs": [], "task": "label"}, 400, "'method-name' only"),
        ({"programs": [], "language": "c"}, 400, "'java' only"),
        ({"programs": [], "code": ""}, 400, "unknown field 'code'"),
        ({"programs": [{}] * (MOST_PROGRAMS + 1)}, 413, "send them in parts"),
        (b" " * (LARGEST_BODY + 1), 413, "more than"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_with_its_reason(
    url: str, body: object, status: int, fault: str
) -> None:
    sent = {"data": body} if isinstance(body, bytes) else {"json": body}
    answer = requests.post(url, timeout=30, **sent)  # type: ignore[arg-type]
    assert answer.status_code == status
    assert fault in answer.json()["error"]


@pytest.mark.parametrize("id", ["<script>", "\x00", "\ud800", "../..", "é", "a" * 256, ""])
def test_any_text_may_be_an_id(url: str, id: str) -> None:
    answer = post(url, {"programs": [{"id": id, "code": "int f(int n) { return n; }"}]})
    assert [entry["id"] for entry in answer.json()["predictions"]] == [id]


def test_other_paths_and_methods_are_not_there(url: str) -> None:
    assert requests.get(url, timeout=30).status_code == 405
    assert requests.get(url + "/../../etc/passwd", timeout=30).status_code == 404


class Strange:
    """A model that answers late, twice, for others, with infinities, or not at all."""

    def __init__(self) -> None:
        self.name = "strange"
        self.identity: dict[str, str] = {}

    def label(self, method_name: str) -> str:
        return method_name

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        if len(batch) > 2:
            raise RuntimeError("too many")
        infinite = Prediction(batch[-1].id, "x", float("nan"), (("x", float("inf")),))
        return [infinite, Prediction("other", "y")]


def test_a_model_that_fails_is_an_error_of_its_programs() -> None:
    model: Model = Strange()
    programs = [Program(example.id, example.code) for example in examples(java(3))]
    assert [a.error for a in answered(model, programs)] == ["model-raised-RuntimeError"] * 3
    assert [(a.id, a.label, a.error) for a in answered(model, programs[:2])] == [
        ("m0", None, "missing-answer"),
        ("m1", "x", ""),
    ]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--port", "99999"], "not a port"),
        (["--port", "80x"], "not a port"),
        (["--host", "256.256.256.256", "--port", "0"], "cannot listen"),
    ],
)
def test_a_place_where_nobody_can_listen_is_told_in_one_line(
    arguments: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "serve", "--model", "code2vec", *arguments]) == 2
    said = capsys.readouterr().err
    assert fault in said and said.count("\n") == 1


def test_a_missing_extra_is_answered_with_the_pip_line() -> None:
    script = (
        "import sys\n"
        "sys.modules['uvicorn'] = None\n"
        "from metamorph.cli import main\n"
        "sys.exit(main(['models', 'serve', '--model', 'code2vec']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "pip install 'metamorph-java[serve]'" in done.stderr
    assert done.stderr.count("\n") == 1


class Slow:
    """A model that takes its time: until it is told to go on."""

    def __init__(self) -> None:
        self.name = "slow"
        self.identity: dict[str, str] = {}
        self.go_on = threading.Event()

    def label(self, method_name: str) -> str:
        return method_name

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        assert self.go_on.wait(60)
        return [Prediction(example.id, "x", 0.5) for example in batch]


def test_who_comes_when_too_many_wait_is_told_to_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("metamorph.models.serving.MOST_WAITING", 1)
    slow = Slow()
    with service(slow) as (address, _):
        programs = [{"id": "a", "code": "int f() { return 1; }"}]
        with ThreadPoolExecutor(2) as askers:
            asked = [askers.submit(post, address, {"programs": programs}) for _ in range(2)]
            wait(asked, 60, FIRST_COMPLETED)
            slow.go_on.set()
        both = [future.result() for future in asked]
        again = load(f"http:{address}", Options(batch=1)).predict(examples(java(2)))
    assert sorted(answer.status_code for answer in both) == [200, 503]
    assert {answer.headers.get("Retry-After") for answer in both} == {None, "1"}
    assert [answer.error for answer in again] == ["", ""]


def test_scores_that_are_no_numbers_never_leave_the_server() -> None:
    entry = entry_of(Prediction("a", "x", float("nan"), (("x", float("inf")), ("y", 0.5))), 10)
    candidates = [{"label": "y", "score": 0.5}]
    assert entry == {"id": "a", "label": "x", "score": None, "candidates": candidates}
