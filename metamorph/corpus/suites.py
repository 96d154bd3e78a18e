"""The sources of a suite, in the order and under the names that its list gives them."""

import hashlib
import json
import os
from collections.abc import Iterator
from typing import Any

from metamorph.corpus.skips import MAX_BYTES, Skipped
from metamorph.errors import UserError
from metamorph.java.source import SourceFile

KIND = "metamorph-suite"
MANIFEST = "manifest.json"
SOURCES = "sources.jsonl"


def is_suite(folder: str) -> bool:
    """Whether the folder is a suite, whole or not."""
    manifest = _json_file(os.path.join(folder, MANIFEST))
    return isinstance(manifest, dict) and manifest.get("kind") == KIND


def read_suite(folder: str) -> Iterator[SourceFile | Skipped]:
    """The sources of a suite; raises UserError where it is not whole, or not as it was written."""
    manifest = _json_file(os.path.join(folder, MANIFEST))
    if not isinstance(manifest, dict) or not manifest.get("complete"):
        raise UserError(f"{folder}: this suite was not written to its end; write it again")
    yield from listed_sources(folder)


def listed_sources(folder: str) -> Iterator[SourceFile | Skipped]:
    """The sources that the list names; raises UserError where a file is not as it tells."""
    return (source for _, source in listing(folder))


def listing(folder: str) -> Iterator[tuple[str, SourceFile | Skipped]]:
    """The same, each after the name of its copy below the folder, "" where there is none."""
    try:
        with open(os.path.join(folder, SOURCES), "rb") as lines:
            for number, line in enumerate(lines, 1):
                yield _listed(folder, number, line)
    except FileNotFoundError as error:
        raise UserError(
            f"{os.path.join(folder, SOURCES)}: missing from the suite; get the suite anew"
        ) from error


def _listed(folder: str, number: int, line: bytes) -> tuple[str, SourceFile | Skipped]:
    try:
        row = json.loads(line)
        path, reason = str(row["path"]), row.get("skipped")
        if reason is not None:
            return "", Skipped(path, str(reason))
        name, sha256, gold = str(row["file"]), row["sha256"], row.get("gold")
        project, about = str(row.get("project", "")), row.get("about")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{folder}: {SOURCES}:{number}: not an entry of a suite's list") from error
    place = os.path.join(folder, name)
    if os.path.isabs(name) or ".." in name.split("/"):
        raise UserError(f"{folder}: {SOURCES}:{number}: {name} lies outside of the suite")
    data = _bytes(place)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise UserError(f"{place}: changed since the suite was written; get the suite anew")
    said = "" if about is None else json.dumps(about)
    return name, SourceFile(path, data, None if gold is None else str(gold), project, said)


def _bytes(place: str) -> bytes:
    if not os.path.isfile(place) or os.path.getsize(place) > MAX_BYTES:
        raise UserError(f"{place}: missing from the suite; get the suite anew")
    with open(place, "rb") as stream:
        return stream.read()


def _json_file(path: str) -> Any:
    """What a JSON file holds; None where there is none."""
    try:
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError, RecursionError):
        return None
