"""Answers that were computed elsewhere, set against the programs of their suite."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from metamorph.errors import UserError
from metamorph.models.recorded import Answers
from metamorph.suites.manifest import PROGRAMS


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many programs a suite has, how many are answered, and answers to other programs."""

    programs: int
    answered: int
    foreign: int

    @property
    def missing(self) -> int:
        """Programs without an answer; an error that the model gave is one."""
        return self.programs - self.answered


def coverage(folder: Path, answers: Answers) -> Coverage:
    """Read the ids of all programs, and look each up."""
    programs = answered = 0
    for id in _ids(folder / PROGRAMS):
        programs += 1
        answered += answers.get(id) is not None
    return Coverage(programs, answered, len(answers) - answered)


def _ids(path: Path) -> Iterator[str]:
    """The ids in the list of programs."""
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                yield _id(path, number, line)
    except FileNotFoundError as error:
        raise UserError(f"{path}: missing from the suite; get the suite anew") from error


def _id(path: Path, number: int, line: bytes) -> str:
    try:
        return str(json.loads(line)["id"])
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path}:{number}: not a program; get the suite anew") from error
