"""JUnit XML reports, as Maven, Gradle, Ant and pytest write them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"

DEFAULT = (
    "**/surefire-reports/*.xml",
    "**/failsafe-reports/*.xml",
    "**/test-results/**/*.xml",
    "**/TEST-*.xml",
)
"""Where reports are looked for, below the project."""

_LONGEST = 150

_STATUS = {"failure": FAILED, "error": FAILED, "skipped": SKIPPED}


@dataclass(slots=True)
class Reports:
    """Test -> what became of it, `passed`, `failed` or `skipped`; damaged: unreadable reports.

    reasons: what is said of the tests that failed, in a line.
    """

    tests: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    files: int = 0
    damaged: list[str] = field(default_factory=list)


def find(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The report files below the folder, each once."""
    return sorted({p for pattern in patterns for p in folder.glob(pattern) if p.is_file()})


def read(folder: Path, patterns: Sequence[str]) -> Reports:
    """All tests of all reports; the nth test of one name is `name #n`."""
    reports = Reports()
    seen: Counter[str] = Counter()
    for path in find(folder, patterns):
        try:
            root = ElementTree.parse(path).getroot()
        except (ElementTree.ParseError, OSError):
            reports.damaged.append(str(path.relative_to(folder)))
            continue
        reports.files += 1
        for name, status, reason in _cases(root):
            seen[name] += 1
            test = name if seen[name] == 1 else f"{name} #{seen[name]}"
            reports.tests[test] = status
            if reason:
                reports.reasons[test] = reason
    return reports


def _cases(root: ElementTree.Element) -> Iterator[tuple[str, str, str]]:
    for case in root.iter("testcase"):
        owner, name = case.get("classname", ""), case.get("name", "")
        told = [child for child in case if child.tag in _STATUS]
        found = {_STATUS[child.tag] for child in told}
        status = FAILED if FAILED in found else SKIPPED if found else PASSED
        reason = next((_reason(child) for child in told if _STATUS[child.tag] == FAILED), "")
        yield f"{owner}.{name}" if owner else name, status, reason


def _reason(failure: ElementTree.Element) -> str:
    """The first line of the exception: its simple name and message."""
    lines = (failure.get("message") or failure.text or "").strip().splitlines()
    kind = failure.get("type", "").rpartition(".")[2]
    text = lines[0].strip() if lines else ""
    said = f"{kind}: {text}" if kind and kind not in text else text or kind
    return said if len(said) <= _LONGEST else said[: _LONGEST - 3] + "..."
