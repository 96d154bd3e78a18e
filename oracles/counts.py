"""Outcomes counted original by original: the one table that all tallies are made of."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace

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


def collect(rows: Iterable[Counted], plan: Iterable[tuple[str, str]]) -> list[Originals]:
    """The table of each (transformation, place) of the plan, of those without variants too."""
    collection = Collection(plan)
    for row in rows:
        collection.add(row)
    return collection.tables()


class Collection:
    """Counts as they come, kept as numbers alone: a million of them are no burden."""

    def __init__(self, plan: Iterable[tuple[str, str]]) -> None:
        self._columns = {pair: (array("q"), array("q")) for pair in plan}
        self._projects: dict[str, int] = {}

    def add(self, row: Counted) -> None:
        """Count a row; its transformation and place are among the plan's."""
        keys, numbers = self._columns[row.transform, row.place]
        file, method = row.original
        keys.append(file * _METHODS + method)
        project = self._projects.setdefault(row.project, len(self._projects))
        unstable = -1 if row.unstable is None else int(row.unstable)
        result, cut = _CODES[row.result], row.truncated
        about = (row.statements, project, unstable, result, row.count, cut)
        numbers.extend((*about, *row.before, *row.after))

    def tables(self) -> list[Originals]:
        """What was counted, in the plan's order."""
        names = tuple(self._projects)
        return [
            _originals(*pair, _integers(keys), _integers(numbers), names)
            for pair, (keys, numbers) in self._columns.items()
        ]


_WIDTH = 12


def _integers(numbers: "array[int]") -> Integers:
    return np.frombuffer(numbers, dtype=np.int64) if numbers else np.zeros(0, np.int64)


def _originals(
    transform: str, place: str, given: Integers, numbers: Integers, names: tuple[str, ...]
) -> Originals:
    table = numbers.reshape(len(given), _WIDTH)
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
        names,
        results.reshape(size, len(RESULTS)).astype(np.int64),
        table[first, 2],
        np.stack(truncated, axis=1).astype(np.int64),
        np.stack(subtokens, axis=1).astype(np.int64),
    )


def _among(results: Integers, wanted: Iterable[str]) -> NDArray[np.bool_]:
    return np.isin(results, [_CODES[result] for result in wanted])
