"""`metamorph report`: show what a run found, for people and for programs."""

import argparse
import io
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli import DONE, _gates, _paper
from metamorph.cli._addresses import out_file, run_folder
from metamorph.cli._endings import printing
from metamorph.cli._output import deliver

if TYPE_CHECKING:
    from metamorph.oracles.summaries import Summary
    from metamorph.reports.gates import Verdict

SUMMARY = "show what a run found, and judge it"

_FORMATS = {
    "table": "for a terminal",
    "json": "for programs",
    "csv": "one tidy table",
    "md": "Markdown",
    "latex": "tables for a paper",
    "html": "a page to explore",
    "junit": "XML for CI servers",
    "github": "annotations",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("folder", metavar="RUN", type=run_folder, help="the run's folder")
    add("more", metavar="RUN", nargs="*", type=run_folder, help="more runs, with --paper")
    add(
        "--format",
        choices=tuple(_FORMATS),
        default="table",
        help=f"{', '.join(f'{name}: {what}' for name, what in _FORMATS.items())} (default: table)",
    )
    add(
        "--out",
        metavar="FILE",
        type=out_file,
        help="write it there, not to stdout; with --paper, a folder",
    )
    add("--count-blocks", action="store_true", help="method lengths count blocks too")
    add(
        "--train-corpus",
        metavar="TRAIN",
        action="append",
        default=[],
        help="what the model was trained on, where the run was not told; may be given again",
    )
    _paper.add_arguments(parser.add_argument_group("the paper's tables and figures"))
    _gates.add_arguments(parser.add_argument_group("gates, judged on what the run recorded"))


def run(args: argparse.Namespace) -> int:
    """Print the report; the exit code is that of the gates, if there are any."""
    _paper.refuse(args)
    if args.paper:
        return _paper.run(args)
    from metamorph.reports.gates import judge
    from metamorph.runs.summary import summarise

    summary = summarise(args.folder, count_blocks=args.count_blocks, train_corpus=args.train_corpus)
    gates = _gates.gates_of(args, [(row.transform, row.place) for row in summary.tally])
    verdicts = judge(summary, gates)
    if args.format == "table" and args.out is None:
        from rich.console import Console

        from metamorph.reports.table import show

        with printing():
            show(summary, Console())
    else:
        deliver(_pieces(args, summary, verdicts), args.out)
    if args.github:
        _gates.tell_github(summary, verdicts)
    return _gates.exit_code(summary, gates, args.folder) if gates else DONE


def _pieces(
    args: argparse.Namespace, summary: "Summary", verdicts: "list[Verdict]"
) -> Iterable[str]:
    """The report in its format, piece by piece."""
    # Each format is imported when it is asked for: some are heavy.
    if args.format == "html":
        return _html(args.folder, summary)
    if args.format == "table":
        return [_table(summary)]
    if args.format == "json":
        from metamorph.reports.json_report import render as json_of

        return [f"{json_of(summary, verdicts)}\n"]
    if args.format == "csv":
        from metamorph.reports.csv_report import render as csv_of

        return [csv_of(summary)]
    if args.format == "github":
        from metamorph.reports.annotations import annotations

        return [annotations(summary, verdicts)]
    if args.format == "junit":
        return [_junit(args.folder, summary, verdicts)]
    if args.format == "latex":
        from metamorph.reports.latex import render as latex_of

        return [latex_of(summary, verdicts)]
    from metamorph.reports.markdown import render as markdown_of

    return [markdown_of(summary, verdicts)]


def _table(summary: "Summary") -> str:
    """The table of a terminal of 80 columns, without colours."""
    from rich.console import Console

    from metamorph.reports.table import show

    out = io.StringIO()
    show(summary, Console(file=out, width=80))
    return out.getvalue()


def _html(folder: Path, summary: "Summary") -> Iterable[str]:
    from metamorph.reports.html import page
    from metamorph.runs.outcomes import listing

    return page(summary, listing(folder, count_blocks=summary.count_blocks))


def _junit(folder: Path, summary: "Summary", verdicts: "list[Verdict]") -> str:
    from metamorph.reports.junit import render
    from metamorph.runs.manifest import read

    manifest = read(folder)
    started, ended = manifest.get("started") or "", manifest.get("ended") or ""
    seconds = 0.0
    if started and ended:
        seconds = (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds()
        seconds = max(0.0, seconds)  # Clocks are set back now and then.
    return render(summary, verdicts, started, seconds)
