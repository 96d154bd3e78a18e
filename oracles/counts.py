"""Outcomes counted original by original: the one table that all tallies are made of."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from metamorph.errors import UserError
from metamorph.oracles.outcomes import CATEGORIES, CHANGED, CHANGES, WITHOUT_GOLD
from metamorph.oracles.subtokens import NO_HITS, Hits

INCONCLUSIVE = "inconclusive"
NO_ANSWER = "no_answer"

RESULTS = (*CATEGORIES, *WITHOUT_GOLD, INCONCLUSIVE, NO_ANSWER)
"""All that can become of a variant that was put to the model."""

JUDGED = (*CATEGORIES, *WITHOUT_GOLD)

Integers = NDArray[np.int64]
Narrow = NDArray[np.int32]
"""Counts within one original: half the width, for there are millions of originals."""

_CODES = {result: code for code, result in enumerate(RESULTS)}
_METHODS = 1 << 24
"""More methods than a file can hold."""


def key_of(file: int, method: int) -> int:
    """One number for a method of a file; greater for later files."""
    return file * _METHODS + method


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
    statements: Narrow
    projects: Narrow
    project_names: tuple[str, ...]
    results: Narrow
    unstable: Narrow
    truncated: Narrow
    subtokens: Narrow

    def __len__(self) -> int:
        return len(self.keys)

    def part(self, rows: NDArray[np.bool_] | Integers) -> "Originals":
        """Some of the originals, those marked or those numbered."""
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
        return np.asarray(self.results[:, columns].sum(axis=1, dtype=np.int64))

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
    """Counts as they come, kept as numbers alone: 56 bytes each."""

    def __init__(self, plan: Iterable[tuple[str, str]]) -> None:
        self._columns = {pair: (array("q"), array("i")) for pair in plan}
        self._projects: dict[str, int] = {}

    def add(self, row: Counted) -> None:
        """Count a row; raises UserError unless its transformation and place are in the plan."""
        if (row.transform, row.place) not in self._columns:
            raise UserError(
                f"{row.transform} {row.place}: variants of it were judged, but the run's manifest "
                "plans none; repeat the run in another --out"
            )
        keys, numbers = self._columns[row.transform, row.place]
        file, method = row.original
        keys.append(key_of(file, method))
        project = self._projects.setdefault(row.project, len(self._projects))
        unstable = -1 if row.unstable is None else int(row.unstable)
        result, cut = _CODES[row.result], row.truncated
        about = (row.statements, project, unstable, result, row.count, cut)
        numbers.extend((*about, *row.before, *row.after))

    def tables(self) -> list[Originals]:
        """What was counted, in the plan's order; the collection is empty then."""
        names = tuple(self._projects)
        pairs = list(self._columns)
        return [_originals(*pair, *self._columns.pop(pair), names) for pair in pairs]


_WIDTH = 12


def _originals(
    transform: str, place: str, keys: "array[int]", numbers: "array[int]", names: tuple[str, ...]
) -> Originals:
    table = np.frombuffer(numbers, np.int32).reshape(len(keys), _WIDTH)
    given = np.frombuffer(keys, np.int64)
    own, first, row = np.unique(given, return_index=True, return_inverse=True)
    size, (result, count, cut) = len(own), table[:, 3:6].T
    results = np.zeros((size, len(RESULTS)), np.int32)
    np.add.at(results, (row, result), count)
    judged, changed = _among(result, JUDGED), _among(result, (*CHANGES, CHANGED))
    right = _among(result, CATEGORIES)
    return Originals(
        transform,
        place,
        own,
        table[first, 0],
        table[first, 1],
        names,
        results,
        table[first, 2],
        _summed(row, size, (count * cut * which for which in (judged, changed)), 2),
        _summed(row, size, (hits * count * right for hits in table[:, 6:].T), _WIDTH - 6),
    )


def _summed(row: Integers, size: int, columns: Iterable[Narrow], width: int) -> Narrow:
    """The columns' sums within each of `size` originals."""
    sums = np.zeros((size, width), np.int32)
    for number, column in enumerate(columns):
        sums[:, number] = np.bincount(row, column, size)
    return sums


def _among(results: Narrow, wanted: Iterable[str]) -> NDArray[np.bool_]:
    return np.isin(results, [_CODES[result] for result in wanted])
