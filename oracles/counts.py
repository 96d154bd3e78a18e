"""Outcomes counted original by original: the one table that all tallies are made of."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from metamorph.oracles.outcomes import CATEGORIES, CHANGED, CHANGES, WITHOUT_GOLD
from metamorph.oracles.subtokens import NO_HITS, Hits

INCONCLUSIVE = "inconclusive"
NO_ANSWER = "no_answer"

RESULTS = (*CATEGORIES, *WITHOUT_GOLD, INCONCLUSIVE, NO_ANSWER)
"""All that can become of a variant that was put to the model."""

JUDGED = (*CATEGORIES, *WITHOUT_GOLD)

Integers = NDArray[np.int64]

_CODES = {result: code for code, result in enumerate(RESULTS)}
_METHODS = 1 << 24
"""More methods than a file can hold."""


@dataclass(frozen=True, slots=True)
class Counted:
    """How many variants of one original method came out alike.

    result: a category, `same` or `changed` where no answer is known to be right, `inconclusive`
    (the model answers the original now so, now so) or `no_answer`; original: numbers of its file
    and of the method in it; unstable: whether its answers varied, None where that was not
    measured; truncated: whether the model did not see the whole of the method or the variant;
    project: where it comes from; before, after: subtokens of one answer, right, wrong and missed.
    """

    transform: str
    place: str
    original: tuple[int, int]
    statements: int
    result: str
    count: int
    unstable: bool | None = None
    truncated: bool = False
    project: str = ""
    before: Hits = NO_HITS
    after: Hits = NO_HITS


@dataclass(frozen=True, slots=True)
class Originals:
    """The outcomes of one transformation in one place, a row for each original method.

    keys: a number for each method, ascending; projects: indices of `project_names`; results: a
    column for each of `RESULTS`; unstable: 1, 0, or -1 where not measured; truncated: those of
    the judged, and of the changed, of which the model did not see the whole; subtokens: right,
    wrong and missed before, then after, over all variants judged by a right answer.
    """

    transform: str
    place: str
    keys: Integers
    statements: Integers
    projects: Integers
    project_names: tuple[str, ...]
    results: Integers
    unstable: Integers
    truncated: Integers
    subtokens: Integers

    def __len__(self) -> int:
        return len(self.keys)

    def part(self, rows: NDArray[np.bool_]) -> "Originals":
        """Some of the originals."""
        return replace(
            self,
            keys=self.keys[rows],
            statements=self.statements[rows],
            projects=self.projects[rows],
            results=self.results[rows],
            unstable=self.unstable[rows],
            truncated=self.truncated[rows],
            subtokens=self.subtokens[rows],
        )

    def count(self, *results: str) -> Integers:
        """How many variants of each original came out as one of these."""
        columns = [_CODES[result] for result in results]
        return np.asarray(self.results[:, columns].sum(axis=1), dtype=np.int64)

    @property
    def judged(self) -> Integers:
        """Variants of each original of which it is known whether the prediction changed."""
        return self.count(*JUDGED)

    @property
    def changed(self) -> Integers:
        """Variants of each original whose prediction differs from the original's."""
        return self.count(*CHANGES, CHANGED)


@dataclass(slots=True)
class _Columns:
    """What is known of one transformation in one place, a number an item and column."""

    keys: "array[int]" = field(default_factory=lambda: array("q"))
    numbers: "array[int]" = field(default_factory=lambda: array("q"))


_WIDTH = 12


def collect(rows: Iterable[Counted], plan: Iterable[tuple[str, str]]) -> list[Originals]:
    """The table of each (transformation, place) of the plan, of those without variants too."""
    columns = {pair: _Columns() for pair in plan}
    projects: dict[str, int] = {}
    for row in rows:
        project = projects.setdefault(row.project, len(projects))
        file, method = row.original
        into = columns[row.transform, row.place]
        into.keys.append(file * _METHODS + method)
        unstable = -1 if row.unstable is None else int(row.unstable)
        into.numbers.extend((row.statements, project, unstable, _CODES[row.result], row.count))
        into.numbers.append(row.truncated)
        into.numbers.extend(row.before)
        into.numbers.extend(row.after)
    names = tuple(projects)
    return [_originals(*pair, of, names) for pair, of in columns.items()]


def _originals(transform: str, place: str, of: _Columns, names: Sequence[str]) -> Originals:
    given = np.frombuffer(of.keys, dtype=np.int64) if of.keys else np.zeros(0, np.int64)
    table = np.frombuffer(of.numbers, dtype=np.int64) if of.numbers else np.zeros(0, np.int64)
    table = table.reshape(len(given), _WIDTH)
    keys, first, row = np.unique(given, return_index=True, return_inverse=True)
    size, (result, count, cut) = len(keys), table[:, 3:6].T
    results = np.bincount(row * len(RESULTS) + result, count, size * len(RESULTS))
    judged, changed = _among(result, JUDGED), _among(result, (*CHANGES, CHANGED))
    right = _among(result, CATEGORIES)
    truncated = [np.bincount(row, count * cut * which, size) for which in (judged, changed)]
    subtokens = [np.bincount(row, hits * count * right, size) for hits in table[:, 6:].T]
    return Originals(
        transform,
        place,
        keys,
        table[first, 0],
        table[first, 1],
        tuple(names),
        results.reshape(size, len(RESULTS)).astype(np.int64),
        table[first, 2],
        np.stack(truncated, axis=1).astype(np.int64),
        np.stack(subtokens, axis=1).astype(np.int64),
    )


def _among(results: Integers, wanted: Iterable[str]) -> NDArray[np.bool_]:
    return np.isin(results, [_CODES[result] for result in wanted])
