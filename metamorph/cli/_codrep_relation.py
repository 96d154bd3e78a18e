"""`metamorph codrep predict` and `metamorph codrep run`: predictors, asked once or twice."""

import argparse
import json
import math
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from metamorph.cli import DONE, GATE_FAILED, INCOMPLETE
from metamorph.cli._codrep_datasets import add_datasets, tasks_of
from metamorph.cli._output import deliver
from metamorph.cli._telling import say
from metamorph.durable import whole_text
from metamorph.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metamorph.codrep.changes import Wanted
    from metamorph.codrep.predictors import Predictor
    from metamorph.codrep.reading import Task

_BATCH = 200


def add_predictor(parser: argparse.ArgumentParser) -> None:
    """The options of what is asked."""
    add = parser.add_argument
    add(
        "--predictor",
        metavar="P",
        action="append",
        help="similarity, edits, or 'command:PROGRAM {tasks}', with {tasks} or {dataset} for the "
        "folder of the task files or the one that holds it; run takes several (default: edits, "
        "and for run similarity too)",
    )
    add(
        "--time-limit",
        metavar="S",
        type=_seconds,
        default=600.0,
        help="seconds that a command may run at a time, on up to 200 tasks, or their variants "
        "(default: 600)",
    )
    add("--stderr", metavar="FILE", type=Path, help="keep there what commands say on stderr")


def add_run(parser: argparse.ArgumentParser) -> None:
    """The options of `run`."""
    add_datasets(parser)
    add_predictor(parser)
    add = parser.add_argument
    add(
        "--transform",
        metavar="T",
        default="all",
        help="transformations as VN,PS and what moves lines: comment, blank-line, imports "
        "(default: all)",
    )
    add("--place", choices=("single", "all", "random"), default="random")
    add(
        "--per-task",
        metavar="N",
        type=_count,
        default=1,
        help="variants of a task by each transformation, in methods drawn by --seed; 0: those of "
        "every method, and with --place single of every site (default: 1)",
    )
    add(
        "--near",
        action="store_true",
        help="transform only methods around the solution's line; without solution, the answer's",
    )
    add("--spare", action="store_true", help="leave out variants that edit that line")
    add("--limit", metavar="N", type=_count, help="the first N tasks only")
    add("--seed", type=int, default=0)
    add("--format", choices=("table", "json"), default="table")
    add("--outcomes", metavar="FILE", type=Path, help="write every outcome as a JSON line")
    add(
        "--fail-on-violation",
        metavar="RATE",
        type=_rate,
        help="exit code 1 if a predictor violates the relation more often",
    )


def predict(args: argparse.Namespace) -> int:
    """Print the path and the line of each task that is answered."""
    from metamorph.codrep.predictors import load
    from metamorph.codrep.reading import BadTaskError

    names = args.predictor or ["edits"]
    if len(names) > 1:
        raise UserError("predict: takes one --predictor; call it once for each")
    predictor = load(names[0], args.time_limit, args.stderr)
    rest = iter(tasks_of(args))
    faults = 0
    while batch := [task for task, _ in zip(rest, range(_BATCH), strict=False)]:
        asked = []
        for task in batch:
            try:
                asked.append((task, task.question()))
            except BadTaskError as error:
                say(f"{task.path}: {error}: not asked")
        answers = predictor.predict([question for _, question in asked])
        for (task, _), answer in zip(asked, answers, strict=True):
            faults += answer.line is None
            if answer.line is not None:
                sys.stdout.write(f"{task.path} {answer.line}\n")
    if faults:
        say(f"{faults:,} tasks have no answer")
    return DONE


def run(args: argparse.Namespace) -> int:
    """Ask each predictor before and after, and tell how often the line did not follow."""
    from metamorph.codrep.predictors import EMBEDDED, load
    from metamorph.codrep.reading import fingerprint

    wanted = _wanted(args)
    names = dict.fromkeys(args.predictor or EMBEDDED)
    predictors = [load(name, args.time_limit, args.stderr) for name in names]
    tasks = tasks_of(args)[: args.limit or None]
    print_of = fingerprint(tasks)
    say(f"{len(tasks):,} tasks, fingerprint {print_of}; {', '.join(wanted.names)}")
    with ExitStack() as stack:
        out = stack.enter_context(whole_text(args.outcomes)) if args.outcomes else None
        found = [_results(predictor, tasks, wanted, out) for predictor in predictors]
    if args.format == "json":
        whole = {"fingerprint": print_of, "seed": args.seed, "predictors": found}
        deliver([json.dumps(whole, indent=2) + "\n"], None)
    else:
        deliver(["\n".join(_tables(found))], None)
    return _code(found, args.fail_on_violation)


def _wanted(args: argparse.Namespace) -> "Wanted":
    from metamorph.codrep.changes import Wanted, wanted

    plan, movers, notes = wanted(args.transform, args.place)
    for note in notes:
        say(note)
    return Wanted(plan, movers, args.place, args.seed, args.per_task, args.near, args.spare)


def _results(
    predictor: "Predictor", tasks: "Sequence[Task]", wanted: "Wanted", out: IO[str] | None
) -> dict[str, Any]:
    from metamorph.codrep.relation import Accounts, judged
    from metamorph.codrep.results import Tallies, accounting, outcome

    accounts, tallies = Accounts(), Tallies()
    for one in judged(tasks, predictor, wanted, accounts):
        tallies.add(one)
        if out is not None:
            out.write(json.dumps(outcome(one, predictor.name)) + "\n")
    nonsense = getattr(predictor, "nonsense", 0)
    return {
        "predictor": predictor.name,
        "accounting": {**accounting(accounts), "lines_that_name_no_task": nonsense},
        **tallies.rows(),
    }


def _tables(found: list[dict[str, Any]]) -> Iterator[str]:
    from metamorph.codrep.results import table

    for results in found:
        account = results["accounting"]
        score = ""
        if account["solved"]:
            score = f": loss {account['loss']:.4f}, recall {account['recall']:.4f}"
        head = f"{results['predictor']}, {account['tasks']:,} tasks{score}\n"
        yield head + _notes(account) + table(results)


def _notes(account: dict[str, Any]) -> str:
    """What was not asked or not answered, a line each."""
    counts = {
        "without a syntax tree, not changed": account["unparsable"],
        "without a usable solution": account["without_solution"],
        **{f"not asked: {why}": count for why, count in account["bad_tasks"].items()},
        **{f"answers {why}": count for why, count in account["faults"].items()},
        "lines of output that name no task": account["lines_that_name_no_task"],
    }
    return "".join(f"  {count:,} {what}\n" for what, count in counts.items() if count)


def _code(found: list[dict[str, Any]], limit: float | None) -> int:
    rates = [results["all"]["violation_rate"] for results in found]
    if limit is not None and any(rate is not None and rate > limit for rate in rates):
        return GATE_FAILED
    return INCOMPLETE if all(rate is None for rate in rates) else DONE


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"not a number from 0 up: {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    seconds = _number(text)
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"not a time in seconds: {text!r}")
    return seconds


def _rate(text: str) -> float:
    rate = _number(text)
    if not 0 <= rate <= 1:
        raise argparse.ArgumentTypeError(f"not a share between 0 and 1: {text!r}")
    return rate


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
