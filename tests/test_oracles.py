"""Oracles: categories, lengths, tallies and intervals."""

from operator import eq

import numpy as np
import pytest

from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.oracles.contrasts import single_against_all
from metamorph.oracles.counts import RESULTS, Originals, collect
from metamorph.oracles.lengths import BINS, bin_numbers, block_count, length_bin, statement_count
from metamorph.oracles.outcomes import CATEGORIES, CHANGES, Outcome
from metamorph.oracles.ranks import ABSENT, rank_of
from metamorph.oracles.subtokens import Scores, hits, scores
from metamorph.oracles.tallies import Counted, by_length, project_tallies, tallies, tally


@pytest.mark.parametrize(
    ("before", "after", "category"),
    [
        ("sum", "sum", "CCP"),
        ("sum", "get", "CIP"),
        ("get", "get", "WWSP"),
        ("get", "sum", "WCP"),
        ("get", "set", "WWDP"),
    ],
)
def test_each_pair_of_answers_has_its_category(before: str, after: str, category: str) -> None:
    outcome = Outcome(before, after, expected="sum")
    assert outcome.category == category
    assert outcome.changed == (category in CHANGES)


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        (0, "0"),
        (1, "1-5"),
        (5, "1-5"),
        (6, "6-10"),
        (10, "6-10"),
        (11, "11-15"),
        (25, "21-25"),
        (26, "26-50"),
        (50, "26-50"),
        (51, "51-100"),
        (100, "51-100"),
        (101, ">=101"),
        (100_000, ">=101"),
    ],
)
def test_bins_have_the_papers_bounds(statements: int, name: str) -> None:
    assert length_bin(statements) == name
    assert BINS[bin_numbers(np.array([statements]))[0]] == name
    assert name in BINS


@pytest.mark.parametrize(
    ("body", "statements"),
    [
        ("", 0),
        (";;", 0),
        ("{ { } }", 0),
        ("int a = 1, b = 2;", 1),
        ("a(); b();", 2),
        ("if (x) a(); else { b(); }", 3),
        ("if (x) { return; } else if (y) { return; }", 4),
        ("for (int i = 0; i < n; i++) a();", 2),
        ("for (int x : xs) { }", 1),
        ("here: while (true) { break here; }", 2),
        ("do { continue; } while (x);", 2),
        ("try { a(); } catch (E e) { b(); } finally { c(); }", 4),
        ("try (var r = open()) { a(); }", 2),
        ("synchronized (this) { assert x; }", 2),
        ("switch (x) { case 1: a(); break; default: b(); }", 4),
        ("switch (x) { case 1 -> a(); default -> { throw e; } }", 3),
        ("if (x) switch (y) { default: }", 2),
        ("int y = switch (x) { case 1 -> 2; default -> { yield 3; } };", 3),
        ("return switch (x) { default -> f(x); };", 2),
        ("run(() -> { a(); b(); });", 3),
        ("class C { int f; void g() { a(); } }", 1),
        ("new C() { C() { super(); } void g() { a(); } };", 3),
    ],
)
def test_statements_are_counted_at_every_depth(body: str, statements: int) -> None:
    source = SourceFile("A.java", f"class A {{ void m() {{ {body} }} }}".encode())
    tree = parse(source.data)
    assert not tree.has_error
    method = next(methods(source, tree))
    assert statement_count(tree, method.body) == statements


ROWS = [
    Counted("VN", "single", (0, 0), 3, "CCP", 2, unstable=False),
    Counted("VN", "single", (0, 0), 3, "CIP", 1, unstable=False, truncated=True),
    Counted("VN", "single", (0, 1), 7, "WWSP", 4, unstable=False, truncated=True),
    Counted("VN", "single", (1, 0), 0, "no_answer", 2),
    Counted("VN", "single", (2, 0), 3, "inconclusive", 5, unstable=True),
    Counted("PS", "single", (0, 1), 7, "WWDP", 1, unstable=False),
]


