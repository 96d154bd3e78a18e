"""`metamorph codrep`: models that point at a line of a program."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli import DONE
from metamorph.cli import _codrep_relation as relation
from metamorph.cli._codrep_datasets import add_datasets, tasks_of
from metamorph.cli._output import deliver
from metamorph.cli._telling import say
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.codrep.scoring import Score

SUMMARY = "models that point at a line: CodRep's scores, and whether the line moves with the code"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-commands."""
    actions = parser.add_subparsers(
        dest="action", metavar="evaluate|baseline|predict|run", required=True
    )
    evaluate = actions.add_parser("evaluate", help="score predictions, one a line on stdin")
    add_datasets(evaluate)
    evaluate.add_argument(
        "--per-task", metavar="FILE", type=Path, help="write every task's score as JSON lines"
    )
    baseline = actions.add_parser("baseline", help="print the predictions of a baseline")
    baseline.add_argument("name", choices=("first", "middle", "last", "random", "maximum"))
    add_datasets(baseline)
    baseline.add_argument("--seed", type=int, default=0, help="for random (default: 0)")
    predict = actions.add_parser("predict", help="print the predictions of a predictor")
    add_datasets(predict)
    relation.add_predictor(predict)
    relation.add_run(actions.add_parser("run", help="does the line follow when the code moves?"))


def run(args: argparse.Namespace) -> int:
    """Do what `args.action` says."""
    actions = {
        "evaluate": _evaluate,
        "baseline": _baseline,
        "predict": relation.predict,
        "run": relation.run,
    }
    return actions[args.action](args)


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
        say(f"tasks without a prediction: {score.silent:,}, each a loss of 1")
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
