"""A split as the study of duplication bias sees it: which test units are in which test set."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metamorph.duplicates.audits import Audit, audit
from metamorph.duplicates.clusters import Found
from metamorph.duplicates.collections import Unit
from metamorph.models.numerics import Longs
from metamorph.oracles.clustering import MANY_PROJECTS

Doubles = npt.NDArray[np.float64]

UNBIASED = "unbiased test"
CROSS_SET = "cross-set biased"
FULLY_BIASED = "fully biased"
FULLY_UNBIASED = "fully unbiased"
CONDITIONS = (UNBIASED, CROSS_SET, FULLY_BIASED)
"""The test sets of a model trained with duplicates; `fully unbiased` is the first for another."""

COUNTED, WEIGHTED = "one of each cluster", "weighted by 1/c"
"""Two ways not to count the copies within the test set more than once."""


@dataclass(frozen=True, slots=True)
class Split:
    """The units of a test set, each by its number.

    weights: for each test set what each unit counts in it, 0 where it is left out; weighted: the
    same by Equation 4, every copy counting 1/c; groups: units that belong together when
    intervals are drawn; over: what these are.
    """

    units: list[Unit]
    weights: dict[str, Doubles]
    weighted: dict[str, Doubles]
    groups: Longs
    over: str
    audit: Audit

    def judged(self) -> npt.NDArray[np.bool_]:
        """Which units are in any test set: those with tokens enough to tell duplicates."""
        return self.weights[FULLY_BIASED] > 0


def split_of(found: Found, units: Sequence[Unit], train: int) -> Split:
    """The test sets of the units behind the first `train`, which are the training set.

    Units too small to tell duplicates are in none of them.
    """
    tested = list(units[train:])
    count = len(tested)
    large, across, first = np.zeros(count), np.zeros(count), np.ones(count)
    copies, groups = np.ones(count), np.arange(count)
    large[found.large[found.large >= train] - train] = 1
    for cluster in found.clusters:
        members = np.array([n - train for n in cluster.members if n >= train], np.int64)
        if not len(members):
            continue
        across[members] = cluster.members[0] < train
        first[members[1:]] = 0
        copies[members] = len(members)
        groups[members] = members[0]
    alone = large * (1 - across)
    weights = {UNBIASED: alone * first, CROSS_SET: large * first, FULLY_BIASED: large}
    weighted = {UNBIASED: alone / copies, CROSS_SET: large / copies}
    over, groups = _groups(tested, groups)
    return Split(tested, weights, weighted, groups, over, audit(found, units, train))


def _groups(units: Sequence[Unit], clusters: Longs) -> tuple[str, Longs]:
    """Projects where there are many, else clusters of near-duplicates."""
    numbers: dict[str, int] = {}
    projects = [numbers.setdefault(unit.project, len(numbers)) for unit in units]
    if len(numbers) < MANY_PROJECTS:
        return "clusters of near-duplicates", clusters
    return "projects", np.array(projects, np.int64)
