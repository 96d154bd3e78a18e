"""The limits on time and memory: what goes over them is left out whole, and by name."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_shapes import SHAPES, in_class
from studies import metamorph as cli
from studies import rows, start, study, write_corpus

import metamorph.plugins
import metamorph.transforms
from metamorph.java.tree import parse
from metamorph.limits import MEMORY, TIME, Guard, Limits, OverLimitError

PLAIN = b"int plain(int a) { int b = a; int c = 2; boolean d = a > 1; return d ? b : c; }\n"
HOSTILE = PLAIN.replace(b"plain", b"hostile")
ENDLESS = '''
"""Endless: finds one site, and of a method called hostile another one for ever."""

from metamorph.java.edits import Edit
from metamorph.java.sites import Site

CODE, NAME, PLACES = "EL", "endless", ("single", "all", "random")


def sites(method, choices):
    at = method.tree.start[method.body] + 1
    yield Site(CODE, 0, at, (Edit(at, at, b" ;"),))
    while method.name == "hostile":
        pass
'''
LIMIT = ("--time-limit", "0.3")


def reason_of(work: Iterator[object], limits: Limits) -> str:
    """Why the work is left, or "" where it comes to its end."""
    try:
        for _ in Guard(limits).each(work):
            pass
    except OverLimitError as error:
        return error.reason
    return ""


def busy(seconds: float) -> Iterator[int]:
    """Steps of work that take so much processor time altogether."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        yield sum(range(100))


def endless() -> Iterator[int]:
    """One step that never ends, and takes every fault for its own."""
    while True:
        try:
            sum(range(100))
        except Exception:
            continue
    yield 0


def test_a_step_that_never_ends_is_left() -> None:
    assert reason_of(endless(), Limits(0.1, 0)) == TIME


def test_steps_are_added_up_and_what_is_done_between_them_is_not() -> None:
    assert reason_of(busy(0.5), Limits(0.05, 0)) == TIME
    guard, began = Guard(Limits(0.1, 0)), time.thread_time()
    for _ in guard.each(iter(range(3))):
        while time.thread_time() < began + 0.15:
            pass
    assert reason_of(busy(0.02), Limits(0, 0)) == ""


def test_memory_that_grows_without_end_is_left() -> None:
    def growing() -> Iterator[int]:
        kept: list[bytearray] = []
        while True:
            kept.append(bytearray(b"x" * 1_000_000))
        yield len(kept)

    assert reason_of(growing(), Limits(0, 150)) == MEMORY


