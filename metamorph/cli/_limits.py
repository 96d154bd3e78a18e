"""Options of every command that reads Java: what a file and a method may take."""

import argparse

from metamorph.cli._model_options import not_negative
from metamorph.limits import MEGABYTES, SECONDS, Limits


def add_arguments(group: argparse._ActionsContainer) -> None:
    """The limits on processor time and memory."""
    add = group.add_argument
    add(
        "--time-limit",
        metavar="SECONDS",
        type=not_negative,
        default=SECONDS,
        help="processor time for the variants of one method, ten times that for a file; what "
        "takes longer is left out and counted; 0: no limit (default: 60)",
    )
    add(
        "--memory-limit",
        metavar="MB",
        type=_megabytes,
        default=MEGABYTES,
        help="how much the memory may grow by the work on one method or the reading of a file; "
        "0: no limit (default: 2048)",
    )


def _megabytes(text: str) -> int:
    return int(not_negative(text))


def limits_of(args: argparse.Namespace) -> Limits:
    """What the user allows."""
    return Limits(args.time_limit, args.memory_limit)
