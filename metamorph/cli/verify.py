"""`metamorph verify`: a project's own build and tests, before and after transformations."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from metamorph.cli import DONE, GATE_FAILED, INCOMPLETE
from metamorph.cli._endings import printing
from metamorph.cli._model_options import positive
from metamorph.cli._telling import say
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.verify.verification import After, Before, Request

SUMMARY = "build and test a project as it is and transformed, and tell which tests it loses"

_MOST_TESTS = 50


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("project", metavar="SRC", type=Path, help="the project's folder; it is never changed")
    add("--transform", metavar="T", required=True, help="as VN,PS, or all: a copy for each")
    add(
        "--place",
        choices=("all", "random"),
        help="all sites of each method, or one by chance (default: all, but one by chance for "
        "transformations that are not applied to all sites at once)",
    )
    add("--build", metavar="CMD", required=True, help="shell command that builds the project")
    add("--test", metavar="CMD", required=True, help="shell command that tests it")
    add(
        "--reports",
        metavar="GLOB",
        action="append",
        help="JUnit XML reports, below the project (default: where Maven, Gradle and Ant write)",
    )
    add(
        "--sources",
        metavar="DIR",
        action="append",
        default=[],
        help="folder below SRC to transform (default: all source folders but tests and outputs)",
    )
    add("--seed", type=int, default=0, help="seed of all choices (default: 0)")
    add(
        "--repeat",
        metavar="K",
        type=positive,
        default=1,
        help="test the untouched project K times; tests that flicker are left out",
    )
    add(
        "--time-limit",
        metavar="SECONDS",
        type=positive,
        default=3600,
        help="most that a command may take (default: 3600)",
    )
    add(
        "--keep", metavar="DIR", type=Path, help="keep the copies and logs in a new or empty folder"
    )


def run(args: argparse.Namespace) -> int:
    """Verify, and print what was found."""
    from metamorph.verify.verification import IncompleteError, verify

    if not args.project.is_dir():
        raise UserError(f"{args.project}: no such folder; name the project's")
    for name in args.sources:
        if not (args.project / name).is_dir():
            raise UserError(f"--sources {name}: no such folder below {args.project}")
    with _workplace(args) as work:
        try:
            before, found = verify(_request(args, work), say)
        except IncompleteError as error:
            say(f"error: {error}")
            for line in error.lines:
                print(f"    {line}", file=sys.stderr)
            return INCOMPLETE
    with printing():
        _print_before(before, args.repeat)
        for after in found:
            _print_after(after, before)
    if any(after.lost or after.fault or after.counts.faults for after in found):
        return GATE_FAILED
    return INCOMPLETE if all(after.untouched for after in found) else DONE


def _request(args: argparse.Namespace, work: Path) -> "Request":
    from metamorph.verify.junit import DEFAULT
    from metamorph.verify.verification import Request

    return Request(
        args.project,
        _plan(args.transform, args.place),
        args.seed,
        args.build,
        args.test,
        tuple(args.reports or DEFAULT),
        tuple(args.sources),
        work,
        args.time_limit,
        args.repeat,
    )


def _plan(transforms: str, place: str | None) -> tuple[tuple[str, str], ...]:
    """Each transformation with its place; without a choice the place with the most sites."""
    from metamorph.cli.run import codes_of
    from metamorph.runs.plans import plan
    from metamorph.transforms import load

    codes = codes_of(transforms)
    if place is None:
        return tuple((c, "all" if "all" in load(c).PLACES else "random") for c in codes)
    pairs, notes = plan(codes, place)
    for note in notes:
        say(note)
    return pairs


@contextmanager
def _workplace(args: argparse.Namespace) -> Iterator[Path]:
    """Where the copies lie: a folder to keep, or one that goes again."""
    from metamorph.runs.whole_trees import prepare

    if args.keep is not None:
        prepare(args.project, args.keep)
        yield args.keep
        return
    with TemporaryDirectory(prefix="metamorph-verify-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _print_before(before: "Before", repeat: int) -> None:
    print(f"as it is: {len(before.passed):,} tests pass, {before.others:,} do not")
    if before.flickering:
        print(f"left out, as they flicker in {repeat} rounds: {len(before.flickering):,}")
        _print_some([f"flickers  {test}" for test in before.flickering])


def _print_after(after: "After", before: "Before") -> None:
    counts = after.counts
    head = f"{after.code} {after.place}: {counts.sites:,} sites in {counts.changed:,} files"
    if after.untouched:
        print(f"{head}: nothing to transform, nothing verified")
    elif after.fault:
        print(f"{head}: {after.fault}")
    elif after.lost:
        print(f"{head}: {len(after.lost):,} of {len(before.passed):,} tests no longer pass")
    else:
        print(f"{head}: all {len(before.passed):,} tests still pass")
    for line in after.errors:
        print(f"    {line}")
    _print_some([_lost(after, test) for test in after.lost])
    for reason, count in counts.faults.items():
        print(f"    left as they are, as the transformation failed: {count:,} ({reason})")


def _lost(after: "After", test: str) -> str:
    line, reason = f"{after.lost[test]}  {test}", after.reasons[test]
    return f"{line}: {reason}" if reason else line


def _print_some(lines: list[str]) -> None:
    for line in lines[:_MOST_TESTS]:
        print(f"    {line}")
    if len(lines) > _MOST_TESTS:
        print(f"    and {len(lines) - _MOST_TESTS:,} more")
