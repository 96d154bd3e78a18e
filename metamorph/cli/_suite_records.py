"""`metamorph suite build` and `suite verify`."""

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metamorph.cli import DONE, GATE_FAILED
from metamorph.cli import _model_options as model_options
from metamorph.cli._addresses import out_folder
from metamorph.cli._telling import Pace, say
from metamorph.cli.run import add_variants, add_workers, codes_of
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.models.options import Options
    from metamorph.runs.settings import Settings
    from metamorph.suites.records import Counts

_FORMATS = (
    "jsonl, parquet, hf, java, c2v, c2s, codexglue-text, codexglue-search, codexglue-defect, "
    "codexglue-clone; several as hf,c2v"
)


def add_build(parser: argparse.ArgumentParser) -> None:
    """The options of `suite build`."""
    add = parser.add_argument
    add(
        "paths",
        metavar="SRC",
        nargs="+",
        help="a .java file, a folder, a .zip, .jar or .tar.* archive, a .jsonl file or a suite",
    )
    add("--transform", metavar="T", required=True, help="transformations, as VN,PS; or all")
    add("--format", metavar="F", default="jsonl", help=f"{_FORMATS} (default: jsonl)")
    add("--out", metavar="DIR", type=out_folder, required=True, help="a new or empty folder")
    add("--gzip", action="store_true", help="gzip the JSON lines of the records")
    add_workers(parser)
    add_variants(parser.add_argument_group("variants"))
    _add_choice(parser.add_argument_group("choice"))
    model_options.add_task(parser.add_argument_group("task"))


def _add_choice(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--per-transform",
        metavar="N",
        type=model_options.positive,
        help="N variants of each transformation, drawn evenly over projects and lengths",
    )
    add(
        "--splits",
        metavar="S",
        default="test",
        help="names and shares, as train:0.8,valid:0.1,test:0.1; all variants of a method, and of "
        "its copies, go to one (default: test)",
    )
    add(
        "--exclude-duplicates-of",
        metavar="CORPUS",
        action="append",
        default=[],
        help="leave out files that are near-duplicates of one of this corpus; may be given again",
    )
    add("--license", metavar="SPDX", default="", help="the licence of files that tell none")


def add_verify(parser: argparse.ArgumentParser) -> None:
    """The options of `suite verify`."""
    parser.add_argument("suite", metavar="DIR", type=Path, help="the folder of a suite")
    add_workers(parser)


def build(args: argparse.Namespace) -> int:
    """Build the suite; what it holds is told on stderr."""
    from metamorph.suites.build import build as build_suite
    from metamorph.suites.recipes import Recipe, parse_formats, parse_splits

    settings, notes = settings_of(args)
    recipe = Recipe(
        settings,
        parse_formats(args.format),
        args.gzip,
        parse_splits(args.splits),
        args.per_transform,
        args.license,
    )
    command = shlex.join(["metamorph", *model_options.without_secrets(args.argv)])
    advance = _teller()
    excluded = args.exclude_duplicates_of
    manifest = build_suite(recipe, args.out, command, notes, excluded, advance, args.workers)
    _tell(manifest["counts"], args.out)
    return DONE


def settings_of(args: argparse.Namespace, repeat: int = 1) -> tuple["Settings", list[str]]:
    """What programs to make of which sources, and notes on it, which are told; they can be made.

    Raises UserError where they cannot.
    """
    from metamorph.models.options import Options
    from metamorph.runs.checks import ready
    from metamorph.runs.plans import plan
    from metamorph.runs.settings import Settings

    pairs, notes = plan(codes_of(args.transform), args.place)
    for note in notes:
        say(note)
    settings = Settings(
        paths=tuple(args.paths),
        model="",
        plan=pairs,
        place=args.place,
        seed=args.seed,
        limit=args.limit,
        check=args.check,
        repeat=repeat,
        classpath=args.classpath,
        handler=args.handler,
        time_limit=args.time_limit,
        memory_limit=args.memory_limit,
        options=checked(Options(task=args.task, equality=args.equality)),
    )
    ready(settings)
    return settings, list(notes)


def checked(options: "Options") -> "Options":
    """The options, if there is such a task; raises UserError."""
    from metamorph.tasks import load

    try:
        load(options.task, options.equality)
    except ValueError as error:
        raise UserError(str(error)) from error
    return options


def verify(args: argparse.Namespace) -> int:
    """Make the suite anew and compare; each difference is a line on stdout."""
    from metamorph.runs.checks import ready
    from metamorph.suites import manifest as manifests
    from metamorph.suites.verify import other_versions, recipe_told, shown
    from metamorph.suites.verify import verify as verify_suite

    manifest = manifests.read(args.suite, manifests.RECORDS)
    settings = recipe_told(args.suite, manifest).settings
    codes_of(",".join(code for code, _ in settings.plan))
    ready(settings)
    if others := other_versions(manifest, args.suite):
        say(f"warning: {others}: records may have become others since the suite was written")
    try:
        differences = verify_suite(args.suite, manifest, _teller(), args.workers)
    except OSError as error:
        raise UserError(
            f"{error.filename or args.suite}: {error.strerror}; the suite is not verified "
            "(it is made anew where TMPDIR says)"
        ) from error
    if differences:
        print("\n".join(shown(differences)))
        return GATE_FAILED
    print(f"{manifest['counts']['records']:,} records made anew, every byte the same")
    return DONE


def _teller() -> Callable[["Counts"], None]:
    """Tells how records are made, now and then."""
    pace = Pace()

    def advance(counts: "Counts") -> None:
        if pace.is_due():
            say(f"{counts.files:,} files, {counts.methods:,} methods, {counts.records:,} records")

    return advance


def _tell(counts: dict[str, Any], out: Path) -> None:
    say(f"{counts['files']:,} files, {counts['methods']:,} methods, {counts['records']:,} records")
    _tell_counts("records", counts["by_transform"])
    _tell_counts("splits", counts["by_split"])
    _tell_counts("files left out", counts["left"])
    _tell_counts("not for every format", counts["unused"])
    for title in ("refusals", "faults"):
        for code, reasons in counts[title].items():
            _tell_counts(f"{title} {code}", reasons)
    _tell_counts("fewer than --per-transform by", counts["lacking"])
    say(f"suite in {out}")


def _tell_counts(title: str, counts: dict[str, int]) -> None:
    if counts:
        say(f"{title}: {', '.join(f'{name} {number:,}' for name, number in counts.items())}")
