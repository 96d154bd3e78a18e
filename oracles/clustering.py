"""What intervals are drawn over: original methods, or projects where there are many."""

import numpy as np

from metamorph.oracles.counts import Integers, Originals

MANY_PROJECTS = 10
"""From so many projects on, intervals are over projects; else over originals of these projects."""


def by_clusters(table: Originals) -> Integers:
    """The cluster of each original of a table."""
    projects = np.unique(table.projects)
    if len(projects) < MANY_PROJECTS:
        return table.keys
    return np.asarray(table.projects, dtype=np.int64)


def clusters_of(projects: Integers) -> Integers:
    """The cluster of each of several originals, given by the numbers of their projects."""
    return np.arange(len(projects)) if len(np.unique(projects)) < MANY_PROJECTS else projects
