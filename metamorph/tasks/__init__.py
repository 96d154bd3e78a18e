"""Tasks: what a model is asked about a program, and when two of its answers are the same."""

import importlib

from metamorph.tasks.protocol import Task

__all__ = ["Task", "load", "names"]

_TASKS = {"method-name": "metamorph.tasks.method_name"}


def names() -> tuple[str, ...]:
    """The tasks that `--task` knows."""
    return tuple(_TASKS)


def load(name: str) -> Task:
    """The task of that name; raises ValueError."""
    module = _TASKS.get(name)
    if module is None:
        raise ValueError(f"unknown task {name!r}: known are {', '.join(_TASKS)}")
    task: Task = importlib.import_module(module).TASK
    return task
