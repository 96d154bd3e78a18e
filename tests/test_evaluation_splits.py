"""Which files are in which test set, and how much each counts, on splits made by chance."""

import random

import numpy as np
import pytest

from metamorph.duplicates.clusters import find
from metamorph.duplicates.collections import Unit
from metamorph.duplicates.fingerprints import bags_of_lists
from metamorph.duplicates.thresholds import Thresholds
from metamorph.evaluation.figures import METRICS, relative
from metamorph.evaluation.splits import CROSS_SET, FULLY_BIASED, UNBIASED, split_of


def tokens(kind: int) -> list[str]:
    """The tokens of a file; those of kind 0 are too few to tell."""
    return [f"k{kind}t{n}" for n in range(25 if kind else 5)]


@pytest.mark.parametrize("seed", range(20))
def test_each_test_set_has_the_files_that_its_definition_says(seed: int) -> None:
    rng = random.Random(seed)
    train = [rng.randrange(9) for _ in range(rng.randrange(1, 12))]
    test = [rng.randrange(9) for _ in range(rng.randrange(12))]
    kinds = train + test
    found = find(bags_of_lists([tokens(kind) for kind in kinds]), Thresholds())
    units = [Unit(f"f{n}", f"f{n}") for n in range(len(kinds))]
    split = split_of(found, units, len(train))
    assert split.judged().tolist() == [bool(kind) for kind in test]
    first = [bool(kind) and kind not in test[:n] for n, kind in enumerate(test)]
    assert split.weights[CROSS_SET].astype(bool).tolist() == first
    alone = [only and kind not in train for only, kind in zip(first, test, strict=True)]
    assert split.weights[UNBIASED].astype(bool).tolist() == alone
    assert split.weights[FULLY_BIASED].sum() == sum(map(bool, test))
    for condition in (UNBIASED, CROSS_SET):
        assert split.weighted[condition].sum() == pytest.approx(split.weights[condition].sum())


def test_copies_stay_together_when_intervals_are_drawn() -> None:
    kinds = [1, 1, 2, 1, 3]
    found = find(bags_of_lists([tokens(kind) for kind in kinds]), Thresholds())
    units = [Unit(f"f{n}", f"f{n}") for n in range(5)]
    groups = split_of(found, units, 1).groups.tolist()
    assert groups[0] == groups[2]
    assert len(set(groups)) == 3


def test_the_relative_difference_is_that_of_the_papers_tables() -> None:
    """Table 4: code2vec's precision of 53.00 and 58.92 differ by -10.05 %."""
    columns = [np.array([n]) for n in (53.00, 47.00, 58.92, 41.08)]
    difference = relative(METRICS["precision"])(*columns)
    assert difference[0] == pytest.approx(-0.1005, abs=5e-5)
