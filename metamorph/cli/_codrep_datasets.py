"""The datasets of `metamorph codrep`, as options name them."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli._telling import say

if TYPE_CHECKING:
    from metamorph.codrep.reading import Task


def add_datasets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-d",
        "--datasets",
        "-datasets",
        metavar="PATH[:PATH]",
        action="append",
        help="datasets, or folders of datasets, joined by colons (default: the current folder)",
    )


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
