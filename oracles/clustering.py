"""What intervals are drawn over: original methods, or projects where there are many."""

from collections.abc import Sequence

import numpy as np

from metamorph.oracles.counts import Integers, Originals

MANY_PROJECTS = 10
"""From so many projects on, intervals are over projects; else over originals of these projects."""


def by_clusters(table: Originals) -> Integers:
    """The cluster of each original of a table."""
    projects = np.unique(table.projects)
    return table.keys if len(projects) < MANY_PROJECTS else table.projects


def clusters_of(projects: Sequence[str]) -> Integers:
    """The cluster of each of several originals, given by their projects."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(projects))}
    if len(numbers) < MANY_PROJECTS:
        return np.arange(len(projects))
    return np.array([numbers[name] for name in projects], dtype=np.int64)
