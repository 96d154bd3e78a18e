"""Deduplication: which unit of each cluster is kept, or how much each one weighs."""

from collections.abc import Sequence

from metamorph.duplicates.collections import Unit


def kept(
    clusters: Sequence[Sequence[int]], units: Sequence[Unit], preferred: Sequence[str] = ()
) -> set[int]:
    """One unit of each cluster: of the first preferred path that has one, and of these the first.

    preferred: paths of files, folders or archives, the most wanted first.
    """
    return {min(cluster, key=lambda n: (_rank(units[n], preferred), n)) for cluster in clusters}


def excluded(
    clusters: Sequence[Sequence[int]], units: Sequence[Unit], preferred: Sequence[str] = ()
) -> list[int]:
    """All units of clusters but the kept ones, in order."""
    left = kept(clusters, units, preferred)
    return sorted(number for cluster in clusters for number in cluster if number not in left)


def weights(clusters: Sequence[Sequence[int]], count: int) -> list[float]:
    """1/c of Equation 4 for each of so many units: c units of a cluster together weigh 1."""
    found = [1.0] * count
    for cluster in clusters:
        for number in cluster:
            found[number] = 1 / len(cluster)
    return found


def _rank(unit: Unit, preferred: Sequence[str]) -> int:
    for rank, path in enumerate(preferred):
        stem = path.rstrip("/")
        if unit.path == path or unit.path.startswith((f"{stem}/", f"{stem}!/", f"{stem}:")):
            return rank
    return len(preferred)
