"""Gates on the command line: how limits are given, told, and turned into an exit code."""

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli import DONE, GATE_FAILED, INCOMPLETE
from metamorph.cli._telling import say
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.oracles.summaries import Summary
    from metamorph.reports.gates import Gates, Verdict

_BASES = ("point", "lower", "upper")


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """The options of gates, the same in every command that judges a run."""
    add = group.add_argument
    add(
        "--fail-on-change",
        metavar="RATE",
        type=_limits,
        help="exit 1 if a change rate is above RATE (0 to 1); VN=0.3,PS:single=0.1,0.5 gives "
        "transformations, or one place of them, limits of their own",
    )
    add(
        "--gate-on",
        choices=_BASES,
        default="point",
        help="what is set against the limit: the rate itself, the lower bound of its interval "
        "(fails only what is surely above) or the upper one (passes only what is surely not)",
    )
    add(
        "--min-originals",
        metavar="N",
        type=_number,
        default=1,
        help="do not judge what rests on fewer original methods (default: 1)",
    )
    add(
        "--github",
        action="store_true",
        help="annotations for GitHub Actions on stderr, and a summary of the step",
    )


def _limits(text: str) -> "Gates":
    from metamorph.reports.gates import gates

    try:
        return gates(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 up")
    return int(text)


def gates_of(args: argparse.Namespace, plan: list[tuple[str, str]]) -> "Gates":
    """The gates that the user set; raises UserError where one is of nothing that is run."""
    from metamorph.reports.gates import Gates, unknown

    given: Gates = args.fail_on_change or Gates()
    if not given and (args.gate_on != "point" or args.min_originals != 1):
        raise UserError("--gate-on, --min-originals: say what to judge, by --fail-on-change")
    if names := unknown(given, plan):
        known = ", ".join(dict.fromkeys(code for code, _ in plan))
        raise UserError(
            f"--fail-on-change {', '.join(names)}: not part of this run, which has {known}"
        )
    return replace(given, basis=args.gate_on, least=args.min_originals)


def exit_code(summary: "Summary", gates: "Gates", folder: Path) -> int:
    """Tell the verdicts on stderr; 1 where a gate failed, 3 where there is nothing to trust.

    A gate that failed on half a run has failed; one that passed there says nothing yet.
    """
    from metamorph.reports.gates import FAILED, NOT_JUDGED, PASSED, judge

    verdicts = judge(summary, gates)
    for verdict in verdicts:
        if verdict.result != PASSED:
            say(verdict.sentence)
    if fault := shortfall(summary, folder):
        say(f"error: {fault}")
        return INCOMPLETE
    if any(verdict.result == FAILED for verdict in verdicts):
        return GATE_FAILED
    if not summary.complete:
        say(f"error: the run is incomplete; go on with --resume --out {folder}")
        return INCOMPLETE
    if gates and all(verdict.result == NOT_JUDGED for verdict in verdicts):
        say("error: --fail-on-change: there was nothing to judge")
        return INCOMPLETE
    return DONE


def shortfall(summary: "Summary", folder: Path) -> str:
    """What of the model's answers is missing so that the rates cannot be trusted, or ""."""
    from metamorph.runs.rows import passes

    silent = summary.accounting.no_answer
    total = sum(silent.values())
    if total and total == summary.accounting.variants:
        return f"the model answered none of {total:,} variants; see no answer above"
    lost = sum(count for reason, count in silent.items() if passes(reason))
    if lost:
        return f"{lost:,} variants have no answer; ask again with --resume --out {folder}"
    return ""


def tell_github(summary: "Summary", verdicts: "list[Verdict]") -> None:
    """Annotations to stderr, which GitHub reads as it does stdout, and the step's summary."""
    from metamorph.reports.annotations import annotations
    from metamorph.reports.markdown import render

    sys.stderr.write(annotations(summary, verdicts))
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        say("--github: GITHUB_STEP_SUMMARY is not set, so that no summary is written")
        return
    with open(path, "a", encoding="utf-8", errors="backslashreplace") as out:
        out.write(render(summary, verdicts) + "\n")
