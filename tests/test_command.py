"""Programs of the user's as models, with all that they may do wrong."""

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from asked import examples
from studies import column, metamorph, write_corpus

from metamorph.errors import UserError
from metamorph.models import Options, load
from metamorph.models.command import Command
from metamorph.models.protocol import Prediction

PROGRAM = """
import json, os, sys, time
started = open("started", "a"); started.write("x"); started.flush()
def say(id, **rest): print(json.dumps(dict(rest, id=id)), flush=True)
for number, line in enumerate(sys.stdin):
    asked = json.loads(line)
    id, code = asked["id"], asked["code"]
    {body}
"""
NAMES = [f"m{number}" for number in range(12)]
SOURCE = "\n".join(f"int {name}() {{ return c{name}; }}" for name in NAMES).encode()

Make = Callable[..., Command]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Makes a model of a program with that loop body; all are ended after the test."""
    monkeypatch.chdir(tmp_path)
    made: list[Command] = []

    def make(body: str, timeout: float = 20.0) -> Command:
        Path("program.py").write_text(PROGRAM.format(body=body))
        name = f"command:{shlex.quote(sys.executable)} -S program.py"
        model = load(name, Options(timeout=timeout))
        assert isinstance(model, Command)
        made.append(model)
        return model

    yield make
    for model in made:
        model.close()


def starts() -> int:
    """How often the program was started."""
    return len(Path("started").read_text()) if Path("started").exists() else 0


def said(model: Command, source: bytes = SOURCE) -> dict[str, str | None]:
    """The label of each answer, or its error."""
    return {answer.id: answer.label or answer.error for answer in model.predict(examples(source))}


def test_a_program_is_asked_with_the_masked_code_and_answers_with_a_label(command: Make) -> None:
    model = command('say(id, label=" ".join([asked["task"], asked["language"], code]))')
    (answer,) = model.predict(examples(b"int two() { return 2; }"))
    assert answer == Prediction("two", "method|name|java|int|method|name|return|2")


def test_answers_may_come_in_any_order(command: Make) -> None:
    model = command(
        "kept = globals().setdefault('kept', []); kept.append((id, code))\n"
        "    if len(kept) == 12:\n"
        "        for id, code in reversed(kept): say(id, label=code.split()[4])"
    )
    assert said(model) == {name: f"cm|{name[1:]}" for name in NAMES}


def test_candidates_are_sorted_and_alike_ones_are_one(command: Make) -> None:
    given = [("getX", 0.1), ("set_x", 0.7), ("setX", 0.2)]
    model = command(
        f"say(id, candidates=[dict(label=label, score=score) for label, score in {given}])"
    )
    (answer,) = model.predict(examples(b"int two() { return 2; }"))
    assert answer.label == "set|x"
    assert answer.score == 0.7
    assert answer.candidates == (("set|x", 0.7), ("get|x", 0.1))


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ('say(id, error="too long\\n for me")', "too long for me"),
        ("say(id)", "no-answer"),
        ("say(id, label=None)", "no-answer"),
        ('say(id, label="()")', "empty-answer"),
        ("say(id, label=3)", "bad-answer"),
        ("say(id, candidates=3)", "bad-answer"),
        ('say(id, candidates=[{"label": "a", "score": float("nan")}])', "bad-answer"),
        ('say(id, candidates=[{"label": "a", "score": True}])', "bad-answer"),
        ('say(id, candidates=[{"label": "a", "score": 10 ** 400}])', "bad-answer"),
    ],
)
def test_what_is_no_answer_is_an_error_of_its_example(command: Make, body: str, error: str) -> None:
    assert set(said(command(body)).values()) == {error}


def test_a_program_starts_at_the_first_question_and_stays(command: Make) -> None:
    model = command('say(id, label="a" * (number + 1))')
    assert starts() == 0
    assert said(model)["m11"] == "a" * 12
    assert said(model)["m0"] == "a" * 13
    assert starts() == 1


def test_lines_that_answer_nothing_are_told_and_passed_over(
    command: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    model = command(
        'print("epoch", number); print("[1]"); say("other", label="x"); say(id, label="fine")\n'
        '    say(id, label="again")'
    )
    assert set(said(model).values()) == {"fine"}
    assert said(model)["m0"] == "fine"
    told = capfd.readouterr().err
    assert "no answer on its stdout, the 1st: epoch 0" in told
    assert "no answer on its stdout, the 10th: " in told


def test_a_dead_program_is_started_again_and_no_answer_is_lost(command: Make) -> None:
    model = command('say(id, label="fine"); number == 4 and sys.exit(3)')
    assert set(said(model).values()) == {"fine"}
    assert starts() == 3


def test_only_the_program_that_kills_it_has_no_answer(
    command: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    model = command(
        'print("weights loaded", file=sys.stderr, flush=True)\n'
        '    "cm7;" in code and os.abort()\n'
        '    say(id, label="fine")'
    )
    assert said(model) == dict.fromkeys(NAMES, "fine") | {"m7": "command-died"}
    told = capfd.readouterr().err
    assert "died\n  killed by SIGABRT\n  weights loaded" in told


def test_many_programs_that_kill_it_are_told_from_a_program_that_is_broken(command: Make) -> None:
    source = b"\n".join([SOURCE, *(b"int d%d() { return die; }" % n for n in range(13)), SOURCE])
    model = command('"die" in code and os._exit(1); say(id, label="fine")')
    answers = [a.label or a.error for a in model.predict(examples(source))]
    assert answers == ["fine"] * 12 + ["command-died"] * 13 + ["fine"] * 12


def test_a_program_that_never_answers_is_given_up(
    command: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    model = command('sys.exit("no weights here")')
    for _ in range(4):
        assert set(said(model).values()) == {"command-died"}
    assert starts() == 12
    told = capfd.readouterr().err
    assert told.count("exit code 1\n  no weights here") == 1
    assert "not asked any more" in told


def test_a_program_that_falls_silent_loses_the_example_at_which_it_did(command: Make) -> None:
    model = command('"cm5;" in code and time.sleep(60); say(id, label="fine")', timeout=2.0)
    assert said(model) == dict.fromkeys(NAMES, "fine") | {"m5": "timeout"}


def test_a_slow_program_may_take_longer_than_the_limit_in_all(command: Make) -> None:
    model = command('time.sleep(0.25); say(id, label="fine")', timeout=2.5)
    assert set(said(model).values()) == {"fine"}
    assert starts() == 1


def test_the_first_of_two_answers_counts(command: Make) -> None:
    model = command('say(id, label="first"); say(id, label="second")')
    assert set(said(model).values()) == {"first"}
    assert set(said(model).values()) == {"first"}


def test_floods_in_every_direction_block_nobody(command: Make) -> None:
    source = b"int f() { return %s; }" % (b" + ".join([b"number"] * 8_000))
    model = command(
        'sys.stderr.write("w" * 300_000 + "\\n"); print("x" * 300_000)\n'
        '    for _ in range(6000): print("log")\n'
        '    say(id, label="fine")'
    )
    assert said(model, source * 4) == {"f": "fine"}


def test_a_program_that_only_chatters_is_silent(command: Make) -> None:
    model = command('while True: print("still loading")', timeout=0.4)
    assert said(model, b"int two() { return 2; }") == {"two": "timeout"}


def test_a_program_that_does_not_read_does_not_block(command: Make) -> None:
    source = b"int f() { return %s; }" % (b" + ".join([b"number"] * 8_000))
    model = command("time.sleep(60)", timeout=0.4)
    before = time.monotonic()
    assert said(model, source) == {"f": "timeout"}
    assert time.monotonic() - before < 50


def test_what_the_program_started_ends_with_it(command: Make) -> None:
    model = command(
        "import subprocess\n"
        '    child = subprocess.Popen(["sleep", "300"])\n'
        "    say(id, label=str(child.pid))"
    )
    (child,) = said(model, b"int two() { return 2; }").values()
    model.close()
    assert child is not None
    assert gone(int(child))


def test_each_worker_has_a_program_of_its_own_and_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(PROGRAM.format(body='say(id, label=str(os.getpid()) + "p")'))
    write_corpus(Path("src"), 36, 1)
    model = f"command:{shlex.quote(sys.executable)} -S program.py"
    options = ("--model", model, "--transform", "VN", "--workers", "2", "--out", "run")
    assert metamorph("run", "src", *options) == 0
    pids = {str(label).partition("|")[0] for label in column(Path("run"), "methods", "label")}
    assert 1 <= len(pids) == starts() <= 2
    assert all(gone(int(pid)) for pid in pids)


def gone(pid: int) -> bool:
    """Whether the process has ended, or does so soon."""
    for _ in range(1_500):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("command:", "names no program"),
        ("command:no-such-program-here --fast", "no program 'no-such-program-here'"),
        ("command:python 'unfinished", "No closing quotation"),
    ],
)
def test_a_command_that_cannot_run_is_the_users_fault(name: str, fault: str) -> None:
    with pytest.raises(UserError, match=fault):
        load(name)


def test_no_shell_reads_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("echo.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'label': sys.argv[1]}), flush=True)\n"
    )
    model = load(f"command:{shlex.quote(sys.executable)} echo.py '$HOME;two words'")
    assert isinstance(model, Command)
    assert said(model, b"int two() { return 2; }") == {"two": "home|two|words"}
    model.close()
