"""Predictors of lines: what they are asked, what they answer, and how they are named."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from metamorph.codrep.reading import Question
from metamorph.errors import UserError

EMBEDDED = ("similarity", "edits")
"""The predictors that come along; the second is the better one."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The line that a predictor points at, counted from 1, or why there is none."""

    line: int | None
    fault: str = ""


class Predictor(Protocol):
    """Whatever points at a line of each question."""

    name: str

    def predict(self, questions: Sequence[Question]) -> list[Answer]:
        """An answer to each question, in their order; a fault is an answer too."""
        ...


def load(name: str, time_limit: float, stderr: Path | None = None) -> Predictor:
    """`similarity`, `edits`, or `command:PROGRAM ... {tasks}|{dataset} ...`; raises UserError.

    time_limit: seconds that a command may run each time; stderr: a file for what it tells.
    """
    kind, colon, command = name.partition(":")
    if kind == "command" and colon:
        from metamorph.codrep.external import External

        return External(name, _argv(command), time_limit, stderr)
    if name == "similarity":
        from metamorph.codrep.similarity import Similarity

        return Similarity()
    if name == "edits":
        from metamorph.codrep.edits import Edits

        return Edits()
    known = ", ".join(EMBEDDED)
    raise UserError(f"unknown predictor {name!r}: choose {known}, or 'command:PROGRAM {{tasks}}'")


def _argv(command: str) -> list[str]:
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise UserError(f"predictor command:{command}: {error}; quote as in a shell") from error
    if not any("{tasks}" in word or "{dataset}" in word for word in argv):
        raise UserError(
            f"predictor command:{command}: has neither {{tasks}} nor {{dataset}}, which stand for "
            "the folder of the task files and the folder that holds it"
        )
    return argv
