"""`metamorph report`: show what a run found."""

import argparse
from pathlib import Path

SUMMARY = "show what a run found"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("folder", metavar="RUN", type=Path, help="the run's folder")
    parser.add_argument(
        "--format",
        choices=("table", "json"),
        default="table",
        help="table for people, json for programs (default: table)",
    )


def run(args: argparse.Namespace) -> int:
    """Print the report."""
    from metamorph.runs.summary import summarise

    summary = summarise(args.folder)
    if args.format == "json":
        from metamorph.reports.json_report import render

        print(render(summary))
    else:
        from rich.console import Console

        from metamorph.reports.table import show

        show(summary, Console())
    return 0
