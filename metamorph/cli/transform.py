"""`metamorph transform`: write transformed code, as a tree, as files, or as a list of edits."""

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli import DONE, GATE_FAILED, _limits
from metamorph.cli._addresses import out_folder
from metamorph.cli._telling import say
from metamorph.cli.run import add_handler, add_workers, codes_of
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.runs.settings import Settings
    from metamorph.runs.variant_lists import Written
    from metamorph.runs.whole_trees import Counts

SUMMARY = "write transformed code: a whole source tree, a file a variant, or a list of edits"

_PATH_HELP = "a .java file or a folder; for files and jsonl also archives and .jsonl files"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("paths", metavar="PATH", nargs="+", help=_PATH_HELP)
    add(
        "--transform",
        metavar="T",
        required=True,
        help="transformations, as VN,PS; a tree takes one",
    )
    add(
        "--place",
        choices=("single", "all", "random"),
        default="all",
        help="each site alone, all of a method at once, one of it by chance (default: all)",
    )
    add("--out", metavar="DIR", type=out_folder, required=True, help="a new or empty folder")
    add(
        "--format",
        choices=("tree", "files", "jsonl"),
        default="tree",
        help="tree: a copy of PATH with every method transformed; jsonl: variants.jsonl, an "
        "object a variant or refusal; files: that, and the file of each variant in a folder "
        "named by the number of its line (default: tree)",
    )
    add("--seed", type=int, default=0, help="seed of all choices (default: 0)")
    add_handler(parser)
    add(
        "--check",
        choices=("none", "syntax", "javac"),
        default="syntax",
        help="syntax: a variant that does not parse is not written; javac: nor one with a compile "
        "error that its file did not have, and the exit code is then 1 (default: syntax)",
    )
    add("--classpath", metavar="CP", default="", help="class path of --check javac")
    add_workers(parser)
    _limits.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Write what was asked for, and a summary to stderr."""
    from metamorph.runs.plans import plan
    from metamorph.runs.settings import Settings

    codes = codes_of(args.transform)
    pairs, notes = plan(codes, args.place)
    for note in notes:
        say(note)
    settings = Settings(
        tuple(args.paths),
        "",
        pairs,
        args.place,
        args.seed,
        check=args.check,
        classpath=args.classpath,
        handler=args.handler,
        time_limit=args.time_limit,
        memory_limit=args.memory_limit,
    )
    faults = (_tree if args.format == "tree" else _list)(args, settings)
    return GATE_FAILED if faults and args.check == "javac" else DONE


def _tree(args: argparse.Namespace, settings: "Settings") -> Counter[str]:
    from functools import partial

    from metamorph.runs.checks import compile_fault, ready
    from metamorph.runs.whole_trees import write_tree

    if len(settings.plan) != 1 or args.place == "single":
        raise UserError(
            "--format tree: takes one transformation, in place all or random; "
            "give one code, or --format jsonl"
        )
    if len(args.paths) != 1:
        raise UserError("--format tree: takes one PATH; call it once for each")
    source = Path(args.paths[0])
    if not source.is_dir() and not (source.is_file() and source.suffix == ".java"):
        raise UserError(f"{source}: no folder and no .java file; a tree is made of these")
    ready(settings)
    check = partial(compile_fault, settings=settings)
    counts = write_tree(source, args.out, settings, check, args.workers)
    _tell_tree(counts, args.out)
    return counts.faults


def _list(args: argparse.Namespace, settings: "Settings") -> Counter[str]:
    from metamorph.corpus import find_sources
    from metamorph.durable import whole_folder
    from metamorph.runs.checks import ready
    from metamorph.runs.variant_lists import write_list

    ready(settings)
    with whole_folder(args.out, args.paths) as draft:
        written = write_list(
            find_sources(args.paths),
            draft,
            settings,
            whole_files=args.format == "files",
            workers=args.workers,
        )
        if not written.files:
            raise UserError(f"{' '.join(args.paths)}: no Java there; name another PATH")
    _tell_list(written, args.out)
    return written.faults


def _tell_tree(counts: "Counts", out: Path) -> None:
    say(
        f"{counts.files:,} files, {counts.changed:,} of them changed; {counts.methods:,} "
        f"outermost methods, {counts.sites:,} sites"
    )
    _tell_reasons("copied as they are", counts.left)
    _tell_reasons("refusals", counts.refusals)
    _tell_reasons("faults", counts.faults)
    say(f"tree in {out}")


def _tell_list(written: "Written", out: Path) -> None:
    from metamorph.runs.variant_lists import NAME

    say(f"{written.files:,} files, {written.methods:,} methods, {written.variants:,} variants")
    _tell_reasons("files without variants", written.left)
    _tell_reasons("refusals", written.refusals)
    _tell_reasons("faults", written.faults)
    say(f"list in {out / NAME}")


def _tell_reasons(title: str, reasons: Counter[str]) -> None:
    if reasons:
        parts = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())
        say(f"{title} {reasons.total():,}: {parts}")
