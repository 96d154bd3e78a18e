"""Scores as the competition computes them: mean tanh of the distance in lines, and Recall@1."""

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metamorph.codrep.reading import Task, line_count
from metamorph.errors import UserError

_PATH = re.compile(r"\s*(.*?\.txt)\s+(.*)", re.DOTALL)
_FEWEST = 3
"""Predictions of which it can be said that they are off by one."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A task, the line predicted if any, and the right one if it is known."""

    task: Task
    predicted: int | None
    solution: int | None

    @property
    def loss(self) -> float:
        """1 for silence."""
        if self.predicted is None or self.solution is None:
            return 1.0
        return math.tanh(abs(self.solution - self.predicted))

    @property
    def correct(self) -> bool:
        """Whether it is exactly the right line."""
        return self.predicted is not None and self.predicted == self.solution


@dataclass(frozen=True, slots=True)
class Score:
    """All tasks of the datasets, in their order; those without a prediction too."""

    tasks: tuple[Scored, ...]

    @property
    def loss(self) -> float:
        """The mean over all tasks."""
        return math.fsum(scored.loss for scored in self.tasks) / len(self.tasks)

    @property
    def recall(self) -> float:
        """The share of tasks whose first prediction is right."""
        return sum(scored.correct for scored in self.tasks) / len(self.tasks)

    @property
    def silent(self) -> int:
        """Tasks without a prediction."""
        return sum(scored.predicted is None for scored in self.tasks)

    @property
    def shift(self) -> tuple[int, int, int]:
        """-1 or 1 if predictions are mostly off by that; how many are, and of how many. Else 0s."""
        gaps = [s.predicted - s.solution for s in self.tasks if s.predicted and s.solution]
        for shift in (-1, 1):
            off = gaps.count(shift)
            if off >= _FEWEST and off > gaps.count(0) and 2 * off > len(gaps):
                return shift, off, len(gaps)
        return 0, 0, 0


def official_lines(score: Score) -> str:
    """What the competition's evaluator prints."""
    return (
        f"Total files: {len(score.tasks)}\n"
        f"Average line error: {score.loss} (the lower, the better)\n"
        f"Recall@1: {score.recall} (the higher, the better)\n"
    )


def score(tasks: Sequence[Task], predictions: Mapping[Path, int]) -> Score:
    """The score of predictions by the paths of their tasks."""
    return Score(tuple(Scored(t, predictions.get(t.path), t.solution()) for t in tasks))


def read_predictions(lines: Iterable[bytes], tasks: Sequence[Task]) -> dict[Path, int]:
    """A prediction a line: the task's path and the number of a line; more numbers do not count.

    Paths may be absolute, or relative to the current folder, to a dataset, or to what holds it.
    Raises UserError at the first line that is at fault, and tells how many more are.
    """
    known = _Known(tasks)
    found: dict[Path, int] = {}
    faults: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            path, predicted = _prediction(line.decode("utf-8", "surrogateescape"), known)
            if path in found:
                raise ValueError(f"{path}: predicted twice")
        except ValueError as error:
            faults.append(f"predictions, line {number}: {error}")
        else:
            found[path] = predicted
    if faults:
        more = f" ({len(faults) - 1} more lines at fault)" if faults[1:] else ""
        raise UserError(faults[0] + more)
    return found


def _prediction(line: str, known: "_Known") -> tuple[Path, int]:
    """Raises ValueError with what is wrong."""
    if not line.split():
        raise ValueError("blank; leave out the tasks that have no prediction")
    task, rest = known.find(line)
    words = rest.split()
    if not words:
        raise ValueError(f"{task.path}: no line number behind the path")
    try:
        predicted = int(words[0])
    except ValueError:
        raise ValueError(f"{words[0][:40]!r} is no whole number") from None
    count = line_count(task.path.read_bytes())
    if not 1 <= predicted <= count:
        raise ValueError(f"{task.path}: line {predicted} is not among its lines, 1 to {count}")
    if task.solution() is None:
        raise ValueError(f"{task.solution_path}: the solution is missing, empty or no number")
    return task.path, predicted


class _Known:
    """The tasks by every path that may mean them."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._by_path = {str(task.path): task for task in tasks}
        folders = dict.fromkeys(task.dataset for task in tasks)
        inner = (each / "Tasks" for each in folders)
        self._folders = [*folders, *inner, *dict.fromkeys(each.parent for each in folders)]

    def find(self, line: str) -> tuple[Task, str]:
        """The task that the line begins with, and the rest of the line; raises ValueError."""
        for path, rest in _splits(line):
            for whole in dict.fromkeys((os.path.abspath(path), os.path.realpath(path))):
                if task := self._by_path.get(whole):
                    return task, rest
            if os.path.isabs(path):
                continue
            places = (os.path.normpath(folder / path) for folder in self._folders)
            found = {whole: self._by_path[whole] for whole in places if whole in self._by_path}
            if len(found) > 1:
                raise ValueError(f"{path}: is in several datasets; give whole paths")
            if found:
                return next(iter(found.values())), rest
        raise ValueError(f"{line.split()[0]}: no task of the datasets")


def _splits(line: str) -> Iterator[tuple[str, str]]:
    """The path and the rest; a path with blanks ends with .txt."""
    path, _, rest = line.strip().partition(" ")
    if len(words := line.split(None, 1)) == 2:
        path, rest = words
    yield path, rest
    if (match := _PATH.match(line)) and match[1] != path:
        yield match[1], match[2]
