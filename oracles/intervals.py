"""Confidence intervals that know that one method gives many variants."""

from collections.abc import Mapping

import numpy as np

RESAMPLES = 1000
CONFIDENCE = 0.95


def change_interval(
    clusters: Mapping[tuple[int, int], int], seed: int = 0
) -> tuple[float, float] | None:
    """The 95 % interval of a change rate, by a bootstrap over original methods.

    clusters: (judged variants, changed variants) of an original -> how many originals have it.
    Originals are drawn with replacement, so that variants of one method are not taken for
    independent; originals of equal counts are drawn together, which is the same and cheap.
    Where all variants or none changed, resampling cannot vary: the exact binomial bound over
    originals stands in. None with fewer than two originals.
    """
    pairs = sorted(pair for pair in clusters if pair[0] > 0 and clusters[pair] > 0)
    counts = np.array([clusters[pair] for pair in pairs], dtype=np.int64)
    originals = int(counts.sum()) if pairs else 0
    if originals < 2:
        return None
    judged, changed = np.array(pairs, dtype=np.float64).T
    total, hits = float(judged @ counts), float(changed @ counts)
    if hits in (0.0, total):
        return _unanimous(originals, hits > 0)
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(originals, counts / originals, size=RESAMPLES)
    rates = (draws @ changed) / (draws @ judged)
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(rates, [tail, 100 - tail])
    return float(low), float(high)


def _unanimous(originals: int, changed: bool) -> tuple[float, float]:
    bound = 1 - ((1 - CONFIDENCE) / 2) ** (1 / originals)
    return (float(1 - bound), 1.0) if changed else (0.0, float(bound))