def test_a_tally_keeps_answers_doubts_and_silence_apart() -> None:
    vn, ps = tally(ROWS, [("VN", "single"), ("PS", "single")])
    assert (vn.transform, vn.originals, vn.variants, vn.judged) == ("VN", 4, 14, 7)
    assert (vn.changed, vn.no_answer, vn.inconclusive) == (1, 2, 5)
    assert vn.change_rate == pytest.approx(1 / 7)
    assert vn.categories == {"CCP": 2, "CIP": 1, "WWSP": 4, "WCP": 0, "WWDP": 0}
    assert list(vn.categories) == list(CATEGORIES)
    assert vn.noise_floor == pytest.approx(1 / 3), "of the originals that were answered twice"
    assert ps.change_rate == 1 and ps.interval is None and ps.noise_floor == 0


def test_rates_are_told_with_and_without_what_was_truncated() -> None:
    vn, ps = tally(ROWS, [("VN", "single"), ("PS", "single")])
    assert (vn.truncated, vn.truncated_changed) == (5, 1)
    assert vn.whole_change_rate == 0 and vn.change_rate == pytest.approx(1 / 7)
    assert ps.whole_change_rate == ps.change_rate == 1
    (cut,) = tally([Counted("VN", "all", (0, 0), 1, "CIP", 3, truncated=True)], [("VN", "all")])
    assert cut.change_rate == 1 and cut.whole_change_rate is None


def test_changes_count_where_no_answer_is_known_to_be_right() -> None:
    rows = [
        Counted("VN", "single", (0, 0), 3, "same", 3),
        Counted("VN", "single", (0, 1), 3, "changed", 1),
        Counted("VN", "single", (0, 2), 3, "CIP", 1),
    ]
    (vn,) = tally(rows, [("VN", "single")])
    assert vn.without_gold == {"same": 3, "changed": 1}
    assert sum(vn.categories.values()) == vn.categories["CIP"] == 1
    assert (vn.judged, vn.changed, vn.change_rate) == (5, 2, 0.4)
    (bin,) = by_length(rows)
    assert (bin.judged, bin.changed) == (5, 2)


def test_a_tally_of_silence_has_no_rate() -> None:
    (only,) = tally([Counted("VN", "all", (0, 0), 1, "no_answer", 3)], [("VN", "all")])
    assert only.change_rate is None and only.interval is None and only.noise_floor is None


def test_a_transformation_without_variants_has_a_row_of_zeros() -> None:
    (only,) = tally([], [("BX", "single")])
    assert (only.originals, only.variants, only.changed) == (0, 0, 0)
    assert only.change_rate is None and only.interval is None and only.noise_floor is None


def test_lengths_come_in_the_order_of_the_bins_and_sum_to_the_tally() -> None:
    rows = [row for row in by_length(ROWS) if row.transform == "VN"]
    assert [row.bin for row in rows] == ["0", "1-5", "6-10"]
    assert [row.variants for row in rows] == [2, 8, 4]
    assert [row.change_rate for row in rows] == [None, pytest.approx(1 / 3), 0]


@pytest.mark.parametrize(
    ("body", "blocks"),
    [("", 1), ("{ { } }", 3), ("if (x) a(); else { b(); }", 2), ("run(() -> { a(); });", 2)],
)
def test_blocks_are_counted_apart(body: str, blocks: int) -> None:
    source = SourceFile("A.java", f"class A {{ void m() {{ {body} }} }}".encode())
    method = next(methods(source, parse(source.data)))
    assert block_count(method.tree, method.body) == blocks


