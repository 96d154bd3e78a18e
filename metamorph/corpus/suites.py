"""The sources of a suite, in the order and under the names that its list gives them."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from metamorph.corpus.addresses import is_address, shown
from metamorph.corpus.remote import place
from metamorph.corpus.skips import MAX_BYTES, Skipped
from metamorph.errors import UserError
from metamorph.java.source import SourceFile

KIND = "metamorph-suite"
MANIFEST = "manifest.json"
SOURCES = "sources.jsonl"


def is_suite(folder: str) -> bool:
    """Whether the folder is a suite, whole or not."""
    manifest = _manifest(folder)
    return isinstance(manifest, dict) and manifest.get("kind") == KIND


def read_suite(folder: str) -> Iterator[SourceFile | Skipped]:
    """The sources of a suite; raises UserError where it is not whole, or not as it was written."""
    manifest = _manifest(folder)
    if not isinstance(manifest, dict) or not manifest.get("complete"):
        raise UserError(f"{shown(folder)}: this suite was not written to its end; write it again")
    yield from listed_sources(folder)


def listed_sources(folder: str) -> Iterator[SourceFile | Skipped]:
    """The sources that the list names; raises UserError where a file is not as it tells."""
    return (source for _, source in listing(folder))


def listing(folder: str) -> Iterator[tuple[str, SourceFile | Skipped]]:
    """The same, each after the name of its copy below the folder, "" where there is none."""
    try:
        with _opened(folder, SOURCES) as lines:
            for number, line in enumerate(lines, 1):
                yield _listed(folder, number, line)
    except FileNotFoundError as error:
        raise UserError(
            f"{shown(folder)}/{SOURCES}: missing from the suite; get the suite anew"
        ) from error


def _listed(folder: str, number: int, line: bytes) -> tuple[str, SourceFile | Skipped]:
    told = shown(folder)
    try:
        row = json.loads(line)
        path, reason = str(row["path"]), row.get("skipped")
        if reason is not None:
            return "", Skipped(path, str(reason))
        name, sha256, gold = str(row["file"]), row["sha256"], row.get("gold")
        project, about = str(row.get("project", "")), row.get("about")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"{told}: {SOURCES}:{number}: not an entry of a suite's list") from error
    if os.path.isabs(name) or ".." in name.split("/"):
        raise UserError(f"{told}: {SOURCES}:{number}: {name} lies outside of the suite")
    data = _bytes(folder, name)
    if hashlib.sha256(data).hexdigest() != sha256:
        raise UserError(f"{told}/{name}: changed since the suite was written; get the suite anew")
    said = "" if about is None else json.dumps(about)
    return name, SourceFile(path, data, None if gold is None else str(gold), project, said)


def _bytes(folder: str, name: str) -> bytes:
    data = None
    if is_address(folder) or os.path.isfile(os.path.join(folder, name)):
        with suppress(OSError), _opened(folder, name) as stream:
            data = stream.read(MAX_BYTES + 1)
    if data is None or len(data) > MAX_BYTES:
        raise UserError(f"{shown(folder)}/{name}: missing from the suite; get the suite anew")
    return data


def _manifest(folder: str) -> Any:
    """What the manifest holds; None where there is none."""
    try:
        with _opened(folder, MANIFEST) as stream:
            return json.load(stream)
    except (OSError, ValueError, RecursionError):
        return None


def _opened(folder: str, name: str) -> BinaryIO:
    if not is_address(folder):
        return open(os.path.join(folder, name), "rb")
    there = place(folder)
    return there.stream(f"{there.path.rstrip('/')}/{name}")
