"""Statistics: intervals that hold what they say, paired differences, families of tests."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import bootstrap

from metamorph.oracles.bootstrap import BAGS, Resampling, alike, difference, ratio
from metamorph.oracles.rates import gap, rate

Whole = NDArray[np.int64]


def study(rng: np.random.Generator, originals: int, mean: float) -> tuple[Whole, Whole]:
    """Variants of so many originals, and how many of each changed: one fragility a method."""
    sizes = 1 + rng.poisson(4, originals)
    return sizes, rng.binomial(sizes, rng.beta(1.2 * mean, 1.2 * (1 - mean), originals))


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The plain binomial interval, which takes all variants for independent."""
    z = 1.959964
    middle, reach = hits + z * z / 2, z * np.sqrt(hits * (of - hits) / of + z * z / 4)
    return float((middle - reach) / (of + z * z)), float((middle + reach) / (of + z * z))


@pytest.mark.parametrize(("originals", "mean"), [(200, 0.5), (60, 0.3)])
def test_intervals_hold_the_true_rate_as_often_as_they_say(originals: int, mean: float) -> None:
    rng = np.random.default_rng(11)
    held = naive = 0
    rounds = 1000
    for _ in range(rounds):
        sizes, changed = study(rng, originals, mean)
        found = rate(Resampling(np.arange(originals)), changed, sizes)
        low, high = found.interval or (1.0, 0.0)
        held += low <= mean <= high
        low, high = wilson(found.hits, found.of)
        naive += low <= mean <= high
    assert 0.93 <= held / rounds <= 0.97
    assert naive / rounds < 0.8


def test_intervals_over_few_projects_hold_too() -> None:
    """Ten projects of unequal size, each with a fragility of its own."""
    rng = np.random.default_rng(5)
    held = {"project": 0, "original": 0}
    rounds = 400
    for _ in range(rounds):
        project = np.repeat(np.arange(10), 10 + rng.multinomial(200, np.full(10, 0.1)))
        sizes = 1 + rng.poisson(2, 300)
        changed = rng.binomial(sizes, rng.beta(6, 6, 10)[project])
        for kind, clusters in (("project", project), ("original", np.arange(300))):
            low, high = rate(Resampling(clusters), changed, sizes).interval or (1.0, 0.0)
            held[kind] += low <= 0.5 <= high
    assert 0.93 <= held["project"] / rounds <= 0.98
    assert held["original"] / rounds < 0.8


def test_intervals_of_differences_hold_the_true_difference() -> None:
    """Both rates of a method move together: pairing makes the interval narrower."""
    rng = np.random.default_rng(7)
    held, narrower, rounds = 0, 0, 500
    for _ in range(rounds):
        fragility = rng.beta(0.6, 0.6, 120)
        sizes = 1 + rng.poisson(3, 120)
        one, other = rng.binomial(sizes, 0.8 * fragility), rng.binomial(sizes, fragility)
        draws = Resampling(np.arange(120))
        found = gap(draws, one, sizes, other, sizes)
        low, high = found.interval or (1.0, 0.0)
        held += low <= 0.1 <= high
        apart = sum(
            (np.ptp(rate(draws, hits, sizes).interval or (0, 0))) ** 2 for hits in (one, other)
        )
        narrower += (high - low) ** 2 < apart
    assert 0.93 <= held / rounds <= 0.975
    assert narrower > 0.99 * rounds