def test_the_derived_rates_are_those_of_table_8() -> None:
    """Table 8 of the paper tells shares of all five categories: here SF of code2seq."""
    shares = {"CCP": 5223, "CIP": 528, "WWSP": 1868, "WCP": 280, "WWDP": 2099}
    rows = [
        Counted("SF", "single", (n, 0), 3, name, count)
        for n, (name, count) in enumerate(shares.items())
    ]
    (sf,) = tally(rows, [("SF", "single")])
    assert sf.cip.value == pytest.approx(528 / 5751)
    assert f"{sf.cip.value:.2%}" == "9.18%", "about the 9.19 % that section 6.2.2 tells"
    assert sf.wcp.value == pytest.approx(280 / 4247)
    assert sf.wrong.value == pytest.approx(2379 / 4247)
    assert sf.change.value == sf.change_rate == pytest.approx(2907 / 9998)
    assert sf.wrong_less_correct.value == pytest.approx(2379 / 4247 - 528 / 5751)


def test_every_original_counts_alike_in_the_macro_rate() -> None:
    rows = [
        Counted("VN", "single", (0, 0), 3, "CIP", 9),
        Counted("VN", "single", (0, 0), 3, "CCP", 1),
        Counted("VN", "single", (1, 0), 3, "CCP", 1),
        Counted("VN", "single", (2, 0), 3, "no_answer", 5),
    ]
    (vn,) = tally(rows, [("VN", "single")])
    assert vn.change_rate == pytest.approx(9 / 11)
    assert vn.macro.value == pytest.approx((0.9 + 0.0) / 2) and vn.macro.clusters == 2


def test_rates_of_nothing_are_none() -> None:
    (vn,) = tally([Counted("VN", "single", (0, 0), 3, "same", 2)], [("VN", "single")])
    assert vn.change_rate == 0 and vn.interval is None
    assert (vn.cip.value, vn.wcp.value, vn.wrong.value) == (None, None, None)
    assert vn.wrong_less_correct.value is None and vn.subtokens is None


def varied(*rows: tuple[str, str, int, str, int]) -> list[Originals]:
    """Tables of (transformation, place, original, result, count)."""
    counted = [Counted(t, p, (n, 0), 3, result, count) for t, p, n, result, count in rows]
    return collect(counted, dict.fromkeys((row.transform, row.place) for row in counted))


def test_single_and_all_are_compared_on_the_same_originals() -> None:
    tables = varied(
        ("VN", "single", 0, "CIP", 1),
        ("VN", "single", 0, "CCP", 3),
        ("VN", "single", 1, "CCP", 4),
        ("VN", "single", 2, "CIP", 9),
        ("VN", "single", 3, "no_answer", 2),
        ("VN", "all", 0, "CIP", 1),
        ("VN", "all", 1, "CCP", 1),
        ("VN", "all", 3, "CIP", 1),
        ("TC", "single", 0, "CIP", 1),
    )
    (found,) = single_against_all(tables, 0)
    assert (found.transform, found.originals) == ("VN", 2)
    assert (found.single.hits, found.single.of) == (1, 8)
    assert (found.all.hits, found.all.of) == (1, 2)
    assert found.all_less_single.value == pytest.approx(0.5 - 0.125)


def test_the_noise_floor_is_that_of_the_originals_of_the_row() -> None:
    tables = varied(
        ("VN", "single", 0, "CCP", 4),
        ("VN", "single", 1, "CIP", 1),
        ("identity", "single", 0, "CCP", 1),
        ("identity", "single", 1, "CIP", 1),
        ("identity", "single", 2, "CIP", 1),
        ("identity", "single", 3, "no_answer", 1),
        ("reformat", "single", 1, "CIP", 1),
    )
    vn, identity, reformat = tallies(tables, 0, ("identity", "reformat"))
    assert (vn.noise_floor, vn.layout_floor) == (0.5, 1.0)
    assert identity.noise_floor == identity.change_rate == pytest.approx(2 / 3)
    assert [row.control for row in (vn, identity, reformat)] == [False, True, True]


