"""Precision, recall, F1 and accuracy on each test set, and how far they fall without copies."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metamorph.evaluation.answers import Answers
from metamorph.evaluation.splits import COUNTED, CROSS_SET, UNBIASED, WEIGHTED, Split
from metamorph.oracles.bootstrap import Estimate, Resampling, Statistic, ratio
from metamorph.oracles.subtokens import f1

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Metric:
    """A statistic, and the columns of answers that it is of.

    unit: what it is shown as a multiple of, a hundredth for per cent; digits: behind the point.
    """

    statistic: Statistic
    columns: tuple[str, ...]
    unit: float = 0.01
    digits: int = 2


METRICS = {
    "F1": Metric(f1, ("right", "wrong", "missed")),
    "precision": Metric(lambda right, wrong: ratio(right, right + wrong), ("right", "wrong")),
    "recall": Metric(lambda right, missed: ratio(right, right + missed), ("right", "missed")),
    "accuracy": Metric(ratio, ("exact", "answered")),
}


def _perplexity(bits: Doubles, tokens: Doubles) -> Doubles:
    return np.exp2(ratio(bits, tokens))


OF_TOKENS = {
    f"{name}{suffix}": replace(metric, columns=tuple(f"{prefix}{c}" for c in metric.columns))
    for name, metric in {
        "Acc": Metric(ratio, ("right", "tokens")),
        "MRR": Metric(ratio, ("reciprocal", "tokens"), 1, 3),
        "PPL": Metric(_perplexity, ("bits", "tokens"), 1),
    }.items()
    for prefix, suffix in (("", ""), ("id ", "-ID"))
}
"""Those of a language model, of all tokens and of identifiers, as the paper's Table 3 has them."""

ALL = {**METRICS, **OF_TOKENS}


@dataclass(frozen=True, slots=True)
class Figure:
    """A metric on a test set, or (test set None) its relative difference.

    That is (unbiased - cross-set biased) / cross-set biased. counting: how copies within the test
    set are kept from counting twice.
    """

    metric: str
    condition: str | None
    counting: str
    estimate: Estimate


def figures(answers: Answers, split: Split) -> list[Figure]:
    """All metrics on all test sets, and the relative differences."""
    resampling = Resampling(split.groups[answers.units])
    found = _figures(answers, split.weights, COUNTED, resampling)
    return found + _figures(answers, split.weighted, WEIGHTED, resampling)


def on_one(answers: Answers, split: Split, condition: str, name: str) -> list[Figure]:
    """All metrics on one test set, under another name."""
    resampling = Resampling(split.groups[answers.units])
    found = []
    for counting, weights in ((COUNTED, split.weights), (WEIGHTED, split.weighted)):
        found += _figures(answers, {name: weights[condition]}, counting, resampling)
    return found


def metrics(answers: Answers) -> list[str]:
    """Those that the answers allow: only names have subtokens."""
    if answers.what == "tokens":
        return list(OF_TOKENS)
    counted = ("right", "wrong", "missed")
    if any(answers.counts[name].any() for name in counted):
        return list(METRICS)
    return ["accuracy"]


def _figures(
    answers: Answers, weights: Mapping[str, Doubles], counting: str, resampling: Resampling
) -> list[Figure]:
    found = []
    for name in metrics(answers):
        metric = ALL[name]
        columns = {
            condition: [each[answers.units] * answers.counts[column] for column in metric.columns]
            for condition, each in weights.items()
        }
        for condition, sums in columns.items():
            estimate = resampling.estimate(metric.statistic, *sums)
            found.append(Figure(name, condition, counting, estimate))
        if UNBIASED in columns and CROSS_SET in columns:
            both = (*columns[UNBIASED], *columns[CROSS_SET])
            estimate = resampling.estimate(relative(metric), *both)
            found.append(Figure(name, None, counting, estimate))
    return found


def relative(metric: Metric) -> Statistic:
    """From the columns of two test sets: how much less or more it is on the first."""

    def statistic(*columns: Doubles) -> Doubles:
        size = len(metric.columns)
        first, second = metric.statistic(*columns[:size]), metric.statistic(*columns[size:])
        return ratio(first - second, second)

    return statistic
