"""The duplication statistics of a corpus: the columns of Table 1 of Allamanis (2019)."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from metamorph.duplicates.clusters import Found


@dataclass(frozen=True, slots=True)
class Statistics:
    """Shares are from 0 to 1; None where there is nothing to take a share of.

    units: those with tokens enough; duplicated: those in a cluster; factor: d, the share that
    goes when one of each cluster is kept. cluster_*: the sizes of clusters; clones_*: the other
    copies that a duplicated unit has. cross_set: the share of the test set that has a copy in
    training, expected under a random split; cross_set_deduplicated: the same once the test set
    holds one of each cluster.
    """

    read: int
    skipped: int
    skipped_small: int
    units: int
    pairs: int
    clusters: int
    duplicated: int
    factor: float | None
    largest: int
    chained: int
    cluster_mean: float | None
    cluster_median: float | None
    clones_mean: float | None
    clones_median: float | None
    train_share: float
    cross_set: float | None
    cross_set_deduplicated: float | None


def statistics(found: Found, read: int, skipped: int, train_share: float = 0.6) -> Statistics:
    """What was found among `read` units, `skipped` more of which could not be read."""
    sizes = sorted(len(cluster.members) for cluster in found.clusters)
    units, duplicated = len(found.large), sum(sizes)
    clones = [size - 1 for size in sizes for _ in range(size)]
    single = units - duplicated
    return Statistics(
        read=read,
        skipped=skipped,
        skipped_small=read - units,
        units=units,
        pairs=found.count_pairs(),
        clusters=len(sizes),
        duplicated=duplicated,
        factor=duplication_factor(sizes, units),
        largest=max(sizes, default=0),
        chained=sum(cluster.chained for cluster in found.clusters),
        cluster_mean=fmean(sizes) if sizes else None,
        cluster_median=float(median(sizes)) if sizes else None,
        clones_mean=fmean(clones) if clones else None,
        clones_median=float(median(clones)) if clones else None,
        train_share=train_share,
        cross_set=_cross_set(sizes, units, 1 - train_share),
        cross_set_deduplicated=_deduplicated(sizes, single, 1 - train_share),
    )


def duplication_factor(sizes: Sequence[int], units: int) -> float | None:
    """d of Equation 2: the share of units that are copies of another; sizes of clusters."""
    return (sum(sizes) - len(sizes)) / units if units else None


def _cross_set(sizes: Sequence[int], units: int, test: float) -> float | None:
    """A unit of the test set has a copy in training unless all the others are tests too."""
    return sum(size * (1 - test ** (size - 1)) for size in sizes) / units if units else None


def _deduplicated(sizes: Sequence[int], single: int, test: float) -> float | None:
    """Of the clusters of which a part is in the test set, those with a part in training."""
    both = sum(1 - test**size - (1 - test) ** size for size in sizes)
    tested = sum(1 - (1 - test) ** size for size in sizes) + single * test
    return both / tested if tested else None
