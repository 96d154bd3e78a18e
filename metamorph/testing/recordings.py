"""Recordings: results that are kept, so that they can be judged again without asking anew."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from metamorph.durable import write_text
from metamorph.errors import UserError
from metamorph.testing.parameters import Parameters
from metamorph.testing.results import Result, from_json
from metamorph.version import VERSION

KIND = "metamorph-record"
SCHEMA = 1


def write(path: Path, results: Mapping[str, Any]) -> None:
    """Write the results of a session, by test; whole or not at all. Raises OSError."""
    data = {"kind": KIND, "schema": SCHEMA, "metamorph": VERSION, "results": dict(results)}
    write_text(path, json.dumps(data, indent=1, sort_keys=True) + "\n")


def recorded(path: Path, test: str, asked: Parameters) -> Result:
    """What was recorded of a test; raises UserError where it was another study."""
    results = _results(path, path.stat().st_mtime_ns if path.is_file() else 0)
    if test not in results:
        raise UserError(f"{path}: nothing recorded of {test}; record it with --metamorph-record")
    try:
        result = from_json(results[test])
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: damaged: {test}; record it again") from error
    for name, value in asked.study.items():
        if result.study.get(name) != value:
            was = result.study.get(name)
            raise UserError(f"{path}: {test} was recorded with {name} {was!r}, not {value!r}")
    return result


@lru_cache(maxsize=1)
def _results(path: Path, changed: int) -> dict[str, Any]:
    """Read once, and again when the file has changed."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read as a record ({error})") from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise UserError(f"{path}: not a record of metamorph")
    if data.get("schema") != SCHEMA:
        raise UserError(f"{path}: a record of another version; record it again")
    results: dict[str, Any] = data["results"]
    return results
