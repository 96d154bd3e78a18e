"""Rates: shares of outcomes, each with its interval."""

from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from metamorph.oracles.bootstrap import (
    Estimate,
    Interval,
    Numbers,
    Resampling,
    alike,
    difference,
    ratio,
)


@dataclass(frozen=True, slots=True)
class Rate:
    """hits of so many; interval: its 95 % bounds, by the bootstrap over `clusters` clusters.

    No interval with fewer than two clusters.
    """

    hits: int
    of: int
    interval: Interval | None = None
    clusters: int = 0

    @property
    def value(self) -> float | None:
        """hits / of, None where there is nothing to share."""
        return self.hits / self.of if self.of else None


NO_RATE = Rate(0, 0)


def rate(resampling: Resampling, hits: Numbers, of: Numbers) -> Rate:
    """The share of all hits in all that are counted, both given row by row.

    Where the clusters are all alike, the exact binomial bounds over clusters stand in.
    """
    total, counted = int(np.sum(hits)), int(np.sum(of))
    found = resampling.estimate(ratio, hits, of)
    clusters = resampling.occupied(of)
    interval = found.interval
    if interval is None and counted:
        interval = alike(clusters, total / counted)
    return Rate(total, counted, interval, clusters)


def gap(
    resampling: Resampling, hits: Numbers, of: Numbers, other_hits: Numbers, other_of: Numbers
) -> Estimate:
    """The second rate less the first, on the same clusters.

    Where the clusters are all alike, the bounds leave room for as many that are not as may have
    been missed.
    """
    found = resampling.estimate(difference, hits, of, other_hits, other_of)
    room = alike(found.clusters, 0.0)
    if found.interval is not None or found.value is None or room is None:
        return found
    bounds = max(-1.0, found.value - room[1]), min(1.0, found.value + room[1])
    return replace(found, interval=bounds)


def apart(one: Rate, other: Rate, drawn: Interval | None) -> Interval | None:
    """The bounds of the second rate less the first, of different rows: those that were drawn.

    Where one side's clusters are all alike, draws do not vary it; then both sides' own bounds are
    put together (Newcombe 1998).
    """
    varied = all(rate.value not in (0.0, 1.0) for rate in (one, other))
    if (varied and drawn) or one.value is None or other.value is None:
        return drawn
    if one.interval is None or other.interval is None:
        return None
    less = other.value - one.value
    below = hypot(other.value - other.interval[0], one.interval[1] - one.value)
    above = hypot(other.interval[1] - other.value, one.value - one.interval[0])
    return less - below, less + above
