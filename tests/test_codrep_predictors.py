"""CodRep: predictors that come along, and programs that do wrong in every way."""

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from codrep_tasks import INSERTED, PROGRAM, SOLUTION, on_stdin, write_dataset
from studies import metamorph as cli

from metamorph.codrep.external import (
    CRASHED,
    NO_NUMBER,
    OUT_OF_RANGE,
    SILENT,
    TIMEOUT,
    TWICE,
    External,
)
from metamorph.codrep.predictors import EMBEDDED, Answer, load
from metamorph.codrep.reading import Question

QUESTIONS = [Question(b"x = %d;" % n, b"class A {\n  int x;\n}\n") for n in range(5)]
OPENING = """\
import os, sys, time
folder = sys.argv[1]
names = sorted(os.listdir(folder), key=lambda name: int(name[:-4]))
def text(name):
    return open(os.path.join(folder, name)).read()
def say(line):
    print(line, flush=True)
"""


def program(tmp_path: Path, body: str, time_limit: float = 30.0) -> External:
    """A predictor that runs these lines of Python."""
    script = tmp_path / "predictor.py"
    script.write_text(OPENING + body)
    argv = [sys.executable, str(script), "{tasks}"]
    return External("p", argv, time_limit, tmp_path / "stderr")


def lines(answers: Sequence[Answer]) -> list[int | None]:
    return [answer.line for answer in answers]


def faults(answers: Sequence[Answer]) -> list[str]:
    return [answer.fault for answer in answers]


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_predictor_finds_the_line_that_was_edited(name: str) -> None:
    predictor = load(name, 1.0)
    assert lines(predictor.predict([Question(INSERTED, PROGRAM)])) == [SOLUTION]


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_line_that_stands_there_already_is_not_the_one(name: str) -> None:
    asked = Question(b"int a = 1;", b"class A {\n  int a = 1;\n  int a = 2;\n}\n")
    assert lines(load(name, 1.0).predict([asked])) == [3]


@pytest.mark.parametrize("name", EMBEDDED)
@pytest.mark.parametrize("text", [b"\n\n  \n", b"x = 1;\n", b"\r\n"])
def test_without_any_other_line_there_is_no_answer(name: str, text: bytes) -> None:
    assert load(name, 1.0).predict([Question(b"x = 1;", text)])[0].line is None


@pytest.mark.parametrize("name", EMBEDDED)
def test_bytes_of_any_encoding_are_compared(name: str) -> None:
    asked = Question(b"// caf\xe9 bar", b"\xef\xbb\xbf\x00\r\n// caf\xe9\r\n{\x0c}\xff\r\n")
    assert lines(load(name, 1.0).predict([asked])) == [2]


@pytest.mark.parametrize("name", EMBEDDED)
def test_endless_lines_take_no_endless_time(name: str) -> None:
    line = b'x = "' + b"ab" * 100_000
    asked = Question(line + b'c";', b"class A {\n" + line + b'd";\n' + line + b'c";\n}\n')
    started = time.process_time()
    assert lines(load(name, 1.0).predict([asked])) == [2]
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "path", ["os.path.join(folder, name)", "name", "'Tasks/' + name", "'./x/Tasks/' + name"]
)
def test_paths_may_be_absolute_or_relative(tmp_path: Path, path: str) -> None:
    predictor = program(tmp_path, f"for name in names: say({path} + ' 2')")
    assert lines(predictor.predict(QUESTIONS)) == [2] * 5


def test_tasks_are_laid_out_as_the_competition_does_without_solutions(tmp_path: Path) -> None:
    body = """\
assert names == ["1.txt", "2.txt", "3.txt", "4.txt", "5.txt"], names
assert os.listdir(os.path.dirname(folder)) == ["Tasks"]
assert os.path.basename(folder) == "Tasks"
assert text("2.txt") == "x = 1;\\n\\nclass A {\\n  int x;\\n}\\n"
for name in names: say(name + " 1")
"""
    assert lines(program(tmp_path, body).predict(QUESTIONS)) == [1] * 5


