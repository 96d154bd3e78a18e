"""Tests of paired differences, families of them, and what a study could have found."""

from collections.abc import Sequence

POWER = 0.8
SIGNIFICANCE = 0.05


def mcnemar(only_one: int, only_other: int) -> float:
    """The p-value of the exact test (McNemar 1947): whether changes on one side alone are as many.

    Of pairs that are independent: one for each original. 1 where no pair differs.
    """
    from scipy.stats import binomtest

    return (
        float(binomtest(only_one, only_one + only_other).pvalue) if only_one + only_other else 1.0
    )


def holm(values: Sequence[float]) -> list[float]:
    """p-values adjusted so that no false finding among all is as rare as they say (Holm 1979)."""
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted, least = [0.0] * len(values), 0.0
    for place, index in enumerate(order):
        least = max(least, min(1.0, (len(values) - place) * values[index]))
        adjusted[index] = least
    return adjusted


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """p-values adjusted for the share of false findings (Benjamini and Hochberg 1995)."""
    from scipy.stats import false_discovery_control

    return [float(p) for p in false_discovery_control(values)] if values else []


def detectable(deviation: float | None) -> float | None:
    """The least true difference that is found with 80 % power, by a two-sided test of 5 %.

    deviation: the standard error of the difference, as the clusters at hand give it.
    """
    from scipy.special import ndtri

    if deviation is None:
        return None
    return float((ndtri(1 - SIGNIFICANCE / 2) + ndtri(POWER)) * deviation)
