"""The competition's five baselines: what can be had without looking at the line."""

import random
from collections.abc import Callable, Sequence

from metamorph.codrep.reading import Task, line_count

Guess = Callable[[Task, int, int], int]
"""From a task, how many lines it has, and the seed."""


def _first(task: Task, lines: int, seed: int) -> int:
    return 1


def _middle(task: Task, lines: int, seed: int) -> int:
    return max(1, lines // 2)


def _last(task: Task, lines: int, seed: int) -> int:
    return lines


def _random(task: Task, lines: int, seed: int) -> int:
    return random.Random(f"{seed} {task.dataset.name}/{task.path.name}").randint(1, lines)


def _maximum(task: Task, lines: int, seed: int) -> int:
    """The line that is farthest from the solution, so it looks at it."""
    solution = task.solution() or 1
    return 1 if solution - 1 > lines - solution else lines


BASELINES: dict[str, Guess] = {
    "first": _first,
    "middle": _middle,
    "last": _last,
    "random": _random,
    "maximum": _maximum,
}


def guesses(tasks: Sequence[Task], name: str, seed: int) -> list[tuple[Task, int]]:
    """A line of each task; tasks without a program get none."""
    guess = BASELINES[name]
    counted = ((task, line_count(task.path.read_bytes())) for task in tasks)
    return [(task, guess(task, lines, seed)) for task, lines in counted if lines > 0]