def test_what_a_predictor_does_wrong_costs_that_answer_only(tmp_path: Path) -> None:
    body = """\
for answer in ("1.txt 0", "2.txt 1", "2.txt 2", "3.txt 1.5", "5.txt 3 2 1", "hello", "9.txt 1"):
    say(answer)
say(os.path.join("/elsewhere", "4.txt 2"))
"""
    predictor = program(tmp_path, body)
    answers = predictor.predict(QUESTIONS)
    assert lines(answers) == [None, None, None, None, 3]
    assert faults(answers) == [OUT_OF_RANGE, TWICE, NO_NUMBER, SILENT, ""]
    assert predictor.nonsense == 3


def test_a_crash_on_one_file_costs_that_file_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = """\
for name in names:
    if text(name).startswith("x = 2;"):
        sys.exit("no such thing")
    say(name + " 2")
"""
    answers = program(tmp_path, body).predict(QUESTIONS)
    assert lines(answers) == [2, 2, None, 2, 2]
    assert faults(answers)[2] == CRASHED
    assert "no such thing" in (tmp_path / "stderr").read_text()
    assert capsys.readouterr().err == "metamorph: p: crashed\n  no such thing\n"


def test_a_file_that_a_program_never_ends_on_costs_that_file_only(tmp_path: Path) -> None:
    body = """\
for name in names:
    if text(name).startswith("x = 1;"):
        time.sleep(60)
    say(name + " 2")
"""
    answers = program(tmp_path, body, time_limit=3.0).predict(QUESTIONS[:3])
    assert lines(answers) == [2, None, 2]
    assert faults(answers)[1] == TIMEOUT


def test_a_program_that_always_hangs_is_given_up(tmp_path: Path) -> None:
    started = time.monotonic()
    answers = program(tmp_path, "time.sleep(60)", time_limit=0.3).predict(QUESTIONS * 20)
    assert faults(answers) == [TIMEOUT] * 100
    assert time.monotonic() - started < 50


def test_a_program_that_always_crashes_is_given_up(tmp_path: Path) -> None:
    answers = program(tmp_path, "sys.exit(1)").predict(QUESTIONS * 20)
    assert faults(answers) == [CRASHED] * 100


def test_binary_output_is_counted_and_not_fatal(tmp_path: Path) -> None:
    body = "sys.stdout.buffer.write(b'\\xff\\x00\\n1.txt \\xe9\\n2.txt 2\\n')"
    predictor = program(tmp_path, body)
    answers = predictor.predict(QUESTIONS[:2])
    assert (lines(answers), faults(answers)) == ([None, 2], [NO_NUMBER, ""])
    assert predictor.nonsense == 1


def test_a_program_that_prints_without_end_is_ended(tmp_path: Path) -> None:
    predictor = program(tmp_path, "while True: os.write(1, b'x' * 2**20)", time_limit=60)
    assert faults(predictor.predict(QUESTIONS[:1])) == [TIMEOUT]


def test_what_a_program_leaves_running_is_ended(tmp_path: Path) -> None:
    mark = tmp_path / "late"
    body = f"""\
import subprocess
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1); open({str(mark)!r}, 'w')"])
say("1.txt 1")
"""
    assert lines(program(tmp_path, body).predict(QUESTIONS[:1])) == [1]
    time.sleep(1.3)
    assert not mark.exists()


def test_no_question_starts_no_program(tmp_path: Path) -> None:
    assert program(tmp_path, "sys.exit('started')").predict([]) == []
    assert not (tmp_path / "stderr").exists()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("oracle", "unknown predictor 'oracle'"),
        ("command:python3 x.py", "neither {tasks} nor {dataset}"),
        ("command:python3 'x.py {tasks}", "quote as in a shell"),
        ("command:./nowhere {tasks}", "./nowhere cannot be started"),
    ],
)
def test_a_predictor_that_cannot_be_is_a_fault_of_the_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, fault: str
) -> None:
    dataset = write_dataset(tmp_path, (PROGRAM, SOLUTION))
    assert cli("codrep", "predict", "-d", dataset, "--predictor", name) == 2
    assert fault in capsys.readouterr().err


def test_predictions_can_be_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = write_dataset(tmp_path, (PROGRAM, SOLUTION), (b"", 1), (PROGRAM, SOLUTION))
    assert cli("codrep", "predict", "-d", dataset) == 0
    out, err = capsys.readouterr()
    assert "2.txt: no program: not asked" in err
    on_stdin(monkeypatch, out)
    assert cli("codrep", "evaluate", "-d", dataset) == 0
    assert "Recall@1: 0.6666666666666666" in capsys.readouterr().out
