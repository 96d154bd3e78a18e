"""Predictors that are programs: called with a folder of tasks, they print a path and a line each.

The tasks are laid out as DATASET/Tasks/1.txt, 2.txt, ..., the solutions withheld. What a program
does wrong costs the answers that it did not give, and no others.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from metamorph.codrep.predictors import Answer
from metamorph.codrep.reading import TASKS, Question
from metamorph.errors import UserError

CRASHED, TIMEOUT, SILENT = "crashed", "timeout", "silent"
TWICE, OUT_OF_RANGE, NO_NUMBER = "answered-twice", "out-of-range", "no-number"

_FRUITLESS = 12
"""After so many calls in a row without an answer the rest is given up."""
_TIMEOUT_WEIGHT = 6
_LARGEST_OUTPUT = 64 * 1024 * 1024
_POLL = 0.05
_WORDS_TOLD = 5
_LONGEST_TOLD = 200
_NAME = re.compile(r"(?:^|[/\\])(\d+)\.txt$")
_LINE = re.compile(r"(.*?\.txt)\s+(\S+)")


@dataclass(slots=True)
class External:
    """A command line with {tasks} or {dataset} in it, split already.

    time_limit: seconds of each call; stderr: the file to which its own words are added, the last
    of which are told when it first crashes. nonsense: lines of output so far that name no task.
    """

    name: str
    argv: Sequence[str]
    time_limit: float
    stderr: Path | None = None
    nonsense: int = field(default=0, init=False)
    _told: set[str] = field(default_factory=set, init=False)

    def predict(self, questions: Sequence[Question]) -> list[Answer]:
        """Answers of as many calls as it takes; a program that crashes is asked for the rest."""
        answers: dict[int, Answer] = {}
        groups, fruitless = [list(range(len(questions)))] if questions else [], 0
        while groups:
            group = groups.pop()
            found, ending = self._call([questions[number] for number in group])
            answers |= {group[place]: answer for place, answer in found.items()}
            silent = [number for number in group if number not in answers]
            if found:
                fruitless = 0
            elif ending:
                fruitless += _TIMEOUT_WEIGHT if ending == TIMEOUT else 1
            if not ending or len(group) == 1 or fruitless >= _FRUITLESS:
                answers |= {number: Answer(None, ending or SILENT) for number in silent}
            elif silent:
                groups += [silent] if found else _halves(silent)
        return [answers[number] for number in range(len(questions))]

    def _call(self, questions: Sequence[Question]) -> tuple[dict[int, Answer], str]:
        """Answers by the places of their questions, and how the program ended if not well."""
        with tempfile.TemporaryDirectory(prefix="metamorph-codrep-") as folder:
            dataset = Path(folder).resolve() / "Dataset"
            tasks = dataset / TASKS
            tasks.mkdir(parents=True)
            for number, question in enumerate(questions, 1):
                (tasks / f"{number}.txt").write_bytes(question.data)
            words = [w.replace("{tasks}", str(tasks)) for w in self.argv]
            words = [w.replace("{dataset}", str(dataset)) for w in words]
            with (
                open(Path(folder) / "out", "w+b") as out,
                open(Path(folder) / "errors", "w+b") as errors,
            ):
                ending = self._run(words, out, errors)
                self._keep(errors, ending)
                out.seek(0)
                lines = out.read(_LARGEST_OUTPUT).split(b"\n")
            return self._answers(lines, tasks, questions), ending

    def _run(self, words: Sequence[str], out: IO[bytes], errors: IO[bytes]) -> str:
        """Run to the end or to the limit; `crashed`, `timeout` or nothing."""
        try:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=out, stderr=errors, start_new_session=True
            )
        except OSError as error:
            raise UserError(
                f"predictor {self.name}: {words[0]} cannot be started ({error.strerror})"
            ) from error
        try:
            return _ending(process, (out, errors), time.monotonic() + self.time_limit)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _keep(self, errors: IO[bytes], ending: str) -> None:
        """Add its words to the file that is kept; tell the last of them, once for each ending."""
        errors.seek(0)
        words = errors.read(_LARGEST_OUTPUT)
        if self.stderr and words:
            with open(self.stderr, "ab") as kept:
                kept.write(words)
        if ending and ending not in self._told:
            self._told.add(ending)
            last = words.decode("utf-8", "backslashreplace").splitlines()[-_WORDS_TOLD:]
            told = "".join(f"\n  {line[:_LONGEST_TOLD]}" for line in last)
            print(f"metamorph: {self.name}: {ending}{told}", file=sys.stderr)

    def _answers(
        self, lines: Sequence[bytes], tasks: Path, questions: Sequence[Question]
    ) -> dict[int, Answer]:
        found: dict[int, Answer] = {}
        for line in lines:
            match = _LINE.match(line.decode("utf-8", "replace").strip())
            place = _place(match[1], tasks) if match else -1
            if match is None or not 0 <= place < len(questions):
                self.nonsense += bool(line.strip())
            elif place in found:
                found[place] = Answer(None, TWICE)
            else:
                found[place] = _answer(match[2], len(questions[place].lines))
        return found


def _ending(
    process: "subprocess.Popen[bytes]", streams: Sequence[IO[bytes]], deadline: float
) -> str:
    """A program that floods its output is ended as one that never ends."""
    while (code := process.poll()) is None:
        sizes = (os.fstat(stream.fileno()).st_size for stream in streams)
        if time.monotonic() > deadline or max(sizes) > _LARGEST_OUTPUT:
            return TIMEOUT
        time.sleep(_POLL)
    return CRASHED if code else ""


def _place(path: str, tasks: Path) -> int:
    """Which question the path names, from 0; -1 for none. Relative paths may begin anywhere."""
    match = _NAME.search(path)
    if match is None or (os.path.isabs(path) and Path(path).resolve().parent != tasks):
        return -1
    return int(match[1]) - 1


def _answer(word: str, lines: int) -> Answer:
    try:
        line = int(word)
    except ValueError:
        return Answer(None, NO_NUMBER)
    return Answer(line) if 1 <= line <= lines else Answer(None, OUT_OF_RANGE)


def _halves(numbers: list[int]) -> list[list[int]]:
    middle = len(numbers) // 2
    return [numbers[middle:], numbers[:middle]]
