"""Your own long-running program as a model, by JSON lines on its stdin and stdout."""

import json
import queue
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from metamorph.errors import UserError
from metamorph.models.line_process import LineProcess
from metamorph.models.options import Options
from metamorph.models.protocol import Example, Prediction
from metamorph.models.records import BadAnswerError, prediction
from metamorph.tasks import Task
from metamorph.tasks import load as load_task

_FRUITLESS = 12
"""So often in a row may the program die without any answer; halving a full batch takes ten."""

_TIMEOUT_WEIGHT = 4
_LONGEST_LINE_SHOWN = 120

_Batch = dict[str, Example]
"""Examples by the number under which the program is asked about them."""


@dataclass(slots=True)
class _Health:
    """What went wrong so far; fruitless: deaths since the last answer."""

    fruitless: int = 0
    nonsense: int = 0
    told: set[str] = field(default_factory=set)


class Command:
    """A program that reads one JSON object a line and answers with one, in any order.

    It is started at the first question, once a process, and again when it dies. A program that
    it dies of is found by halving, so that the others of its batch keep their answers.
    """

    def __init__(self, name: str, argv: Sequence[str], task: Task, timeout: float) -> None:
        self.name = name
        self._argv = tuple(argv)
        self._task = task
        self._timeout = timeout
        self._process: LineProcess | None = None
        self._asked = 0
        self._health = _Health()
        self._lock = threading.Lock()

    @property
    def identity(self) -> Mapping[str, str]:
        """The command line; what it does cannot be hashed."""
        return {"kind": "command", "command": shlex.join(self._argv)}

    def label(self, method_name: str) -> str:
        """In the form of the task."""
        return self._task.label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """Ask the program; each batch, and each part of one that is asked again, has its time."""
        with self._lock:
            return self._predict(batch)

    def close(self) -> None:
        """End the program; the next question starts it again."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _predict(self, batch: Sequence[Example]) -> list[Prediction]:
        whole = self._numbered(batch)
        groups = [(whole, 1)]
        answers: dict[str, Prediction] = {}
        while groups:
            group, attempt = groups.pop()
            error = self._ask(group, answers)
            silent = {key: example for key, example in group.items() if key not in answers}
            if not silent:
                continue
            if error == "command-died" and not self._given_up and attempt == 1:
                groups.append((silent, 2))
            elif error == "command-died" and not self._given_up and len(silent) > 1:
                groups += [(half, 2) for half in _halves(silent)]
            else:
                answers |= {k: Prediction(e.id, None, error=error) for k, e in silent.items()}
        return [answers[key] for key in whole]

    @property
    def _given_up(self) -> bool:
        return self._health.fruitless >= _FRUITLESS

    def _numbered(self, batch: Sequence[Example]) -> _Batch:
        """Numbers that no other question had, so that a late answer is not taken for another."""
        first = self._asked
        self._asked += len(batch)
        return {str(number): example for number, example in enumerate(batch, first)}

    def _ask(self, group: _Batch, answers: dict[str, Prediction]) -> str:
        """Collect answers; why the rest have none, or ""."""
        if self._given_up:
            return "command-died"
        before = len(answers)
        try:
            if self._process is None:
                self._process = LineProcess(self._argv)
            self._process.send(map(self._line, group, group.values()))
            error = self._collect(self._process, group, answers)
        except OSError as failure:
            error = self._failed("command-died", f"cannot be started ({failure.strerror})")
        if len(answers) > before:
            self._health.fruitless = 0
        if error:
            self._health.fruitless += _TIMEOUT_WEIGHT if error == "timeout" else 1
            self._tell_given_up()
        return error

    def _line(self, key: str, example: Example) -> bytes:
        code = self._task.code(example.tree, example.node)
        about = {"id": key, "task": self._task.name, "language": "java", "code": code}
        return json.dumps(about).encode() + b"\n"

    def _collect(self, process: LineProcess, group: _Batch, answers: dict[str, Prediction]) -> str:
        deadline = time.monotonic() + self._timeout
        left = set(group)
        while left:
            try:
                line = process.receive(deadline - time.monotonic())
            except queue.Empty:
                return self._failed("timeout", f"no answer within {self._timeout:g} seconds")
            if line is None:
                return self._failed("command-died", "died")
            answer = self._answer(line, group, left)
            if answer is not None:
                key, answers[key] = answer[0], answer[1]
                left.remove(key)
        return ""

    def _answer(self, line: bytes, group: _Batch, left: set[str]) -> tuple[str, Prediction] | None:
        """The question's number and the answer; None for a line that answers no open question."""
        try:
            record = json.loads(line)
            key = str(record["id"])
        except (ValueError, RecursionError, TypeError, KeyError):
            key = ""
        if key not in left:
            self._nonsense(line)
            return None
        try:
            return key, prediction(group[key].id, record, self._task)
        except BadAnswerError:
            self._nonsense(line)
            return key, Prediction(group[key].id, None, error="bad-answer")

    def _nonsense(self, line: bytes) -> None:
        self._health.nonsense += 1
        shown = line.decode("utf-8", "backslashreplace").strip()[:_LONGEST_LINE_SHOWN]
        self._tell_once("nonsense", f"a line on its stdout is no answer: {shown}")

    def _failed(self, error: str, what: str) -> str:
        """End the program, and tell its last words once for each kind of failure."""
        words = ""
        if self._process is not None:
            process, self._process = self._process, None
            process.close()
            words = process.last_words()
        self._tell_once(error, "\n  ".join([what, *words.splitlines()]))
        return error

    def _tell_given_up(self) -> None:
        if self._given_up:
            self._tell_once("given-up", "gave no answer again and again: not asked any more")

    def _tell_once(self, kind: str, text: str) -> None:
        if kind not in self._health.told:
            self._health.told.add(kind)
            print(f"metamorph: {self.name}: {text}", file=sys.stderr)


def _halves(group: _Batch) -> Iterable[_Batch]:
    items = list(group.items())
    middle = len(items) // 2
    return dict(items[middle:]), dict(items[:middle])


def load(rest: str, options: Options) -> Command:
    """The command line `rest`, split as a shell splits it; no shell runs."""
    try:
        argv = shlex.split(rest)
    except ValueError as error:
        raise UserError(f"model command:{rest}: {error}; quote as in a shell") from error
    if not argv:
        raise UserError("model command: names no program; give --model 'command:PROGRAM ARG...'")
    if shutil.which(argv[0]) is None:
        raise UserError(f"model command:{rest}: no program {argv[0]!r}; give its path")
    return Command(f"command:{rest}", argv, load_task(options.task), options.timeout)
