"""Oracles: categories, lengths, tallies and intervals."""

import pytest

from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.oracles.lengths import BINS, length_bin, statement_count
from metamorph.oracles.outcomes import CATEGORIES, CHANGES, Outcome
from metamorph.oracles.tallies import Counted, by_length, tally


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
