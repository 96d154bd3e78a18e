"""The sources of a suite: copies of a corpus' files, and the list that tells of them."""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from metamorph.corpus import Skipped
from metamorph.corpus.addresses import shown
from metamorph.corpus.copied import NUMBERED, write_copy
from metamorph.corpus.lists import is_list, read_list
from metamorph.corpus.projects import project_of
from metamorph.corpus.suites import SOURCES
from metamorph.java.source import SourceFile
from metamorph.limits import Limits
from metamorph.runs.limited import read

FOLDER = "sources"

_SEPARATORS = re.compile(r"[/\\:!\0]+")
_LONGEST_PART = 200


def copy_sources(
    sources: Iterable[SourceFile | Skipped], paths: Sequence[str], out: Path, limit: int | None
) -> None:
    """Copy a corpus into the suite, one file at a time, up to the file of the last method.

    Files are named as below the PATH that they come from, so that no other path of the machine
    stands in the suite.
    """
    with open(out / SOURCES, "x", encoding="utf-8", newline="\n") as stream:
        for number, source in enumerate(_needed(sources, limit)):
            told = below(source.path, paths)
            row: dict[str, object] = {"path": told}
            if isinstance(source, Skipped):
                row["skipped"] = source.reason
            else:
                row |= {"file": _copy(source, told, number, out)} | _about(source, paths)
            stream.write(json.dumps(row) + "\n")


def _needed(
    sources: Iterable[SourceFile | Skipped], limit: int | None
) -> Iterator[SourceFile | Skipped]:
    """The sources that hold the first `limit` methods, all of them without a limit."""
    for source in sources:
        yield source
        if limit is not None:
            limit -= _count_methods(source)
            if limit <= 0:
                return


def _count_methods(source: SourceFile | Skipped) -> int:
    if isinstance(source, Skipped):
        return 0
    return len(read(source, Limits()).methods)


def _about(source: SourceFile, paths: Sequence[str]) -> dict[str, object]:
    about: dict[str, object] = {
        "sha256": hashlib.sha256(source.data).hexdigest(),
        "bytes": len(source.data),
    }
    if source.gold is not None:
        about["gold"] = source.gold
    if project := source.project or _project(source.path, paths):
        about["project"] = project
    return about | {"about": json.loads(source.about)} if source.about else about


def _project(path: str, paths: Sequence[str]) -> str:
    """A project that is a PATH itself goes by its last name."""
    project = project_of(path, paths)
    named = {shown(given) for given in paths}
    return os.path.basename(os.path.abspath(project)) if project in named else project


def below(path: str, tops: Sequence[str]) -> str:
    """A source's path as it reads from the folder that holds the PATH it comes from.

    One of a list reads from the folder that all of the list are in.
    """
    for top in sorted(map(shown, tops), key=len, reverse=True):
        if is_list(top) and (rest := read_list(top).below(path)) is not None:
            return rest
        whole = top.rstrip("/")
        if path == top or path.startswith((f"{whole}/", f"{top}!/", f"{top}:")):
            name = os.path.basename(os.path.abspath(top)) if whole else ""
            return f"{name}{path[len(whole) :]}".lstrip("/")
    return path


def _copy(source: SourceFile, told: str, number: int, out: Path) -> str:
    """Write the file and tell where; a name that is taken or does not work gets a number."""
    parts = [part for part in _SEPARATORS.split(told) if part.strip(".")]
    numbered = f"{NUMBERED}/{number}.java"
    name = "/".join([FOLDER, *parts]) if parts else numbered
    # Whatever the machine takes: a suite has the same names on all.
    if any(len(part.encode("utf-8", "surrogateescape")) > _LONGEST_PART for part in parts):
        name = numbered
    return write_copy(
        source.data, out, name if name.endswith(".java") else f"{name}.java", numbered
    )
