"""Two models, or two transformations, on the same methods: paired differences and tests."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metamorph.oracles.bootstrap import Estimate, Resampling
from metamorph.oracles.clustering import by_clusters
from metamorph.oracles.controls import CONTROLS
from metamorph.oracles.counts import Integers, Originals
from metamorph.oracles.outcomes import CCP, CIP, WCP, WWDP, WWSP
from metamorph.oracles.rates import Rate, gap, rate
from metamorph.oracles.significance import benjamini_hochberg, detectable, holm, mcnemar

CHANGE, CIP_RATE, WCP_RATE = "change", "CIP", "WCP"
MEASURES = (CHANGE, CIP_RATE, WCP_RATE)
"""The rates that are compared: of the changed, and the two of table 8 of the paper."""


@dataclass(frozen=True, slots=True)
class Discordance:
    """McNemar's test on one variant of each original, drawn by the seed.

    originals: so many drawn; only_one, only_other: those that changed on one side alone; p: of
    the exact two-sided test; holm, benjamini_hochberg: adjusted for all tests of the comparison.
    """

    originals: int
    only_one: int
    only_other: int
    p: float
    holm: float
    benjamini_hochberg: float


@dataclass(frozen=True, slots=True)
class Difference:
    """A rate on one side and on the other, over originals judged on both.

    one_name, other_name: what is compared, such as `VN single`; difference: the other less the
    one, the same originals drawn for both; detectable: the least difference that a study of this
    size finds with a power of 80 %; test: of change rates alone, controls
    left out.
    """

    one_name: str
    other_name: str
    measure: str
    originals: int
    one: Rate
    other: Rate
    difference: Estimate
    detectable: float | None
    test: Discordance | None = None


@dataclass(frozen=True, slots=True)
class Matching:
    """What of two sides could be compared.

    matched: variants that both have; judged: those of them that both judged; only_one,
    only_other: those that one side alone has. Where transformations are compared, originals are
    matched, and these are counts of originals.
    """

    matched: int
    judged: int
    only_one: int
    only_other: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that was compared, and what could not be."""

    one: str
    other: str
    matching: Matching
    differences: list[Difference]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Sides:
    """The same originals twice, in the same order; both: variants that changed on both sides.

    both is None where the sides have other variants, of which none is the other's counterpart.
    """

    one: Originals
    other: Originals
    both: Integers | None = None


def differences(sides: Sequence[Sides], seed: int) -> list[Difference]:
    """Each measure of each pair; the tests are adjusted for one another."""
    every = (_difference(pair, measure, seed) for pair in sides for measure in MEASURES)
    found = [row for row in every if row.one.of or row.other.of]
    values = [row.test.p for row in found if row.test]
    adjusted = iter(zip(holm(values), benjamini_hochberg(values), strict=True))
    return [
        replace(row, test=_adjusted(row.test, *next(adjusted))) if row.test else row
        for row in found
    ]


def _adjusted(test: Discordance, holm: float, benjamini_hochberg: float) -> Discordance:
    return replace(test, holm=holm, benjamini_hochberg=benjamini_hochberg)


def common(one: Originals, other: Originals) -> Sides:
    """The originals that are judged on both sides, whatever their variants."""
    one, other = one.part(one.judged > 0), other.part(other.judged > 0)
    return Sides(one.part(np.isin(one.keys, other.keys)), other.part(np.isin(other.keys, one.keys)))


def _difference(sides: Sides, measure: str, seed: int) -> Difference:
    draws = Resampling(by_clusters(sides.one), seed)
    hits, of = _counts(sides.one, measure)
    other_hits, other_of = _counts(sides.other, measure)
    estimate = gap(draws, hits, of, other_hits, other_of)
    return Difference(
        f"{sides.one.transform} {sides.one.place}",
        f"{sides.other.transform} {sides.other.place}",
        measure,
        len(sides.one),
        rate(draws, hits, of),
        rate(draws, other_hits, other_of),
        estimate,
        detectable(estimate.deviation),
        _test(sides, seed) if measure == CHANGE and _is_tested(sides) else None,
    )


def _is_tested(sides: Sides) -> bool:
    """Controls are no part of what is found: they would make each finding dearer."""
    return len(sides.one) > 0 and sides.one.transform not in CONTROLS


def _counts(side: Originals, measure: str) -> tuple[Integers, Integers]:
    if measure == CIP_RATE:
        return side.count(CIP), side.count(CCP, CIP)
    if measure == WCP_RATE:
        return side.count(WCP), side.count(WWSP, WCP, WWDP)
    return side.changed, side.judged


def _test(sides: Sides, seed: int) -> Discordance:
    """Draw a variant of each original; with `both` the same one on both sides."""
    rng = np.random.default_rng([seed, 2])
    at = rng.random(len(sides.one)) * sides.one.judged
    if sides.both is None:
        other_at = rng.random(len(sides.other)) * sides.other.judged
        one, other = at < sides.one.changed, other_at < sides.other.changed
    else:
        one = at < sides.one.changed
        reach = sides.one.changed + sides.other.changed - sides.both
        other = (at < sides.both) | ((at >= sides.one.changed) & (at < reach))
    only_one, only_other = int((one & ~other).sum()), int((other & ~one).sum())
    p = mcnemar(only_one, only_other)
    return Discordance(len(at), only_one, only_other, p, p, p)
