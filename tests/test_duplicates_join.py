"""The join finds what comparing all pairs finds, by every engine, and clusters it as told."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metamorph.duplicates.clusters import Found, find
from metamorph.duplicates.fingerprints import bags_of_lists
from metamorph.duplicates.join import distinct, near_pairs
from metamorph.duplicates.statistics import statistics
from metamorph.duplicates.thresholds import Thresholds

Files = Sequence[Sequence[str]]


def brute_force(files: Files, limits: Thresholds) -> dict[tuple[int, int], tuple[float, float]]:
    """All pairs of near-duplicates by the definitions; two empty files are equal."""
    counts = [Counter(file) for file in files]
    found = {}
    for one, other in combinations(range(len(files)), 2):
        a, b = counts[one], counts[other]
        if min(a.total(), b.total()) < limits.least_tokens:
            continue
        sets = len(a.keys() & b.keys()) / len(a.keys() | b.keys()) if a or b else 1.0
        bags = (a & b).total() / (a | b).total() if a or b else 1.0
        if limits.strict:
            near = sets > limits.keys and bags > limits.bags
        else:
            near = sets >= limits.keys and bags >= limits.bags
        if near:
            found[one, other] = (sets, bags)
    return found


def pairs_of(found: Found) -> dict[tuple[int, int], tuple[float, float]]:
    listed = [((one, other), (sets, bags)) for one, other, sets, bags in found.each_pair()]
    assert len(listed) == len(dict(listed)) == found.count_pairs(), "no pair is told twice"
    return dict(listed)


def mutated(rng: random.Random, count: int) -> list[list[str]]:
    """Files that are copies of a few, some tokens replaced, added or dropped."""
    words = [f"w{n}" for n in range(90)]
    seeds = [rng.choices(words, k=rng.randint(1, 60)) for _ in range(9)]
    files = []
    for _ in range(count):
        tokens = list(rng.choice(seeds))
        for _ in range(rng.randint(0, 9)):
            match rng.randrange(3):
                case 0:
                    tokens[rng.randrange(len(tokens))] = rng.choice(words)
                case 1:
                    tokens.append(rng.choice(words))
                case _ if len(tokens) > 1:
                    tokens.pop(rng.randrange(len(tokens)))
        files.append(tokens)
    return files


LIMITS = (
    Thresholds(),
    Thresholds(strict=True),
    Thresholds(least_tokens=0),
    Thresholds(0.5, 0.5, 1),
    Thresholds(0.3, 0.9, 5),
    Thresholds(1.0, 1.0, 1),
    Thresholds(0.9, 0.05, 1, strict=True),
)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_mutated_files_give_the_pairs_of_brute_force(limits: Thresholds) -> None:
    files = mutated(random.Random(3), 150)
    expected = brute_force(files, limits)
    assert len(expected) > 10
    assert pairs_of(find(bags_of_lists(files), limits)) == expected


TOKENS = st.lists(st.sampled_from("abcdefghijkl"), max_size=14)


@settings(max_examples=150)
@given(
    st.lists(TOKENS, max_size=14),
    st.sampled_from((0.05, 0.1, 0.25, 1 / 3, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0)),
    st.sampled_from((0.05, 0.3, 0.5, 0.7, 1.0)),
    st.integers(0, 4),
    st.booleans(),
)
def test_generated_files_give_the_pairs_of_brute_force(
    files: list[list[str]], keys: float, bags: float, least: int, strict: bool
) -> None:
    limits = Thresholds(keys, bags, least, strict)
    assert pairs_of(find(bags_of_lists(files), limits)) == brute_force(files, limits)


@settings(max_examples=100)
@given(st.lists(TOKENS, max_size=12), st.sampled_from((0.4, 0.6, 0.8)))
def test_closure_is_the_connected_parts_of_the_pairs(files: list[list[str]], keys: float) -> None:
    limits = Thresholds(keys, 0.4, 1)
    parts = [{number} for number in range(len(files))]
    for one, other in brute_force(files, limits):
        joint = next(part for part in parts if one in part)
        second = next(part for part in parts if other in part)
        if joint is not second:
            parts.remove(second)
            joint |= second
    expected = sorted(tuple(sorted(part)) for part in parts if len(part) > 1)
    assert [c.members for c in find(bags_of_lists(files), limits).clusters] == expected


@settings(max_examples=100)
@given(st.lists(TOKENS, max_size=12), st.sampled_from((0.4, 0.6, 0.8)))
def test_leaders_take_what_no_earlier_leader_took(files: list[list[str]], keys: float) -> None:
    limits = Thresholds(keys, 0.4, 1)
    near = brute_force(files, limits)
    led: set[int] = set()
    expected = []
    for leader in range(len(files)):
        if leader in led:
            continue
        group = [leader]
        group += [n for n in range(leader + 1, len(files)) if n not in led and (leader, n) in near]
        led.update(group)
        if len(group) > 1:
            expected.append(tuple(group))
    assert [c.members for c in find(bags_of_lists(files), limits, "leader").clusters] == expected


@settings(max_examples=60)
@given(st.lists(TOKENS, min_size=2, max_size=12))
def test_a_cluster_tells_the_least_similarity_of_any_two_members(files: list[list[str]]) -> None:
    limits = Thresholds(0.5, 0.4, 1)
    every = brute_force(files, Thresholds(-1.0, -1.0, 0))
    for cluster in find(bags_of_lists(files), limits).clusters:
        alike = [every[pair] for pair in combinations(cluster.members, 2)]
        assert cluster.sets == min(sets for sets, _ in alike)
        assert cluster.bags == min(bags for _, bags in alike)
        assert cluster.chained == any(sets < 0.5 or bags < 0.4 for sets, bags in alike)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
def test_duckdb_finds_the_same_pairs_and_clusters(limits: Thresholds) -> None:
    pytest.importorskip("duckdb")
    from metamorph.duplicates.duckdb_join import Engine

    bags = bags_of_lists(mutated(random.Random(4), 150))
    here, there = find(bags, limits), find(bags, limits, join=Engine("100MB"))
    assert pairs_of(here) == pairs_of(there)
    assert here.clusters == there.clusters


def test_files_are_compared_in_chunks_with_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = mutated(random.Random(5), 150)
    expected = brute_force(files, Thresholds())
    whole = find(bags_of_lists(files), Thresholds())
    monkeypatch.setattr("metamorph.duplicates.join._CHUNK", 50)
    monkeypatch.setattr("metamorph.duplicates.clusters._PAIRS", 20)
    parted = find(bags_of_lists(files), Thresholds())
    assert pairs_of(parted) == expected
    assert parted.clusters == whole.clusters


def test_no_file_and_one_file_have_no_duplicates() -> None:
    for files in ([], [["a"] * 30], [[]]):
        found = find(bags_of_lists(files), Thresholds(least_tokens=0))
        assert found.clusters == []
        counted = statistics(found, len(files), 0)
        assert (counted.pairs, counted.factor) == (0, 0.0 if files else None)
    assert len(near_pairs_of_nothing()) == 0


def near_pairs_of_nothing() -> object:
    from metamorph.duplicates.join import numbered

    return near_pairs(numbered(bags_of_lists([])), Thresholds())


def test_ten_thousand_equal_files_are_one_cluster() -> None:
    found = find(bags_of_lists([[f"t{n}" for n in range(25)]] * 10_000), Thresholds())
    assert [len(cluster.members) for cluster in found.clusters] == [10_000]
    assert found.count_pairs() == 10_000 * 9_999 // 2


# A is like B and B is like C, but A is not like C.
A = [f"t{n}" for n in range(40)]
B = [*A[:36], "x1", "x2", "x3", "x4"]
C = [*A[4:36], "x1", "x2", "x3", "x4", "y1", "y2", "y3", "y4"]


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_a_chain_is_one_cluster_in_every_order_and_says_so(order: tuple[int, ...]) -> None:
    chain = (A, B, C)
    found = find(bags_of_lists([chain[n] for n in order]), Thresholds())
    (cluster,) = found.clusters
    assert cluster.members == (0, 1, 2)
    assert cluster.sets == pytest.approx(32 / 48)
    assert cluster.chained


def test_a_cluster_of_many_boilerplate_files_is_flagged_as_chained() -> None:
    mains = [[f"t{n}" for n in range(2 * m, 2 * m + 40)] for m in range(430)]
    (cluster,) = find(bags_of_lists(mains), Thresholds()).clusters
    assert len(cluster.members) == 430
    assert (cluster.sets, cluster.chained) == (0.0, True)
    led = find(bags_of_lists(mains), Thresholds(), "leader").clusters
    assert all(len(each.members) <= 5 for each in led)


@pytest.mark.parametrize(
    ("order", "expected"),
    [("ABC", {"AB"}), ("ACB", {"AB"}), ("BAC", {"ABC"}), ("BCA", {"ABC"}), ("CAB", {"BC"})],
)
def test_leaders_depend_on_the_order_and_on_nothing_else(order: str, expected: set[str]) -> None:
    files = {"A": A, "B": B, "C": C}
    bags = bags_of_lists([files[name] for name in order])
    for _ in range(3):
        clusters = find(bags, Thresholds(), "leader").clusters
        assert {"".join(sorted(order[n] for n in c.members)) for c in clusters} == expected


def test_a_similarity_at_the_threshold_counts_unless_strict() -> None:
    files = [[f"t{n}" for n in range(20)], [f"t{n}" for n in range(25)]]
    assert pairs_of(find(bags_of_lists(files), Thresholds())) == {(0, 1): (0.8, 0.8)}
    assert pairs_of(find(bags_of_lists(files), Thresholds(strict=True))) == {}


def test_similar_sets_with_other_counts_are_no_duplicates() -> None:
    names = [f"t{n}" for n in range(20)]
    assert find(bags_of_lists([names, names * 2]), Thresholds()).clusters == []


def test_edges_that_share_tokens_only_by_chance_stay_apart() -> None:
    common = [f"c{n}" for n in range(10)]
    left, right = ([*common, *(f"{side}{n}" for n in range(40))] for side in "lr")
    found = find(bags_of_lists([left, right, [*left, "x"], [*right, "y"]]), Thresholds())
    assert [cluster.members for cluster in found.clusters] == [(0, 2), (1, 3)]


def test_two_hundred_pairs_with_a_tenth_changed_are_all_found() -> None:
    files = []
    for number in range(200):
        tokens = [f"f{number}t{n}" for n in range(100)]
        files += [tokens, [*tokens[:90], *(f"f{number}x{n}" for n in range(10))]]
    found = find(bags_of_lists(files), Thresholds())
    expected = [(2 * n, 2 * n + 1) for n in range(200)]
    assert [cluster.members for cluster in found.clusters] == expected
    assert {cluster.sets for cluster in found.clusters} == {90 / 110}


def test_similarities_are_exact_doubles() -> None:
    files = mutated(random.Random(6), 60)
    found = pairs_of(find(bags_of_lists(files), Thresholds()))
    assert found and np.isfinite(list(found.values())).all()


@pytest.mark.parametrize("most", [1, 2, 50, 1 << 63])
def test_keys_are_numbered_alike_where_they_are_alike(most: int) -> None:
    keys = np.random.default_rng(most).integers(0, most, 20_000, dtype=np.uint64)
    count, numbers = distinct(keys)
    known, places = np.unique(keys, return_inverse=True)
    assert count == len(known)
    assert len(set(zip(numbers.tolist(), places.tolist(), strict=True))) == count
    assert sorted(set(numbers.tolist())) == list(range(count))
    assert distinct(keys[:0])[0] == 0