def test_projects_are_told_apart_and_many_of_them_are_clusters() -> None:
    rows = [
        Counted("VN", "single", (n, 0), 3, "CIP" if n % 3 else "CCP", 2, project=f"p{n % 12:02}")
        for n in range(240)
    ]
    (table,) = collect(rows, [("VN", "single")])
    (vn,) = tallies([table], 0)
    assert (vn.change.clusters, vn.originals) == (12, 240)
    projects = list(project_tallies([table], 0))
    assert [row.project for row in projects] == [f"p{n:02}" for n in range(12)]
    assert sum(row.changed for row in projects) == vn.changed
    few = collect((row for row in rows if row.project < "p05"), [("VN", "single")])
    assert tallies(few, 0)[0].change.clusters == 100
    alone = collect((row for row in rows if row.project == "p03"), [("VN", "single")])
    assert list(project_tallies(alone, 0)) == []


def test_nothing_that_is_counted_is_lost() -> None:
    rng = np.random.default_rng(0)
    rows = [
        Counted("VN", "single", (int(f), int(m)), 3, RESULTS[r], int(n))
        for f, m, r, n in rng.integers(0, (5, 4, len(RESULTS), 6), (500, 4))
    ]
    (table,) = collect(rows, [("VN", "single")])
    for result in RESULTS:
        expected = sum(row.count for row in rows if row.result == result)
        assert table.count(result).sum() == expected
    assert len(table) == len({row.original for row in rows}) and list(table.keys) == sorted(
        table.keys
    )


@pytest.mark.parametrize(
    ("real", "predicted", "counts"),
    [
        ("get|name", "get|name", (2, 0, 0)),
        ("get|name", "name", (1, 0, 1)),
        ("get|name", "set|name|of", (1, 2, 1)),
        ("get|name", None, (0, 0, 2)),
        ("add|add", "add", (1, 0, 0)),
        ("add", "add|add", (2, 0, 0)),
    ],
)
def test_subtokens_are_counted_as_the_papers_evaluations_do(
    real: str, predicted: str | None, counts: tuple[int, int, int]
) -> None:
    assert hits(real, predicted) == counts


def test_scores_are_micro_averages() -> None:
    found = scores([(2, 0, 0), (0, 2, 2)])
    assert found == Scores(2, 2, 2)
    assert found.precision == found.recall == found.f1 == 0.5
    assert scores([]).f1 == 0


def test_f1_before_and_after_is_of_the_same_variants() -> None:
    rows = [
        Counted("VN", "single", (0, 0), 3, "CIP", 2, before=(2, 0, 0), after=(1, 1, 1)),
        Counted("VN", "single", (1, 0), 3, "CCP", 1, before=(2, 0, 0), after=(2, 0, 0)),
        Counted("VN", "single", (2, 0), 3, "inconclusive", 1, before=(2, 0, 0), after=(0, 2, 2)),
    ]
    (vn,) = tally(rows, [("VN", "single")])
    assert vn.subtokens is not None
    assert (vn.subtokens.before, vn.subtokens.after) == (Scores(6, 0, 0), Scores(4, 2, 2))
    assert vn.subtokens.f1_change.value == pytest.approx(2 / 3 - 1)
    assert vn.subtokens.f1_change.interval is not None


CANDIDATES = (("get", 0.5), ("set", 0.3), ("sum", 0.1))


@pytest.mark.parametrize(
    ("label", "answer", "candidates", "rank"),
    [
        ("get", "get", CANDIDATES, 1),
        ("get", "get", (), 1),
        ("sum", "get", CANDIDATES, 3),
        ("put", "get", CANDIDATES, ABSENT),
        ("put", "get", (), None),
        ("get", "beam", CANDIDATES, 2),
    ],
)
def test_a_label_is_found_among_the_candidates(
    label: str, answer: str, candidates: tuple[tuple[str, float], ...], rank: int | None
) -> None:
    assert rank_of(label, answer, candidates, eq) == rank
