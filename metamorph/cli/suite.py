"""`metamorph suite`: benchmarks of records, and programs for a model that runs elsewhere."""

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metamorph.cli import DONE, INCOMPLETE, INTERRUPTED
from metamorph.cli import _model_options as model_options
from metamorph.cli import _suite_records as records
from metamorph.cli._addresses import no_address, out_folder
from metamorph.cli._telling import Pace, say
from metamorph.cli.run import add_variants, add_workers, carry_out, codes_of

if TYPE_CHECKING:
    from metamorph.suites.programs import Counts
    from metamorph.suites.scoring import Coverage

SUMMARY = "build and verify benchmarks; export programs for a model elsewhere, score its answers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-commands."""
    actions = parser.add_subparsers(
        dest="action", metavar="build|verify|export|score", required=True
    )
    records.add_build(actions.add_parser("build", help="write a benchmark: records and sources"))
    records.add_verify(actions.add_parser("verify", help="make a benchmark anew, and compare"))
    _add_export(actions.add_parser("export", help="write every program that a run would ask about"))
    _add_score(actions.add_parser("score", help="make the run with answers from a file"))


def _add_export(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a .java file, a folder, a .zip, .jar or .tar.* archive, a .jsonl file or a suite",
    )
    add("--transform", metavar="T", required=True, help="transformations, as VN,PS; or all")
    add("--out", metavar="DIR", type=out_folder, required=True, help="a new or empty folder")
    add_variants(parser.add_argument_group("variants"))
    add(
        "--repeat",
        metavar="K",
        type=model_options.positive,
        default=1,
        help="write each original K times, for models whose answers vary",
    )
    model_options.add_task(parser.add_argument_group("task"))


def _add_score(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("suite", metavar="DIR", type=Path, help="the folder of an export")
    add("predictions", metavar="PREDICTIONS", type=Path, help="JSON lines, gzipped or not")
    add("--out", metavar="RUN", type=no_address, required=True, help="folder of the results")
    add("--equality", metavar="RULE", default="", help="when two answers are the same")
    add_workers(parser)
    add("--resume", action="store_true", help="go on with the run in --out, or else begin it")


def run(args: argparse.Namespace) -> int:
    """Do what `args.action` says."""
    actions = {
        "build": records.build,
        "verify": records.verify,
        "export": _export,
        "score": _score,
    }
    return actions[args.action](args)


def _export(args: argparse.Namespace) -> int:
    """Write the suite; what it holds is told on stderr."""
    from metamorph.suites.export import export

    settings, notes = records.settings_of(args, args.repeat)
    command = shlex.join(["metamorph", *model_options.without_secrets(args.argv)])
    manifest = export(settings, args.out, command, notes, _teller())
    _tell(manifest["counts"], args.out)
    return DONE


def _score(args: argparse.Namespace) -> int:
    """Make the run; incomplete if a program has no answer."""
    from metamorph.models.recorded import load
    from metamorph.runs.checks import ready
    from metamorph.runs.engines import Crew
    from metamorph.runs.execute import Request
    from metamorph.suites import manifest as manifests
    from metamorph.suites.scoring import coverage

    manifest = manifests.read(args.suite)
    name = f"recorded:{args.predictions}"
    settings = manifests.settings_of(manifest, args.suite, name, args.equality)
    model = load(str(args.predictions), records.checked(settings.options))
    codes_of(",".join(code for code, _ in settings.plan))
    ready(settings)
    if others := manifests.other_versions(manifest, settings):
        say(f"warning: {others}: programs may have become others since the export")
    found = coverage(args.suite, model.answers)
    _tell_coverage(found)
    command = shlex.join(["metamorph", *model_options.without_secrets(args.argv)])
    request = Request(
        settings=settings,
        model=model,
        out=args.out,
        crew=Crew(args.workers),
        resume=args.resume,
        command=command,
        notes=tuple(manifest["notes"]),
    )
    code = carry_out(request)
    return INCOMPLETE if found.missing and code != INTERRUPTED else code


def _teller() -> Callable[["Counts"], None]:
    """Tells how an export goes on, now and then."""
    pace = Pace()

    def advance(counts: "Counts") -> None:
        if pace.is_due():
            say(f"{counts.files:,} files, {counts.methods:,} methods, {counts.variants:,} variants")

    return advance


def _tell(counts: dict[str, Any], out: Path) -> None:
    say(
        f"{counts['files']:,} files, {counts['methods']:,} methods, {counts['variants']:,} "
        f"variants; {counts['programs']:,} programs to be predicted"
    )
    say(f"suite in {out}")


def _tell_coverage(found: "Coverage") -> None:
    if found.foreign:
        say(f"{found.foreign:,} answers are about programs that the suite does not have")
    if found.missing:
        say(f"{found.missing:,} of {found.programs:,} programs have no answer")