def test_an_interval_is_wider_when_one_method_gives_many_variants() -> None:
    ones = np.ones(1000, dtype=np.int64)
    changed = np.repeat([1, 0], 500)
    single = rate(Resampling(np.arange(1000)), changed, ones)
    clustered = rate(Resampling(np.arange(1000) // 10), changed, ones)
    assert single.interval and clustered.interval
    assert np.ptp(clustered.interval) > 2 * np.ptp(single.interval)
    assert (single.clusters, clustered.clusters) == (1000, 100)
    assert single.interval[0] < 0.5 < single.interval[1]


def test_an_interval_agrees_with_a_plain_bootstrap() -> None:
    rng = np.random.default_rng(3)
    sizes, changed = study(rng, 300, 0.5)
    drawn = rng.integers(0, 300, (4000, 300))
    rates = changed[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    found = rate(Resampling(np.arange(300)), changed, sizes).interval
    assert found is not None
    assert np.allclose(found, np.percentile(rates, [2.5, 97.5]), atol=0.012)


def test_an_interval_is_that_of_scipy_but_for_the_widening() -> None:
    sizes, changed = study(np.random.default_rng(8), 400, 0.2)
    found = rate(Resampling(np.arange(400)), changed, sizes).interval
    reference = bootstrap(
        (changed, sizes),
        lambda hits, of, axis: hits.sum(axis=axis) / of.sum(axis=axis),
        paired=True,
        method="BCa",
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert found == pytest.approx((reference.low, reference.high), abs=0.005)


def test_bags_of_clusters_tell_the_same_interval() -> None:
    rng = np.random.default_rng(4)
    sizes, changed = study(rng, 20 * BAGS, 0.3)
    found = Resampling(np.arange(20 * BAGS)).estimate(ratio, changed, sizes)
    share = changed.sum() / sizes.sum()
    deviation = np.sqrt(((changed - share * sizes) ** 2).sum()) / sizes.sum()
    assert (found.value, found.clusters) == (share, 20 * BAGS)
    assert found.deviation == pytest.approx(deviation, rel=0.07)
    assert found.interval == pytest.approx(
        (share - 1.96 * deviation, share + 1.96 * deviation), abs=0.25 * deviation
    )


def test_a_part_of_the_rows_has_its_own_clusters() -> None:
    sizes, changed = study(np.random.default_rng(2), 100, 0.4)
    here = np.arange(100) < 40
    draws = Resampling(np.arange(100))
    part = rate(draws.within(here), changed[here], sizes[here])
    alone = rate(Resampling(np.arange(40)), changed[here], sizes[here])
    assert (part.hits, part.of, part.clusters) == (alone.hits, alone.of, 40)
    assert part.interval == pytest.approx(alone.interval, abs=0.04)


def test_intervals_repeat_and_follow_their_seed() -> None:
    sizes, changed = study(np.random.default_rng(1), 50, 0.5)
    one, same, other = (Resampling(np.arange(50), seed) for seed in (1, 1, 2))
    assert rate(one, changed, sizes) == rate(same, changed, sizes)
    assert rate(one, changed, sizes) != rate(other, changed, sizes)


def test_no_interval_is_claimed_without_two_clusters() -> None:
    five, two = np.array([5]), np.array([2])
    assert rate(Resampling(np.arange(1)), two, five).interval is None
    assert rate(Resampling(np.zeros(0, np.int64)), five[:0], five[:0]).value is None
    silent = rate(Resampling(np.arange(3)), np.array([2, 0, 0]), np.array([5, 0, 0]))
    assert (silent.value, silent.interval, silent.clusters) == (0.4, None, 1)


def test_clusters_that_are_all_alike_leave_bounds_not_a_point() -> None:
    four, none = np.full(10, 4), np.zeros(10, np.int64)
    draws = Resampling(np.arange(10))
    assert rate(draws, none, four).interval == (0.0, pytest.approx(1 - 0.025**0.1))
    assert rate(draws, four, four).interval == (pytest.approx(0.025**0.1), 1.0)
    assert rate(draws, np.full(10, 2), four).interval == pytest.approx((0.187, 0.813), abs=1e-3)
    assert alike(1, 0.5) is None
    assert gap(draws, none, four, none, four).interval == pytest.approx((-0.308, 0.308), abs=1e-3)


def test_an_undefined_ratio_is_no_number() -> None:
    nothing, one = np.zeros(1), np.ones(1)
    assert np.isnan(ratio(nothing, nothing)) and np.isnan(difference(one, one, one, nothing))
    assert Resampling(np.arange(2)).estimate(ratio, np.zeros(2), np.zeros(2)).value is None
