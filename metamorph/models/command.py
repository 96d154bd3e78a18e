"""Your own long-running program as a model, by JSON lines on its stdin and stdout."""

import json
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metamorph.errors import UserError
from metamorph.models.line_process import LineProcess
from metamorph.models.options import Options, only
from metamorph.models.protocol import Example, Prediction
from metamorph.models.records import BadAnswerError, prediction
from metamorph.tasks import Task
from metamorph.tasks import load as load_task

_FRUITLESS = 12
"""After so many deaths in a row without any answer it is seen whether it answers at all."""

_TIMEOUT_WEIGHT = 4
_HINT = "does it flush its output after each line?"
_LONGEST_LINE_SHOWN = 120

_Batch = dict[str, Example]
"""Examples by the number under which the program is asked about them."""


@dataclass(slots=True)
class _Health:
    """What went wrong so far; fruitless: deaths since the last answer."""

    fruitless: int = 0
    given_up: bool = False
    nonsense: int = 0
    told: set[str] = field(default_factory=set)


class Command:
    """A program that reads one JSON object a line and answers with one, in any order.

    It is started at the first question, once a process, and again when it dies or is silent too
    long. The program that it dies of is found, so that the others of its batch get their answers.
    """

    def __init__(self, name: str, argv: Sequence[str], task: Task, timeout: float) -> None:
        self.name = name
        self._argv = tuple(argv)
        self._task = task
        self._timeout = timeout
        self._process: LineProcess | None = None
        self._asked = 0
        self._health = _Health()
        self._known: Example | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> Mapping[str, str]:
        """The command line; what it does cannot be hashed."""
        return {"kind": "command", "command": shlex.join(self._argv)}

    def label(self, method_name: str) -> str:
        """In the form of the task."""
        return self._task.label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """Ask the program; it may be silent as long as the time limit says."""
        with self._lock:
            return self._predict(batch)

    def close(self) -> None:
        """End the program; the next question starts it again."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _predict(self, batch: Sequence[Example]) -> list[Prediction]:
        whole = self._numbered(batch)
        groups = [whole]
        answers: dict[str, Prediction] = {}
        while groups:
            group = groups.pop()
            fresh = self._process is None
            error = self._ask(group, answers)
            silent = {key: example for key, example in group.items() if key not in answers}
            given_up = self._health.given_up
            again = [] if given_up else _asked_again(group, silent, error, fresh)
            groups += again
            for key in silent.keys() - {key for part in again for key in part}:
                answers[key] = Prediction(group[key].id, None, error=error)
        return [answers[key] for key in whole]

    def _numbered(self, batch: Sequence[Example]) -> _Batch:
        """Numbers that no other question had, so that a late answer is not taken for another."""
        first = self._asked
        self._asked += len(batch)
        return {str(number): example for number, example in enumerate(batch, first)}

    def _ask(self, group: _Batch, answers: dict[str, Prediction]) -> str:
        """Collect answers; why the rest have none, or ""."""
        health = self._health
        if health.given_up:
            return "command-died"
        error = self._put(group, answers)
        if error:
            health.fruitless += _TIMEOUT_WEIGHT if error == "timeout" else 1
            if health.fruitless >= _FRUITLESS and not self._answers_still():
                health.given_up = True
                self._tell("gave no answer again and again: not asked any more")
        return error

    def _answers_still(self) -> bool:
        """Whether it answers what it answered before: then the programs are to blame."""
        known, self._known = self._known, None
        if known is None:
            return False
        self._put(self._numbered([known]), {})
        return self._known is not None

    def _put(self, group: _Batch, answers: dict[str, Prediction]) -> str:
        try:
            if self._process is None:
                self._process = LineProcess(self._argv)
            self._process.send(map(self._line, group, group.values()))
            return self._collect(self._process, group, answers)
        except OSError as failure:
            return self._failed("command-died", f"cannot be started ({failure.strerror})")

    def _line(self, key: str, example: Example) -> bytes:
        code = self._task.code(example.tree, example.node)
        about = {"id": key, "task": self._task.name, "language": "java", "code": code}
        return json.dumps(about).encode() + b"\n"

    def _collect(self, process: LineProcess, group: _Batch, answers: dict[str, Prediction]) -> str:
        left = set(group)
        deadline = time.monotonic() + self._timeout
        while left:
            line = process.receive(deadline)
            if line == b"":
                return self._failed("timeout", f"no answer for {self._timeout:g} s; {_HINT}")
            if line is None:
                return self._failed("command-died", "died")
            answer = self._answer(line, group, left)
            if answer is not None:
                key, answers[key] = answer[0], answer[1]
                left.remove(key)
                deadline = time.monotonic() + self._timeout
                self._health.fruitless, self._known = 0, group[key]
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
        """Count a line that is no answer; the 1st, 10th, 100th ... are shown."""
        self._health.nonsense += 1
        count = str(self._health.nonsense)
        if count.strip("0") == "1":
            shown = line.decode("utf-8", "backslashreplace").strip()[:_LONGEST_LINE_SHOWN]
            self._tell(f"no answer on its stdout, the {_nth(count)}: {shown}")

    def _failed(self, error: str, what: str) -> str:
        """End the program, and tell its last words once for each kind of failure."""
        words = ""
        if self._process is not None:
            process, self._process = self._process, None
            process.close()
            words = process.last_words()
        self._tell_once(error, "\n  ".join([what, *words.splitlines()]))
        return error

    def _tell_once(self, kind: str, text: str) -> None:
        if kind not in self._health.told:
            self._health.told.add(kind)
            self._tell(text)

    def _tell(self, text: str) -> None:
        print(f"metamorph: {self.name}: {text}", file=sys.stderr)


def _nth(count: str) -> str:
    return f"{count}st" if count == "1" else f"{count}th"


def _asked_again(group: _Batch, silent: _Batch, error: str, fresh: bool) -> list[_Batch]:
    """What to ask again, in parts, after a failure; the silent rest is to blame for it.

    A program that answers in order and falls silent does so at the first one that is silent.
    Other culprits are found by halving, in a new process, until they are alone.
    """
    items = list(silent.items())
    if error == "timeout" and len(silent) < len(group):
        return [dict(items[1:])] if items[1:] else []
    if error == "command-died" and (not fresh or len(silent) < len(group)):
        return [silent] if silent else []
    middle = len(items) // 2
    return [dict(items[middle:]), dict(items[:middle])] if middle else []


def load(rest: str, options: Options) -> Command:
    """The command line `rest`, split as a shell splits it; no shell runs."""
    only(options, "command")
    try:
        argv = shlex.split(rest)
    except ValueError as error:
        raise UserError(f"model command:{rest}: {error}; quote as in a shell") from error
    if not argv:
        raise UserError("model command: names no program; give --model 'command:PROGRAM ARG...'")
    if shutil.which(argv[0]) is None:
        raise UserError(f"model command:{rest}: no program {argv[0]!r}; give its path")
    return Command(f"command:{rest}", argv, load_task(options.task), options.timeout)