def test_in_another_thread_the_steps_are_looked_at() -> None:
    reasons: list[str] = []

    def work() -> None:
        reasons.append(reason_of(busy(5), Limits(0.05, 0)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert reasons == [TIME]


def test_a_file_has_ten_times_the_time_of_a_method() -> None:
    guard = Guard(Limits(0.02, 0))
    done = 0
    with pytest.raises(OverLimitError, match=TIME):
        while True:
            guard.begin_method()
            with guard:
                sum(busy(0.016))
            done += 1
    assert done >= 10


def test_a_tree_too_large_for_the_memory_is_not_made() -> None:
    tree = parse(SHAPES["statements"](5_000))
    with pytest.raises(OverLimitError, match=MEMORY), Guard(Limits(0, 5)):
        tree.kind  # noqa: B018
    assert len(tree.kind) == len(tree) > 50_000


ANGLES = b"<x" * 6_000
OPEN = b"A" + b"<A" * 6_000


@pytest.mark.parametrize(
    "text",
    [
        b'String s = "%s";' % ANGLES,
        b'String s = "\\"%s";' % ANGLES,
        b'String s = """\n "%s" """;' % ANGLES,
        b"char[] all = {" + b"'<', '\\'', '\"', '\\u003c', " * 6_000 + b"};",
        b"int x; // it's \"%s\n" % ANGLES,
        b"int x; /* it's \"\n%s */" % ANGLES,
    ],
    ids=["string", "escaped-quote", "text-block", "characters", "line-comment", "block-comment"],
)
def test_angles_in_literals_and_comments_open_nothing(text: bytes) -> None:
    with Guard(Limits()):
        assert not parse(b"class A { %s }" % text).has_error


@pytest.mark.parametrize(
    "text",
    [
        OPEN,
        b'String s = "\n" + "%s' % OPEN,
        b'String s = "\\{%s}";' % OPEN,
        b"/* %s" % OPEN,
        b"'\"' + 'long\"' + %s + \"" % OPEN,
    ],
    ids=["code", "string-over-lines", "interpolation", "open-comment", "long-character"],
)
def test_angles_that_may_be_code_are_refused(text: bytes) -> None:
    with pytest.raises(OverLimitError, match=TIME), Guard(Limits()):
        parse(b"class A { %s x; }" % text)


def test_the_clock_does_not_end_the_process(folder: Path) -> None:
    (folder / "A.java").write_bytes(in_class(PLAIN))
    process = start(folder, "contexts", "A.java", "--style", "code2vec")
    assert process.communicate(timeout=60)[0].startswith("plain ")
    assert process.returncode == 0


@pytest.fixture
def endless_transform(folder: Path) -> Iterator[None]:
    """A transformation of another distribution: EL."""
    (folder / "endless_transform.py").write_text(ENDLESS)
    info = folder / "endless-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: endless\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[metamorph.transforms]\nel = endless_transform\n")
    _forget()
    yield
    _forget()
    sys.modules.pop("endless_transform", None)


def _forget() -> None:
    metamorph.plugins._found.cache_clear()
    metamorph.transforms._loaded.cache_clear()


@pytest.fixture
def source(folder: Path, endless_transform: None) -> Path:
    """A file with a method over the limit between two that are not."""
    below = folder / "src"
    below.mkdir()
    after = PLAIN.replace(b"plain", b"after")
    (below / "A.java").write_bytes(in_class(PLAIN + HOSTILE + after))
    (below / "B.java").write_bytes(b"class B {}")
    return below


def test_a_method_over_the_limit_is_refused_whole(source: Path, folder: Path) -> None:
    run = study("run", source, *LIMIT, transform="VN,EL")
    stored = rows(run)
    assert {row[1] for row in stored["variants"]} == {0, 2}  # the methods beside it
    assert cli("report", run, "--format", "json", "--out", "r.json") == 0
    accounts = json.loads(Path("r.json").read_text())["accounting"]
    assert accounts["methods"] == 3
    assert {code: each["time-limit"] for code, each in accounts["refusals"].items()} == {
        "VN": 1,
        "EL": 1,
    }
    assert cli("report", run, "--format", "md", "--out", "r.md") == 0


def test_its_neighbours_have_the_rows_that_they_have_without_it(source: Path) -> None:
    stored = rows(study("run", source, *LIMIT, transform="VN,EL"))
    path = source / "A.java"
    path.write_bytes(path.read_bytes().replace(b"hostile", b"enemies"))
    alone = rows(study("alone", source, transform="VN,EL"))
    for table in ("methods", "variants"):
        beside = [row for row in alone[table] if row[1] != 1]
        assert [row for row in stored[table] if row[1] != 1] == beside


def test_every_command_refuses_it_whole(
    source: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = ("--transform", "EL", "--place", "single", *LIMIT)
    assert cli("transform", source, *made, "--format", "jsonl", "--out", "list") == 0
    lines = [json.loads(line) for line in (folder / "list" / "variants.jsonl").open()]
    hostile = [line for line in lines if line["method"] == "A.hostile"]
    assert [line.get("refused") for line in hostile] == ["time-limit"]
    assert len(lines) > 2
    tree = ("--transform", "EL", "--place", "random", *LIMIT, "--out", "tree")
    assert cli("transform", source, *tree) == 0
    assert HOSTILE in (folder / "tree" / "A.java").read_bytes()
    assert cli("suite", "build", source, *made, "--out", "suite") == 0
    counts = json.loads((folder / "suite" / "manifest.json").read_text())["counts"]
    assert counts["refusals"]["EL"] == {"time-limit": 1}
    assert "time-limit" in capsys.readouterr().err


def test_a_run_goes_on_with_its_own_limits_alone(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = study("run", source / "B.java", *LIMIT)
    again = ("--model", "python:models_for_tests:word", "--transform", "VN", "--out", run)
    assert cli("run", source / "B.java", *again, "--resume") == 2
    assert "--time-limit was 0.3, now 60.0" in capsys.readouterr().err


IN_WORKERS = """import multiprocessing
import time

def burn():
    end = time.thread_time() + 1
    while time.thread_time() < end:
        pass

if multiprocessing.parent_process():
    {}
"""
COMMANDS = {
    "run": ("run", "src", "--model", "python:models_for_tests:word"),
    "tree": ("transform", "src"),
    "list": ("transform", "src", "--format", "jsonl"),
    "suite": ("suite", "build", "src"),
}


def with_workers(folder: Path, command: tuple[str, ...], at_start: str) -> int:
    """The exit code with EL in two workers, who do something more when they load it."""
    (folder / "endless_transform.py").write_text(IN_WORKERS.format(at_start) + ENDLESS)
    write_corpus(folder / "src")
    made = ("--transform", "EL", "--place", "all", "--workers", 2)
    return cli(*command, *made, *LIMIT, "--out", "out")


@pytest.mark.usefixtures("endless_transform")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_what_a_transformation_takes_to_be_loaded_is_charged_to_no_file(
    command: tuple[str, ...], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert with_workers(folder, command, "burn()") == 0
    assert "time-limit" not in "".join(capfd.readouterr())
    assert list((folder / "out").iterdir())


@pytest.mark.usefixtures("endless_transform")
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_transformation_that_workers_cannot_load_is_told_and_no_method_is_blamed(
    command: tuple[str, ...], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert with_workers(folder, command, "raise KeyError(5)") == 2
    err = capfd.readouterr().err
    assert err.splitlines()[-1] == "metamorph: error: plugin EL of endless 1: KeyError: 5"
    assert "Traceback" not in err
