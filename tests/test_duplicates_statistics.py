"""Duplication statistics: means and medians, shares of random splits, weights."""

import random
from itertools import accumulate, pairwise

import pytest

from metamorph.duplicates.choices import excluded, weights
from metamorph.duplicates.clusters import Found, find
from metamorph.duplicates.collections import Unit
from metamorph.duplicates.fingerprints import bags_of_lists
from metamorph.duplicates.statistics import Statistics, statistics
from metamorph.duplicates.thresholds import Thresholds


def of_sizes(sizes: list[int]) -> tuple[Found, Statistics]:
    """The statistics of a corpus with clusters of equal files of these sizes."""
    files = [[f"c{n}t{t}" for t in range(25)] for n, size in enumerate(sizes) for _ in range(size)]
    found = find(bags_of_lists(files), Thresholds())
    return found, statistics(found, len(files), 0)


@pytest.mark.parametrize(
    ("sizes", "mean", "median"),
    [([2, 4], 3, 3), ([2, 3, 6, 6], 4.25, 4.5), ([2, 3, 7], 4, 3), ([5], 5, 5)],
)
def test_average_and_median_of_cluster_sizes(sizes: list[int], mean: float, median: float) -> None:
    _, counted = of_sizes(sizes)
    assert (counted.cluster_mean, counted.cluster_median) == (mean, median)


def test_clones_per_duplicated_file_count_the_other_copies() -> None:
    _, counted = of_sizes([2, 4, 1, 1])
    assert counted.clones_mean == (1 + 1 + 3 + 3 + 3 + 3) / 6
    assert counted.clones_median == 3
    assert counted.factor == (1 + 3) / 8
    assert (counted.duplicated, counted.largest, counted.pairs) == (6, 4, 7)


def test_without_duplicates_nothing_is_divided_by_nought() -> None:
    _, counted = of_sizes([1, 1, 1])
    assert (counted.factor, counted.cluster_median, counted.cross_set) == (0, None, 0)
    _, nothing = of_sizes([])
    assert (nothing.factor, nothing.cross_set, nothing.cross_set_deduplicated) == (None, None, None)


def test_cross_set_shares_are_those_of_simulated_splits() -> None:
    sizes = [9, 5, 4, 3, 3, 2, 2, 2, 2, *[1] * 20]
    _, counted = of_sizes(sizes)
    rng = random.Random(0)
    across = tests = clusters_across = clusters_tested = 0
    for _ in range(4000):
        for size in sizes:
            tested = sum(rng.random() < 0.4 for _ in range(size))
            tests += tested
            across += tested if tested < size else 0
            clusters_tested += tested > 0
            clusters_across += 0 < tested < size
    assert counted.cross_set == pytest.approx(across / tests, abs=0.01)
    shown = clusters_across / clusters_tested
    assert counted.cross_set_deduplicated == pytest.approx(shown, abs=0.01)
    assert counted.cross_set is not None and counted.cross_set_deduplicated is not None
    assert counted.cross_set > counted.cross_set_deduplicated


def test_of_three_equal_files_two_are_excluded_and_the_weights_are_thirds() -> None:
    found, _ = of_sizes([3, 1])
    units = [Unit(f"f{n}", f"f{n}") for n in range(4)]
    clusters = [cluster.members for cluster in found.clusters]
    assert excluded(clusters, units) == [1, 2]
    assert weights(clusters, 4) == [1 / 3, 1 / 3, 1 / 3, 1]


def test_what_is_excluded_is_all_but_one_of_each_cluster_and_nothing_else() -> None:
    rng = random.Random(9)
    for _ in range(30):
        sizes = [rng.randint(1, 5) for _ in range(rng.randint(0, 8))]
        found, counted = of_sizes(sizes)
        units = [Unit(f"f{n}", f"f{n}") for n in range(sum(sizes))]
        gone = excluded([cluster.members for cluster in found.clusters], units)
        assert set(gone) <= set(range(len(units)))
        spans = pairwise(accumulate(sizes, initial=0))
        assert all(len(set(range(*span)) - set(gone)) == 1 for span in spans)
        assert len(gone) == (counted.factor or 0) * counted.units


def test_a_preferred_path_is_kept_before_what_comes_first() -> None:
    units = [Unit(path, path) for path in ("train/a", "trainer/a", "test.zip!/a", "test/a")]
    assert excluded([(0, 1, 2, 3)], units, ["test.zip"]) == [0, 1, 3]
    assert excluded([(0, 1, 2, 3)], units, ["none", "test/"]) == [0, 1, 2]
    assert excluded([(1, 3)], units, ["train"]) == [3]
