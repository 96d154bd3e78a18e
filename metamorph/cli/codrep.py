"""`metamorph codrep`: models that point at a line of a program."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli import DONE
from metamorph.cli._output import deliver
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.codrep.reading import Task
    from metamorph.codrep.scoring import Score

SUMMARY = "models that point at a line: the CodRep competition's scores and baselines"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-commands."""
    actions = parser.add_subparsers(dest="action", metavar="evaluate|baseline", required=True)
    evaluate = actions.add_parser("evaluate", help="score predictions, one a line on stdin")
    _add_datasets(evaluate)
    evaluate.add_argument(
        "--per-task", metavar="FILE", type=Path, help="write every task's score as JSON lines"
    )
    baseline = actions.add_parser("baseline", help="print the predictions of a baseline")
    baseline.add_argument("name", choices=("first", "middle", "last", "random", "maximum"))
    _add_datasets(baseline)
    baseline.add_argument("--seed", type=int, default=0, help="for random (default: 0)")


def _add_datasets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-d",
        "--datasets",
        "-datasets",
        metavar="PATH[:PATH]",
        action="append",
        help="datasets, or folders of datasets, joined by colons (default: the current folder)",
    )


def run(args: argparse.Namespace) -> int:
    """Do what `args.action` says."""
    return {"evaluate": _evaluate, "baseline": _baseline}[args.action](args)


def tasks_of(args: argparse.Namespace) -> "Sequence[Task]":
    """The tasks that the user named; what is odd about them goes to stderr."""
    from metamorph.codrep.reading import find_tasks

    given = [part for value in args.datasets or ["."] for part in _parts(value)]
    tasks, notes = find_tasks(given)
    for note in notes:
        say(note)
    return tasks


def _parts(value: str) -> list[str]:
    """The paths of a value; one that exists may have a colon in its name."""
    return [value] if Path(value).exists() else [part for part in value.split(":") if part]


def _evaluate(args: argparse.Namespace) -> int:
    from metamorph.codrep.reading import fingerprint
    from metamorph.codrep.scoring import official_lines, read_predictions, score

    tasks = tasks_of(args)
    found = score(tasks, read_predictions(sys.stdin.buffer, tasks))
    if args.per_task:
        deliver(_rows(found), args.per_task)
    sys.stdout.write(official_lines(found))
    _tell(found)
    say(f"{len(tasks):,} tasks, fingerprint {fingerprint(tasks)}")
    return DONE


def _rows(score: "Score") -> Iterator[str]:
    for scored in score.tasks:
        row = {
            "dataset": scored.task.dataset.name,
            "task": scored.task.path.name,
            "predicted": scored.predicted,
            "solution": scored.solution,
            "loss": scored.loss,
            "correct": scored.correct,
        }
        yield json.dumps(row) + "\n"


def _tell(score: "Score") -> None:
    if score.silent:
        say(f"{score.silent:,} tasks have no prediction: each counts as a loss of 1")
    shift, off, of = score.shift
    if shift:
        where = "before" if shift < 0 else "behind"
        whole = "all" if off == of else f"{off:,} of"
        say(
            f"{whole} {of:,} predictions are one line {where} the solution: off by one? The "
            "program's lines are counted from 1, the inserted line and the empty one are not"
        )


def _baseline(args: argparse.Namespace) -> int:
    from metamorph.codrep.baselines import guesses

    tasks = tasks_of(args)
    missing = [task for task in tasks if args.name == "maximum" and task.solution() is None]
    if missing:
        raise UserError(f"{missing[0].solution_path}: no solution, which maximum needs")
    for task, line in guesses(tasks, args.name, args.seed):
        sys.stdout.write(f"{task.path} {line}\n")
    return DONE


def say(line: str) -> None:
    """A line for the user, beside the results."""
    print(f"metamorph: {line}", file=sys.stderr)
