"""`metamorph compare`: two runs, or two transformations of one, on what they have in common."""

import argparse
import io
import sys
from typing import TYPE_CHECKING

from metamorph.cli import DONE
from metamorph.cli._addresses import out_file, run_folder
from metamorph.cli._endings import printing
from metamorph.cli._output import deliver
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.oracles.comparisons import Comparison

SUMMARY = "compare two runs, or two transformations of one run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("one", metavar="RUN_A", type=run_folder, help="a run's folder")
    add(
        "other", metavar="RUN_B", type=run_folder, nargs="?", help="another's, over the same corpus"
    )
    add(
        "--transform",
        metavar=("X", "Y"),
        nargs=2,
        help="in the place of RUN_B: compare these two transformations of RUN_A",
    )
    add(
        "--format",
        choices=("table", "json", "csv", "md"),
        default="table",
        help="table for a terminal, json and csv for programs, md for Markdown (default: table)",
    )
    add("--out", metavar="FILE", type=out_file, help="write it there, not to stdout")


def run(args: argparse.Namespace) -> int:
    """Print or write the comparison."""
    from metamorph.reports.comparison import as_csv, as_json, as_markdown, show

    comparison = _comparison(args)
    if args.format == "table":
        from rich.console import Console

        out = io.StringIO()
        with printing():
            show(comparison, Console(file=sys.stdout if args.out is None else out))
        text = out.getvalue()
    else:
        text = {"json": as_json, "csv": as_csv, "md": as_markdown}[args.format](comparison)
    if text:
        deliver([text], args.out)
    return DONE


def _comparison(args: argparse.Namespace) -> "Comparison":
    from metamorph.runs.comparing import compare_runs, compare_transforms

    if (args.other is None) == (args.transform is None):
        raise UserError("compare takes RUN_A and RUN_B, or RUN_A and --transform X Y")
    if args.other is not None:
        return compare_runs(args.one, args.other)
    return compare_transforms(args.one, *args.transform)
