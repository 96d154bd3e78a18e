"""Which methods of a run's corpus are near-copies of what its model was trained on."""

import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from metamorph.corpus import Skipped, Survey, find_sources, read_sources, survey
from metamorph.errors import UserError
from metamorph.limits import MEMORY, TIME
from metamorph.oracles.clustering import clusters_of
from metamorph.oracles.copied import (
    FILE,
    METHOD,
    NONE,
    UNTOLD,
    ByCopy,
    Copied,
    CopyScores,
    copy_scores,
    copy_tallies,
    parts_of,
)
from metamorph.oracles.counts import Originals, key_of
from metamorph.runs.manifest import Manifest
from metamorph.tasks import Task

# Imported where it is needed: most runs are not told what their model was trained on.
if TYPE_CHECKING:
    from metamorph.duplicates.collections import Unit, UnitKind

Row = tuple[int, int, str]
"""The numbers of a file and of a method in it, and which of `oracles.copied.COPIED` it is."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """Units of the corpus: whether each is a copy of one in training, and large enough to tell.

    over: files of both that took too much, and are in none.
    """

    units: "list[Unit]"
    over: list[Skipped]
    copies: npt.NDArray[np.bool_]
    large: npt.NDArray[np.bool_]


def surveyed(train: Sequence[str]) -> Survey:
    """What the training corpus holds; raises UserError where that are no methods."""
    from metamorph.duplicates.token_lists import Fields, is_token_list

    if lists := [path for path in train if is_token_list(path, Fields())]:
        raise UserError(f"{lists[0]}: a token list has no methods; name sources")
    seen = survey(read_sources(train))
    if not seen.files:
        raise UserError(f"{', '.join(train)}: no Java there; name another --train-corpus")
    return seen


def compared(
    train: Sequence[str], paths: Sequence[str], workers: int, note: Callable[[str], None]
) -> Iterator[Row]:
    """What each method with a body is, in no order; those of files with a syntax error too.

    note: told of files that took too much, before the first row.
    """
    ordinals = {source.path: number for number, source in enumerate(find_sources(paths))}
    files = _compared(train, paths, "file", workers)
    copied = {unit.path for unit, copy in zip(files.units, files.copies, strict=True) if copy}
    methods = _compared(train, paths, "method", workers)
    if methods.over:
        note(
            f"{len(methods.over):,} files are left out of the search for copies, "
            f"{methods.over[0].reason}: {methods.over[0].path}"
        )
    seen: Counter[str] = Counter()
    for unit, copy, large in zip(methods.units, methods.copies, methods.large, strict=True):
        index, ordinal = seen[unit.path], ordinals.get(unit.path)
        seen[unit.path] += 1
        if ordinal is not None:
            what = METHOD if copy else FILE if unit.path in copied else NONE if large else UNTOLD
            yield ordinal, index, what


def _compared(
    train: Sequence[str], paths: Sequence[str], kind: "UnitKind", workers: int
) -> _Compared:
    from metamorph.duplicates.audits import copies_of
    from metamorph.duplicates.clusters import find
    from metamorph.duplicates.collections import Settings, collect, combined
    from metamorph.duplicates.thresholds import Thresholds

    settings = Settings(kind, workers=workers)
    learnt, tested = collect(train, settings), collect(paths, settings)
    both = combined(learnt, tested)
    found = find(both.bags, Thresholds())
    known = np.arange(len(both.units)) < len(learnt.units)
    large = np.zeros(len(known), np.bool_)
    large[found.large] = True
    over = [each for each in both.skipped if each.reason in (TIME, MEMORY)]
    return _Compared(tested.units, over, copies_of(found, known)[~known], large[~known])


def compared_again(manifest: Manifest, train: Sequence[str]) -> Iterator[Row]:
    """The same for a run that was not told its training corpus; raises UserError if it is gone.

    The manifest's notes tell of files that took too much.
    """
    paths = manifest["settings"]["paths"]
    if survey(read_sources(paths)).fingerprint != manifest["corpus"]["fingerprint"]:
        raise UserError(
            f"{', '.join(paths)}: not what the run read; go to the folder that it was started "
            "from, or repeat it with --train-corpus"
        )
    return compared(train, paths, 1, manifest["notes"].append)


def studied(connection: sqlite3.Connection, rows: Iterable[Row] | None) -> Iterator[Row]:
    """The rows of methods that the run has, in order; without `rows` those that it stored."""
    if rows is None:
        yield from connection.execute(_STORED)
        return
    known = {(file, method): what for file, method, what in rows}
    for file, method in connection.execute(_METHODS):
        yield file, method, known.get((file, method), UNTOLD)


def by_copy(
    connection: sqlite3.Connection,
    tables: Sequence[Originals],
    task: Task,
    seed: int,
    train: Mapping[str, Any],
    rows: Iterable[Row] | None,
) -> ByCopy:
    """The run split by what its methods are. train: the survey; rows: as in `studied`."""
    copied = parts_of(studied(connection, rows))
    scores = _scores(connection, task, copied, seed)
    tallies = list(copy_tallies(tables, copied, seed))
    return ByCopy(train["files"], train["fingerprint"], scores, tallies)


_METHODS = "SELECT file, method FROM methods ORDER BY 1, 2"
_STORED = f"""
SELECT file, method, COALESCE(copied, '{UNTOLD}')
FROM methods LEFT JOIN copies USING (file, method) ORDER BY 1, 2
"""
_GRADED = """
SELECT m.file, m.method, m.expected, m.label, f.project
FROM methods m JOIN files f USING (file)
WHERE m.expected IS NOT NULL AND m.label IS NOT NULL ORDER BY 1, 2
"""


def _scores(
    connection: sqlite3.Connection, task: Task, copied: Copied, seed: int
) -> list[CopyScores]:
    """How the methods of each kind are answered as they stand."""
    keys, right, clusters = array("q"), array("q"), array("q")
    projects: dict[str, int] = {}
    for file, method, expected, label, project in connection.execute(_GRADED):
        keys.append(key_of(file, method))
        right.append(task.same(label, expected))
        clusters.append(projects.setdefault(project, len(projects)))
    graded, correct, over = (np.frombuffer(c, np.int64) for c in (keys, right, clusters))
    return copy_scores(graded, correct, clusters_of(over), copied, seed)
