"""Datasets of CodRep: Tasks/*.txt with the line and the program, Solutions/*.txt with the answer.

All is bytes. A line feed alone ends a line, as in the rest of metamorph: form feeds, lone carriage
returns and other encodings than UTF-8 change no line number.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from metamorph.errors import UserError

TASKS, SOLUTIONS = "Tasks", "Solutions"
ARTEFACT = b" No newline at end of file"
"""What a diff left as the last line of some programs: a line that counts, but is no code."""
LONGEST = 1000
"""Characters of a line that are compared with others: the time grows with their square."""

_NUMBERS = re.compile(r"(\d+)")


class BadTaskError(ValueError):
    """A file that is not a line, an empty line and a program; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a predictor sees of a task: the line to be put in, and the program."""

    inserted: bytes
    program: bytes

    @property
    def lines(self) -> list[bytes]:
        """The program's lines without their line feeds."""
        lines = self.program.split(b"\n")
        return lines if lines[-1] else lines[:-1]

    @property
    def data(self) -> bytes:
        """The task as a file."""
        return self.inserted + b"\n\n" + self.program


@dataclass(frozen=True, slots=True)
class Task:
    """A task file; its text is read when it is asked for."""

    dataset: Path
    path: Path

    @property
    def solution_path(self) -> Path:
        """Where its solution is, if there is one."""
        return self.dataset / SOLUTIONS / self.path.name

    def question(self) -> Question:
        """Raises BadTaskError."""
        return question(self.path.read_bytes())

    def solution(self) -> int | None:
        """The line, counted from 1; None where it is missing, empty or no number."""
        try:
            return int(self.solution_path.read_bytes().split(b"\n")[0])
        except (OSError, ValueError):
            return None


def question(data: bytes) -> Question:
    """The parts of a task file; raises BadTaskError."""
    parts = data.split(b"\n", 2)
    inserted = parts[0].removesuffix(b"\r")
    if not inserted.strip():
        raise BadTaskError("no line to be inserted")
    if len(parts) < 2 or parts[1].strip(b"\r"):
        raise BadTaskError("no empty line behind the first")
    if len(parts) < 3 or not parts[2]:
        raise BadTaskError("no program")
    return Question(inserted, parts[2])


def without_artefact(program: bytes) -> bytes:
    """The program less the last line that a diff left, if there is one."""
    kept, _, last = program.rstrip(b"\r\n").rpartition(b"\n")
    return kept + b"\n" if last.rstrip(b"\r") in (ARTEFACT, b"\\" + ARTEFACT) else program


def line_count(data: bytes) -> int:
    """How many lines a task's program has, as the competition counts: the file's less two."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data)) - 2


def find_tasks(paths: Sequence[str]) -> tuple[list[Task], list[str]]:
    """The tasks of these folders, each a dataset or a folder of them; notes for the user.

    A dataset that is named twice counts once. Raises UserError where there is no task.
    """
    notes: list[str] = []
    datasets: list[Path] = []
    for path in paths:
        for dataset in _datasets(Path(path)):
            if dataset in datasets:
                notes.append(f"{dataset}: named twice, counted once")
            else:
                datasets.append(dataset)
    tasks = [task for dataset in datasets for task in _tasks(dataset)]
    if not tasks:
        raise UserError(f"{':'.join(paths)}: no task there; a task is a file {TASKS}/*.txt")
    return tasks, notes


def _datasets(path: Path) -> list[Path]:
    if not path.is_dir():
        raise UserError(f"{path}: no such folder; name a dataset or a folder of datasets")
    path = path.resolve()
    if (path / TASKS).is_dir():
        return [path]
    if path.name == TASKS:
        return [path.parent]
    inner = path / "Datasets" if (path / "Datasets").is_dir() else path
    found = [each for each in inner.iterdir() if (each / TASKS).is_dir()]
    if not found:
        raise UserError(f"{path}: no folder {TASKS} in it, nor in a folder of it")
    return sorted(found, key=lambda each: natural(each.name))


def _tasks(dataset: Path) -> list[Task]:
    files = sorted((dataset / TASKS).glob("*.txt"), key=lambda path: natural(path.name))
    return [Task(dataset, path) for path in files]


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts 2.txt before 10.txt."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(name)]


def fingerprint(tasks: Iterable[Task]) -> str:
    """A hash of the names and bytes of all tasks and solutions, wherever they lie."""
    digest = hashlib.sha256()
    for task in tasks:
        solution = task.solution_path
        for data in (task.path.read_bytes(), solution.read_bytes() if solution.exists() else b"-"):
            digest.update(hashlib.sha256(data).digest())
        digest.update(f"{task.path.name}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
