"""`metamorph report RUN [RUN ...] --paper`: tables and figures for a paper, into a folder."""

import argparse
import sys
from pathlib import Path

from metamorph.cli import DONE
from metamorph.errors import UserError


def add_arguments(group: argparse._ArgumentGroup) -> None:
    """The options of the kit."""
    group.add_argument(
        "--paper",
        action="store_true",
        help="write tables 1 to 8 and figures 3 to 5 of the paper into the folder --out, for all "
        "the RUNs together",
    )
    group.add_argument(
        "--data-set",
        metavar="NAME",
        action="append",
        default=[],
        help="what the corpus is: once for all RUNs, or once for each in their order; with "
        "Java-Small, Java-Med or Java-Large the paper's values stand beside the run's",
    )


def refuse(args: argparse.Namespace) -> None:
    """Raise UserError where options do not go together."""
    if not args.paper:
        if args.more:
            raise UserError("report: one RUN at a time; --paper takes several")
        if args.data_set:
            raise UserError("--data-set NAME is for --paper; give both")
        return
    if args.train_corpus:
        raise UserError("--paper has no table by copies; run metamorph report once more for these")
    if args.out is None:
        raise UserError("--paper writes many files: give a folder for them by --out DIR")
    if args.format != "table" or args.fail_on_change or args.github:
        raise UserError(
            "--paper has no --format and judges no gates; run metamorph report once more for these"
        )
    if len(args.data_set) > 1 and len(args.data_set) != 1 + len(args.more):
        raise UserError(
            f"--data-set: {len(args.data_set)} names for {1 + len(args.more)} runs; "
            "give one for all, or one for each"
        )


def run(args: argparse.Namespace) -> int:
    """Write the kit; where it is goes to stdout, what it lacks to stderr."""
    from metamorph.reports.paper import figures, kit
    from metamorph.reports.paper.studies import study
    from metamorph.runs.summary import summarise

    folders: list[Path] = [args.folder, *args.more]
    names = args.data_set if len(args.data_set) > 1 else (args.data_set or [""]) * len(folders)
    studies = [
        study(summarise(folder, count_blocks=args.count_blocks), folder.resolve().name, name)
        for folder, name in zip(folders, names, strict=True)
    ]
    written = kit.write(studies, args.out)
    print(f"{len(written.files)} files in {args.out}; {args.out / 'README.md'} tells what each is")
    if written.without_figures:
        print(f"note: {figures.MISSING}", file=sys.stderr)
    if written.left:
        print(f"note: {len(written.left)} files of an earlier kit are left there", file=sys.stderr)
    return DONE
