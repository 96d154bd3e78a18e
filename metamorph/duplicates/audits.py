"""The audit of a split: which duplicates lie within training, within the test set, across both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metamorph.duplicates.clusters import Cluster, Found
from metamorph.duplicates.collections import Unit


@dataclass(frozen=True, slots=True)
class Side:
    """A set of a split. Its units are alone, duplicated within only, or across (or both)."""

    name: str
    units: int
    within_only: int
    across: int
    alone: int
    skipped_small: int

    @property
    def share(self) -> float | None:
        """The share of units with a copy in the other set."""
        return self.across / self.units if self.units else None


@dataclass(frozen=True, slots=True)
class ProjectShare:
    """How many of a project's test units have a copy in training."""

    project: str
    units: int
    across: int


@dataclass(frozen=True, slots=True)
class Crossing:
    """A cluster with members in both sets, by their ids."""

    train: tuple[str, ...]
    test: tuple[str, ...]
    smallest: float
    chained: bool


@dataclass(frozen=True, slots=True)
class Audit:
    """The duplicates of a split.

    direct: test units that are themselves a near-duplicate of a unit in training; others are
    across only by a chain of such pairs. in_train, in_test: units that go when one of each
    cluster is kept within the set.
    """

    train: Side
    test: Side
    direct: int
    in_train: int
    in_test: int
    projects: list[ProjectShare]
    crossings: list[Crossing]


def audit(found: Found, units: Sequence[Unit], train: int) -> Audit:
    """The audit of units of which the first `train` are the training set."""
    large = found.large.tolist()
    crossing = [c for c in found.clusters if c.members[0] < train <= c.members[-1]]
    across = {number for cluster in crossing for number in cluster.members}
    inside = {n for c in found.clusters for n in _repeated(c, train)} - across
    trained = [number for number in large if number < train]
    tested = [number for number in large if number >= train]
    return Audit(
        train=_side("train", trained, inside, across, train),
        test=_side("test", tested, inside, across, len(units) - train),
        direct=int(copies_of(found, np.arange(len(units)) < train).sum()),
        in_train=sum(max(0, _in_train(c, train) - 1) for c in found.clusters),
        in_test=sum(max(0, len(c.members) - _in_train(c, train) - 1) for c in found.clusters),
        projects=_by_project(tested, across, units),
        crossings=[_crossing(cluster, units, train) for cluster in crossing],
    )


def _in_train(cluster: Cluster, train: int) -> int:
    return sum(number < train for number in cluster.members)


def _repeated(cluster: Cluster, train: int) -> list[int]:
    """The members that have another one in their own set."""
    parts = ([n for n in cluster.members if n < train], [n for n in cluster.members if n >= train])
    return [number for part in parts if len(part) > 1 for number in part]


def _side(name: str, numbers: Sequence[int], inside: set[int], across: set[int], read: int) -> Side:
    within, beyond = len(inside.intersection(numbers)), len(across.intersection(numbers))
    count = len(numbers)
    return Side(name, count, within, beyond, count - within - beyond, read - count)


def copies_of(found: Found, known: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which units that are not known are themselves near-duplicates of known ones, chains apart.

    known: whether each unit is.
    """
    copies = np.zeros(len(known), np.bool_)
    for units, _ in origins_of(found, known):
        copies[units] = True
    return copies


def origins_of(found: Found, known: npt.NDArray[np.bool_]) -> Iterator[tuple[list[int], list[int]]]:
    """Units that are not known, equal ones together, and the known ones that they are copies of."""
    origins = [[number for number in group if known[number]] for group in found.equal]
    linked = [[number] if some else [] for number, some in enumerate(origins)]
    for first, second in zip(found.pairs.first.tolist(), found.pairs.second.tolist(), strict=True):
        if origins[second]:
            linked[first].append(second)
        if origins[first]:
            linked[second].append(first)
    for group, others in zip(found.equal, linked, strict=True):
        units = [number for number in group if not known[number]]
        if units and others:
            yield units, sorted(number for other in others for number in origins[other])


def _by_project(
    tested: Sequence[int], across: set[int], units: Sequence[Unit]
) -> list[ProjectShare]:
    counts: dict[str, list[int]] = {}
    for number in tested:
        count = counts.setdefault(units[number].project, [0, 0])
        count[0] += 1
        count[1] += number in across
    return [ProjectShare(name, *count) for name, count in sorted(counts.items())]


def _crossing(cluster: Cluster, units: Sequence[Unit], train: int) -> Crossing:
    names = [(number < train, units[number].id) for number in cluster.members]
    return Crossing(
        tuple(sorted(name for trained, name in names if trained)),
        tuple(sorted(name for trained, name in names if not trained)),
        cluster.sets,
        cluster.chained,
    )
