"""What deduplication writes: ids to exclude, weights, or a copy of the sources that are kept."""

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from metamorph.corpus import read_sources
from metamorph.corpus.copied import NUMBERED, write_copy
from metamorph.corpus.projects import below
from metamorph.duplicates.collections import Unit
from metamorph.durable import whole_folder
from metamorph.java.source import SourceFile


def index_exclusions(index: Sequence[Sequence[str]]) -> Iterator[str]:
    """The ids of an index but the first of each cluster."""
    return (name for cluster in index for name in list(cluster)[1:])


def index_weights(index: Sequence[Sequence[str]]) -> Iterator[str]:
    """The weights of the ids of an index, as lines of JSON; all others weigh 1."""
    for cluster in index:
        for name in cluster:
            yield _weight_line(name, 1 / len(cluster))


def matched(
    index: Sequence[Sequence[str]], units: Sequence[Unit]
) -> tuple[list[list[int]], list[str]]:
    """The clusters of an index as numbers of units, and the ids that no unit has.

    An id is that of a unit, or the end of just one unit's id behind a slash.
    """
    numbers = {unit.id: number for number, unit in enumerate(units)}
    ends = _by_end(units)
    clusters: list[list[int]] = []
    unknown: list[str] = []
    for cluster in index:
        found = [numbers.get(name, ends.get(name.lstrip("./"), -1)) for name in cluster]
        unknown += [name for name, number in zip(cluster, found, strict=True) if number < 0]
        members = sorted({number for number in found if number >= 0})
        if len(members) > 1:
            clusters.append(members)
    return clusters, unknown


def _by_end(units: Sequence[Unit]) -> dict[str, int]:
    """The number of the one unit whose id ends so, -1 where several do."""
    ends: dict[str, int] = {}
    for number, unit in enumerate(units):
        rest = unit.id
        while "/" in rest:
            rest = rest.partition("/")[2]
            ends[rest] = -1 if rest in ends else number
    return ends


def weight_lines(units: Sequence[Unit], weights: Sequence[float]) -> Iterator[str]:
    """`{"id": ..., "weight": ...}`, a line a unit."""
    return (_weight_line(unit.id, w) for unit, w in zip(units, weights, strict=True))


def _weight_line(name: str, weight: float) -> str:
    return json.dumps({"id": name, "weight": weight}) + "\n"


def copy_tree(paths: Sequence[str], excluded: set[str], out: Path) -> int:
    """Write the sources that are not excluded into a new or empty folder; how many.

    The folder is there only once it is whole. Raises UserError.
    """
    copied = 0
    with whole_folder(out, paths) as draft:
        for source in read_sources(paths):
            if isinstance(source, SourceFile) and source.path not in excluded:
                name = str(_place(source.path, paths))
                write_copy(source.data, draft, name, f"{NUMBERED}/{copied}.java")
                copied += 1
    return copied


def _place(path: str, roots: Sequence[str]) -> PurePosixPath:
    """Where a source goes: its path below its root, below the root's name if roots are several."""
    found = [(root, rest) for root in roots if (rest := below(path, root)) is not None]
    root, rest = max(found, key=lambda pair: len(pair[0]), default=("", path))
    rest = rest or os.path.basename(path)
    name = os.path.basename(root.rstrip("/")) if len(roots) > 1 and path != root else ""
    parts = [part for part in f"{name}/{rest}".split("/") if part not in ("", ".", "..")]
    if not parts[-1].endswith(".java"):
        parts[-1] += ".java"
    return PurePosixPath(*parts)
