"""Tasks: what a model is asked about a program, and when two of its answers are the same."""

import importlib
from collections.abc import Mapping

from metamorph.oracles.outcomes import Outcome
from metamorph.tasks.protocol import Task

__all__ = ["NUMERIC", "Task", "judge", "load", "names"]

_TASKS = {
    "method-name": "metamorph.tasks.method_name",
    "label": "metamorph.tasks.label",
    "label:names": "metamorph.tasks.label",
    "number": "metamorph.tasks.number",
    "surprise": "metamorph.tasks.number",
    "text": "metamorph.tasks.text",
    "text:names": "metamorph.tasks.text",
}


NUMERIC = frozenset({"number", "surprise"})
"""The tasks whose answers are numbers, so that there is a mean of how far they move."""


def names() -> tuple[str, ...]:
    """The tasks that `--task` knows."""
    return tuple(_TASKS)


def load(name: str, equality: str = "") -> Task:
    """The task of that name, with another equality than its own; raises ValueError.

    `:names` after the name says that the answers name variables of the program, and follow their
    renaming.
    """
    module = _TASKS.get(name)
    if module is None:
        raise ValueError(f"unknown task {name!r}: known are {', '.join(_TASKS)}")
    task: Task = importlib.import_module(module).load(name, equality)
    return task


def judge(
    task: Task, before: str, after: str, gold: str | None, renamed: Mapping[str, str]
) -> Outcome:
    """What became of an answer, by the task's rules.

    before, gold: of the original; after: of a variant with these variables renamed.
    """
    expected = None if gold is None else task.follow(gold, renamed)
    return Outcome(task.follow(before, renamed), after, expected, task.same)
