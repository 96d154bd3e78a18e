"""What the tests of benchmark suites share: a build that must succeed, and looks at its parts."""

import json
from pathlib import Path
from typing import Any

from studies import metamorph


def build(*arguments: object, transform: str = "VN,LX,UN", out: str = "suite") -> Path:
    """Build a suite that must succeed; its folder."""
    assert metamorph("suite", "build", *arguments, "--transform", transform, "--out", out) == 0
    return Path(out)


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The objects in a file, or in all such files of a folder."""
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def records(suite: Path = Path("suite")) -> list[dict[str, Any]]:
    """All records of a suite."""
    return json_lines(suite / "data")


def manifest(suite: Path = Path("suite")) -> dict[str, Any]:
    """The manifest of a suite."""
    found: dict[str, Any] = json.loads((suite / "manifest.json").read_text())
    return found


def write_lines(path: str, *rows: dict[str, object]) -> None:
    """A file of JSON lines."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def contents(suite: Path) -> dict[str, bytes]:
    """Every file of a suite but the manifest, which tells when it was written."""
    files = [path for path in suite.rglob("*") if path.is_file()]
    return {
        path.relative_to(suite).as_posix(): path.read_bytes()
        for path in files
        if path.name != "manifest.json"
    }
