"""A project's own tests, before and after a transformation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from metamorph.errors import UserError
from metamorph.runs.checks import compile_fault
from metamorph.runs.settings import Settings
from metamorph.runs.whole_trees import Counts, copy_tree, transformed
from metamorph.verify import commands, junit
from metamorph.verify.sources import chosen

ORIGINAL = "original"


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be verified, and how the project is built and tested.

    sources: folders below the project that are transformed, or () for its main sources; work:
    the folder of the copies; seconds: the most that one command may run.
    """

    project: Path
    plan: tuple[tuple[str, str], ...]
    seed: int
    build: str
    test: str
    reports: tuple[str, ...]
    sources: tuple[str, ...]
    work: Path
    seconds: float
    repeat: int


@dataclass(slots=True)
class Before:
    """The untouched project: tests that pass each time, tests that flicker, tests otherwise."""

    passed: list[str] = field(default_factory=list)
    flickering: list[str] = field(default_factory=list)
    others: int = 0


@dataclass(slots=True)
class After:
    """A transformed copy: what of the tests that passed before became `failed` and the like.

    reasons: what the reports say of a lost test; fault: why the copy could not be tested to the
    end; errors: lines that tell more; untouched: nothing was found to transform.
    """

    code: str
    place: str
    counts: Counts
    lost: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    errors: list[str] = field(default_factory=list)
    untouched: bool = False


class IncompleteError(Exception):
    """The untouched project cannot be tested; the message and the lines say why."""

    def __init__(self, message: str, lines: list[str]) -> None:
        super().__init__(message)
        self.lines = lines


def verify(request: Request, say: Callable[[str], None]) -> tuple[Before, list[After]]:
    """Build and test the untouched copy, then one copy for each transformation.

    Raises IncompleteError where the untouched project does not build, or no test of it passes.
    """
    wanted = _wanted(request, say)
    before = _untouched(request, say)
    return before, [
        _after(request, code, place, wanted, before, say) for code, place in request.plan
    ]


def _wanted(request: Request, say: Callable[[str], None]) -> frozenset[Path]:
    """The files that are transformed; where they lie is told."""
    roots = chosen(request.project, request.sources)
    if not roots:
        raise UserError(f"{request.project}: no Java to transform there; name folders by --sources")
    for root, files in roots.items():
        say(f"to be transformed: {len(files):,} files in {root.relative_to(request.project)}")
    return frozenset(path for files in roots.values() for path in files)


def _untouched(request: Request, say: Callable[[str], None]) -> Before:
    folder = request.work / ORIGINAL
    say("copying the project as it is")
    copy_tree(request.project, folder, lambda path: None)
    say("building it")
    log = request.work / f"{ORIGINAL}.build.log"
    if fault := commands.run(request.build, folder, log, request.seconds):
        raise IncompleteError(f"the untouched project does not build: {fault}", _told(log))
    rounds: list[dict[str, str]] = []
    for number in range(1, request.repeat + 1):
        say("testing it" if request.repeat == 1 else f"testing it, {number} of {request.repeat}")
        reports, fault = _tested(request, folder, ORIGINAL)
        if fault.startswith(commands.TOO_LONG):
            raise IncompleteError(f"the tests of the untouched project {fault}", [])
        rounds.append(reports.tests)
    return _judged(rounds, request.work / f"{ORIGINAL}.test.log")


def _judged(rounds: list[dict[str, str]], log: Path) -> Before:
    before = Before()
    for test in dict.fromkeys(test for tests in rounds for test in tests):
        passed = [tests.get(test) == junit.PASSED for tests in rounds]
        if all(passed):
            before.passed.append(test)
        elif any(passed):
            before.flickering.append(test)
        else:
            before.others += 1
    if not before.passed:
        found = "no JUnit XML report" if not any(rounds) else "no test that passes"
        raise IncompleteError(f"the untouched project has {found}; see --reports", _told(log))
    return before


def _tested(request: Request, folder: Path, name: str) -> tuple[junit.Reports, str]:
    """The command's reports, and what went wrong with it; older reports are removed."""
    for path in junit.find(folder, request.reports):
        path.unlink()
    log = request.work / f"{name}.test.log"
    fault = commands.run(request.test, folder, log, request.seconds)
    return junit.read(folder, request.reports), fault


def _after(
    request: Request,
    code: str,
    place: str,
    wanted: frozenset[Path],
    before: Before,
    say: Callable[[str], None],
) -> After:
    folder = request.work / code
    say(f"{code}: copying and transforming")
    after = After(code, place, _transformed_copy(request, folder, code, place, wanted))
    if not after.counts.sites:
        after.untouched = True
        return after
    say(f"{code}: building")
    log = request.work / f"{code}.build.log"
    if fault := commands.run(request.build, folder, log, request.seconds):
        after.fault, after.errors = f"does not build: {fault}", _told(log)
        return after
    say(f"{code}: testing")
    reports, fault = _tested(request, folder, code)
    _judge(after, before, reports, fault)
    if after.fault:
        after.errors += _told(request.work / f"{code}.test.log")
    return after


def _judge(after: After, before: Before, reports: junit.Reports, fault: str) -> None:
    """What became of the tests that passed before."""
    after.errors = [f"damaged report: {name}" for name in reports.damaged]
    if not reports.tests:
        after.fault = f"the tests wrote no report: {fault or 'exit code 0'}"
        return
    for test in before.passed:
        status = reports.tests.get(test, "vanished")
        if status != junit.PASSED:
            after.lost[test] = status
            after.reasons[test] = reports.reasons.get(test, "")
    if fault.startswith(commands.TOO_LONG):
        after.fault = f"the tests {fault}"


def _transformed_copy(
    request: Request, folder: Path, code: str, place: str, wanted: frozenset[Path]
) -> Counts:
    counts = Counts()
    settings = Settings((str(request.project),), "", ((code, place),), place, request.seed)

    def changed(path: Path) -> bytes | None:
        if path not in wanted:
            return None
        return transformed(path, settings, lambda f, d: compile_fault(f, d, settings), counts)

    copy_tree(request.project, folder, changed)
    return counts


def _told(log: Path) -> list[str]:
    return commands.first_errors(log)
