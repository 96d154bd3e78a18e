"""The cluster bootstrap: estimates with intervals that know which outcomes belong together."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
CONFIDENCE = 0.95

BAGS = 4000
"""More clusters than these are put into so many bags at random, and the bags are drawn.

The variance of a sum over bags is that of the sum over clusters; so many bags tell it to about
one per cent, and the time no longer grows with the number of clusters.
"""

Interval = tuple[float, float]
Numbers = NDArray[np.float64] | NDArray[np.int64] | NDArray[np.int32] | NDArray[np.int8]
Statistic = Callable[..., NDArray[np.float64]]
"""From vectors of sums, one for each column, to a vector of values; NaN where undefined."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, None where undefined, and what the bootstrap tells of it.

    interval: its 95 % bounds, None where clusters are fewer than two or all alike; clusters: those
    with anything to count; deviation: the bootstrap's standard error.
    """

    value: float | None
    interval: Interval | None = None
    clusters: int = 0
    deviation: float | None = None


class Resampling:
    """Clusters drawn with replacement, the same draws for every estimate.

    clusters: the cluster of each row, any whole numbers. Seeded: the same rows and seed give the
    same bounds.
    """

    def __init__(self, clusters: NDArray[np.int64], seed: int = 0) -> None:
        names, self._cluster = np.unique(clusters, return_inverse=True)
        self._clusters = len(names)
        self._seed = seed
        self._bags = min(self._clusters, BAGS)
        bags = np.arange(self._clusters)
        if self._clusters > BAGS:
            bags = np.random.default_rng([seed, 1]).permutation(bags) % BAGS
        self._bag = bags[self._cluster]

    def within(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> "Resampling":
        """The same draws for some of the rows, those marked or those numbered."""
        part = copy(self)
        part._cluster, part._bag = self._cluster[rows], self._bag[rows]
        return part

    def estimate(self, statistic: Statistic, *columns: Numbers) -> Estimate:
        """The statistic of the columns' sums; a column has a number for each row."""
        sums = np.stack([self._summed(self._bag, self._bags, column) for column in columns])
        value = float(statistic(*sums.sum(axis=1, keepdims=True))[0]) if sums.size else np.nan
        clusters = self.occupied(*columns)
        if np.isnan(value) or clusters < 2:
            return Estimate(None if np.isnan(value) else value, None, clusters)
        filled, draws = sums.any(axis=0), _draws(self._bags, self._seed)
        if np.sum(filled) < self._bags / 2:
            sums, draws = sums[:, filled], draws[filled]
        drawn = statistic(*(sums @ draws))
        drawn = drawn[~np.isnan(drawn)]
        if not len(drawn) or np.ptp(drawn) < 1e-12:
            return Estimate(value, None, clusters)
        left_out = statistic(*(sums.sum(axis=1, keepdims=True) - sums))
        interval = _interval(value, drawn, left_out, clusters)
        return Estimate(value, interval, clusters, float(drawn.std(ddof=1)))

    def occupied(self, *columns: Numbers) -> int:
        """The clusters in which any of the columns is not 0."""
        there = np.zeros(self._clusters, dtype=bool)
        for column in columns:
            there[self._cluster[np.asarray(column) != 0]] = True
        return int(there.sum())

    @staticmethod
    def _summed(groups: NDArray[np.int64], size: int, column: Numbers) -> NDArray[np.float64]:
        return np.bincount(groups, column, size).astype(np.float64, copy=False)


@lru_cache(maxsize=2)
def _draws(size: int, seed: int) -> NDArray[np.float64]:
    """How often each of `size` bags is in each resample, a column a resample."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(size, np.full(size, 1 / size), RESAMPLES).T.astype(np.float64)


def _interval(
    value: float, drawn: NDArray[np.float64], left_out: NDArray[np.float64], clusters: int
) -> Interval:
    """The bias-corrected and accelerated interval (Efron 1987), widened for few clusters.

    The normal quantile gives way to that of Student's t times sqrt(n / (n - 1)), as Hesterberg
    (2015) does for percentile intervals, for resamples vary less than samples do.
    """
    from scipy.special import ndtr, ndtri, stdtrit

    reach = np.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, (1 + CONFIDENCE) / 2)
    below = float((drawn < value).mean() + (drawn <= value).mean()) / 2
    bias = ndtri(np.clip(below, 1 / len(drawn), 1 - 1 / len(drawn)))
    pull = _acceleration(left_out)
    tails = [bias + (bias + z) / max(1 - pull * (bias + z), 1e-9) for z in (-reach, reach)]
    low, high = np.quantile(drawn, ndtr(tails))
    return float(low), float(high)


def _acceleration(left_out: NDArray[np.float64]) -> float:
    """How skewed the statistic is, by leaving out one bag after the other."""
    left_out = left_out[~np.isnan(left_out)]
    away = left_out.mean() - left_out if len(left_out) else left_out
    spread = float((away**2).sum())
    return float((away**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0


def ratio(hits: NDArray[np.float64], of: NDArray[np.float64]) -> NDArray[np.float64]:
    """hits / of, NaN where there is nothing to share."""
    shares: NDArray[np.float64] = np.full(len(of), np.nan)
    return np.divide(hits, of, out=shares, where=of > 0)


def difference(
    hits: NDArray[np.float64],
    of: NDArray[np.float64],
    other_hits: NDArray[np.float64],
    other_of: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The second ratio less the first."""
    return ratio(other_hits, other_of) - ratio(hits, of)


def alike(clusters: int, share: float) -> Interval | None:
    """The exact binomial bounds over clusters, where all are alike and resampling cannot vary."""
    from scipy.special import betaincinv

    if clusters < 2:
        return None
    hits, tail = share * clusters, (1 - CONFIDENCE) / 2
    low = betaincinv(hits, clusters - hits + 1, tail) if hits > 0 else 0.0
    high = betaincinv(hits + 1, clusters - hits, 1 - tail) if hits < clusters else 1.0
    return float(low), float(high)
