"""What a run's store holds, as the values that oracles count."""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from metamorph.oracles.bootstrap import Estimate, Interval, Resampling, ratio
from metamorph.oracles.clustering import clusters_of
from metamorph.oracles.counts import Counted
from metamorph.oracles.ranks import Moves
from metamorph.oracles.rates import rate
from metamorph.oracles.subtokens import NO_HITS, f1, hits, scores
from metamorph.oracles.summaries import OriginalScores
from metamorph.tasks import NUMERIC, Task

METHOD_NAME = "method-name"
"""The task whose labels are subtokens joined by `|`."""

_VARIANTS = """
SELECT v.transform, v.place, v.file, v.method, m.statements, m.blocks,
       COALESCE(v.category, v.status), m.unstable,
       COALESCE(m.truncated, 0) OR COALESCE(v.truncated, 0),
       f.project, m.expected, m.label, v.label
FROM variants v JOIN methods m USING (file, method) JOIN files f USING (file)
WHERE v.status != 'broken'
"""


def counted(connection: sqlite3.Connection, task: Task, *, count_blocks: bool) -> Iterator[Counted]:
    """Every variant that was put to the model. count_blocks: blocks count as statements."""
    named = task.name == METHOD_NAME
    for row in connection.execute(_VARIANTS):
        transform, place, file, method, statements, blocks, result, varies, cut, project = row[:10]
        expected, before, after = row[10:]
        before_hits = after_hits = NO_HITS
        if named and expected is not None and before is not None and after is not None:
            before_hits, after_hits = hits(expected, before), hits(expected, after)
        yield Counted(
            transform,
            place,
            (file, method),
            statements + blocks * count_blocks,
            result,
            1,
            None if varies is None else bool(varies),
            bool(cut),
            project,
            before_hits,
            after_hits,
        )


_MOVES = """
SELECT v.transform, v.place, COUNT({after} - {before}), AVG({after} - {before}),
       COUNT(v.rank), COALESCE(SUM(v.rank = 1), 0), COALESCE(SUM(v.rank > 0), 0),
       AVG(CASE WHEN v.rank > 0 THEN 1.0 / v.rank WHEN v.rank = 0 THEN 0.0 END),
       AVG(CASE WHEN {after} IS NOT NULL THEN {before} END),
       AVG(v.untouched_before), AVG(v.untouched_after - v.untouched_before)
FROM variants v JOIN methods m USING (file, method)
WHERE v.status = 'answered' GROUP BY 1, 2
"""


_GAINS = """
SELECT f.project, SUM({after} - {before}), COUNT({after} - {before})
FROM variants v JOIN methods m USING (file, method) JOIN files f USING (file)
WHERE v.status = 'answered' AND v.transform = ? AND v.place = ?
GROUP BY v.file, v.method HAVING COUNT({after} - {before})
"""
_UNTOUCHED = {"before": "v.untouched_before", "after": "v.untouched_after"}
_SCORES = {"before": "m.score", "after": "v.score"}
_NUMBERS = {"before": "CAST(m.label AS REAL)", "after": "CAST(v.label AS REAL)"}


def moves(
    connection: sqlite3.Connection, plan: Sequence[tuple[str, str]], task: Task, seed: int
) -> list[Moves]:
    """Changes of score and rank, in the plan's order; those without an answer are left out."""
    values = _NUMBERS if task.name in NUMERIC else _SCORES
    found = {(row[0], row[1]): Moves(*row) for row in connection.execute(_MOVES.format(**values))}
    gains, untouched = _GAINS.format(**values), _GAINS.format(**_UNTOUCHED)
    return [
        replace(
            found[pair],
            score_interval=_gain(connection.execute(gains, pair), seed),
            untouched_interval=_gain(connection.execute(untouched, pair), seed),
        )
        for pair in plan
        if pair in found
    ]


def _gain(rows: Iterable[tuple[str, float, int]], seed: int) -> Interval | None:
    """The interval of the mean gain of all variants, given by originals."""
    numbers: dict[str, int] = {}
    projects, sums, counts = array("q"), array("d"), array("q")
    for project, gained, count in rows:
        projects.append(numbers.setdefault(project, len(numbers)))
        sums.append(gained)
        counts.append(count)
    draws = Resampling(clusters_of(np.array(projects, np.int64)), seed)
    return draws.estimate(ratio, np.array(sums), np.array(counts)).interval


_ORIGINALS = """
SELECT m.expected, m.label, f.project FROM methods m JOIN files f USING (file)
WHERE m.error IS NOT NULL
"""


def original_scores(connection: sqlite3.Connection, task: Task, seed: int) -> OriginalScores:
    """How the methods that were asked are answered as they stand."""
    rows = connection.execute(_ORIGINALS)
    graded = _graded(rows, task)
    counts = np.frombuffer(graded.hits, np.int32).reshape(-1, 3)
    right = np.frombuffer(graded.right, np.int8)
    draws = Resampling(clusters_of(np.frombuffer(graded.projects, np.int64)), seed)
    return OriginalScores(
        graded.asked,
        graded.answered,
        len(right),
        int(right.sum()),
        scores(counts) if len(counts) else None,
        rate(draws, right, np.ones_like(right)),
        draws.estimate(f1, *counts.T) if len(counts) else Estimate(None),
    )


@dataclass(slots=True)
class _Graded:
    """Answers beside the right ones, as numbers alone; hits: three for each."""

    asked: int = 0
    answered: int = 0
    right: "array[int]" = field(default_factory=lambda: array("b"))
    projects: "array[int]" = field(default_factory=lambda: array("q"))
    hits: "array[int]" = field(default_factory=lambda: array("i"))


def _graded(rows: Iterable[tuple[str | None, str | None, str]], task: Task) -> _Graded:
    """The rows counted: the right answer, the model's, and the project."""
    graded, projects = _Graded(), dict[str, int]()
    for gold, label, project in rows:
        graded.asked += 1
        graded.answered += label is not None
        if gold is None or label is None:
            continue
        graded.right.append(task.same(label, gold))
        graded.projects.append(projects.setdefault(project, len(projects)))
        if task.name == METHOD_NAME:
            graded.hits.extend(hits(gold, label))
    return graded
