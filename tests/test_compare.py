"""Comparisons of runs and of transformations: what matches, what differs, and by how much."""

import csv
import io
import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest
from studies import metamorph, study, write_corpus, write_models

from metamorph.oracles.comparisons import Sides, differences
from metamorph.oracles.counts import Counted, Originals, collect
from metamorph.oracles.significance import benjamini_hochberg, detectable, holm, mcnemar
from metamorph.runs.comparing import compare_runs, compare_transforms

CHANGED = ("CIP", "WCP", "WWDP")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the models of the tests and a corpus in `src`."""
    write_models(tmp_path)
    write_corpus(tmp_path / "src", 8)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def categories(run: Path) -> dict[tuple[object, ...], str]:
    """Every judged variant by what it is, straight from the store."""
    query = (
        "SELECT file, method, transform, place, sites, edits, category FROM variants "
        "WHERE category IS NOT NULL"
    )
    connection = sqlite3.connect(run / "results.sqlite")
    try:
        return {tuple(row[:-1]): row[-1] for row in connection.execute(query)}
    finally:
        connection.close()


def test_two_runs_are_compared_on_the_variants_of_both(folder: Path) -> None:
    one, other = study("one", "src"), study("other", "src", model="shy")
    found = compare_runs(one, other)
    rows, others = categories(one), categories(other)
    shared = rows.keys() & others.keys()
    assert 0 < len(shared) < len(rows)
    (change,) = [row for row in found.differences if row.measure == "change"]
    assert change.one.of == change.other.of == len(shared) == found.matching.judged
    assert change.one.hits == sum(rows[key] in CHANGED for key in shared)
    assert change.other.hits == sum(others[key] in CHANGED for key in shared)
    assert change.originals == len({key[:2] for key in shared})
    assert found.matching.matched == len(rows)
    assert (found.matching.only_one, found.matching.only_other) == (0, 0)
    assert found.notes == []


def test_a_run_does_not_differ_from_itself(folder: Path) -> None:
    run = study("one", "src")
    (change, *rest) = compare_runs(run, run).differences
    assert change.difference.value == 0 and change.test and change.test.p == 1
    assert change.difference.interval is not None
    assert change.difference.interval[0] < 0 < change.difference.interval[1]
    assert all(row.test is None for row in rest)


def test_runs_match_where_the_corpus_was_moved_and_one_is_shorter(folder: Path) -> None:
    one = study("one", "src")
    (folder / "elsewhere").mkdir()
    (folder / "src").rename(folder / "elsewhere" / "src")
    other = study("other", "elsewhere/src", "--limit", 6, model="parameter")
    found = compare_runs(one, other)
    shorter = len(categories(other))
    assert found.matching.matched == shorter
    assert found.matching.only_one == len(categories(one)) - shorter
    assert found.matching.only_other == 0


def test_equal_files_under_several_paths_match_each_their_own(folder: Path) -> None:
    for name in ("first", "second"):
        write_corpus(folder / name, 3)
    one = study("one", "first", "second")
    other = study("other", "second", "first", model="parameter")
    found = compare_runs(one, other)
    assert found.matching.matched == len(categories(one)) == len(categories(other))


def test_controls_and_both_places_are_compared_too(folder: Path) -> None:
    arguments = ("src", "--controls", "--place", "both")
    one, other = study("one", *arguments), study("other", *arguments, model="parameter")
    found = compare_runs(one, other).differences
    names = {row.one_name for row in found}
    assert names == {"VN single", "VN all", "identity single", "reformat single"}
    assert {row.one_name for row in found if row.test} == {"VN single", "VN all"}


def test_two_transformations_are_compared_on_the_methods_of_both(folder: Path) -> None:
    run = study("run", "src", transform="VN,LX")
    found = compare_transforms(run, "vn", "LX")
    rows = categories(run)
    methods = [{key[:2] for key in rows if key[2] == code} for code in ("VN", "LX")]
    shared = methods[0] & methods[1]
    (change,) = [row for row in found.differences if row.measure == "change"]
    assert (change.one_name, change.other_name) == ("VN single", "LX single")
    assert change.originals == len(shared) == found.matching.matched
    for side, code in ((change.one, "VN"), (change.other, "LX")):
        results = [rows[key] for key in rows if key[2] == code and key[:2] in shared]
        assert side.hits == sum(result in CHANGED for result in results)
        assert side.of == len(results)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("one",), "compare takes RUN_A and RUN_B, or RUN_A and --transform X Y"),
        (("one", "other", "--transform", "VN", "LX"), "compare takes RUN_A and RUN_B"),
        (("one", "--transform", "VN", "PS"), "one: PS is not in this run, which has VN"),
        (("one", "nowhere"), "nowhere: no run is there"),
        (("one", "foreign"), "one and foreign: no file in common; compare runs over the same"),
        (("one", "loops"), "no transformation and place in common; give both the same"),
        (("one", "labels"), "judged by different rules, --task method-name and label"),
        (("insert", "insert-again"), "no variant in common, as the seeds differ (0, 1)"),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: Sequence[str], line: str
) -> None:
    made = {
        "one": (("src",), "VN"),
        "other": (("src",), "VN"),
        "foreign": (("second",), "VN"),
        "loops": (("src",), "LX"),
        "labels": (("src", "--task", "label"), "VN"),
        "insert": (("second",), "UN"),
        "insert-again": (("second", "--seed", 1), "UN"),
    }
    (folder / "second").mkdir()
    (folder / "second" / "D.java").write_text("class D { int f(int a) { int b = a; return b; } }")
    for name in {*arguments, "one"} & made.keys():
        options, transform = made[name]
        study(name, *options, transform=transform)
    capsys.readouterr()
    assert metamorph("compare", *arguments) == 2
    told = capsys.readouterr().err
    assert line in told and told.count("\n") == 1


def test_all_formats_show_the_same_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study("one", "src", transform="VN,LX")
    study("other", "src", model="parameter", transform="VN,LX")
    shown = {}
    capsys.readouterr()
    for name in ("table", "json", "csv", "md"):
        assert metamorph("compare", "one", "other", "--format", name) == 0
        shown[name] = capsys.readouterr().out
    rows = json.loads(shown["json"])["differences"]
    lines = list(csv.DictReader(io.StringIO(shown["csv"])))
    assert len(rows) == len(lines) >= 2
    for row, line in zip(rows, lines, strict=True):
        assert float(line["difference"]) == row["difference"]
        assert int(line["one_hits"]) == row["one_rate"]["hits"]
        difference = f"{100 * row['difference']:+.1f}"
        assert difference in shown["table"] and difference in shown["md"]
    assert max(map(len, shown["table"].splitlines())) <= 80
    assert metamorph("compare", "one", "other", "--out", "told.txt") == 0
    assert (folder / "told.txt").read_text() == shown["table"]


def test_half_a_run_is_compared_and_told(folder: Path) -> None:
    one, other = study("one", "src"), study("other", "src", model="parameter")
    connection = sqlite3.connect(other / "results.sqlite")
    with connection:
        for table in ("files", "methods", "variants"):
            connection.execute(f"DELETE FROM {table} WHERE file > 3")
    connection.close()
    manifest = json.loads((other / "manifest.json").read_text())
    (other / "manifest.json").write_text(json.dumps(manifest | {"complete": False}))
    found = compare_runs(one, other)
    assert found.matching.only_one > 0
    assert found.notes == [f"{other} is incomplete: half a run is compared"]


def sides(cells: Counter[tuple[str, str]]) -> Sides:
    """An original for each pair of results."""
    pairs = sorted(cells.elements())

    def side(results: Sequence[str]) -> Originals:
        rows = [Counted("VN", "single", (n, 0), 1, result, 1) for n, result in enumerate(results)]
        return collect(rows, [("VN", "single")])[0]

    both = np.array([int(a == b == "CIP") for a, b in pairs])
    return Sides(side([a for a, _ in pairs]), side([b for _, b in pairs]), both)


def test_mcnemar_sees_exactly_the_pairs_that_differ() -> None:
    cells = Counter({("CIP", "CIP"): 20, ("CIP", "CCP"): 4, ("CCP", "CIP"): 17, ("CCP", "CCP"): 30})
    (change, *_) = differences([sides(cells)], seed=0)
    assert change.test is not None
    assert (change.test.originals, change.test.only_one, change.test.only_other) == (71, 4, 17)
    assert change.test.p == pytest.approx(binomtest(4, 21).pvalue)
    assert change.difference.value == pytest.approx(13 / 71)
    deviation = np.sqrt((21 / 71 - (13 / 71) ** 2) / 71)
    assert change.detectable == pytest.approx(2.8016 * deviation, rel=0.08)


def test_families_are_adjusted_as_their_authors_say() -> None:
    values = [0.01, 0.04, 0.03, 0.5]
    assert holm(values) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert benjamini_hochberg(values) == pytest.approx([0.04, 0.16 / 3, 0.16 / 3, 0.5])
    assert holm([]) == benjamini_hochberg([]) == []
    assert mcnemar(0, 0) == 1 and mcnemar(5, 0) == pytest.approx(2 * 0.5**5)
    assert detectable(None) is None


def test_a_difference_that_is_said_to_be_detectable_is_found_four_times_in_five() -> None:
    """Originals with a fragility of their own; the other model is worse by what is detectable."""
    rng = np.random.default_rng(9)

    def draw(shift: float) -> Sides:
        fragility = 0.6 * rng.beta(2, 2, 150)
        one, other = (rng.random(150) < fragility), (rng.random(150) < fragility + shift)
        names = [
            ("CIP" if a else "CCP", "CIP" if b else "CCP") for a, b in zip(one, other, strict=True)
        ]
        return sides(Counter(names))

    least = differences([draw(0.0)], seed=0)[0].detectable
    assert least is not None
    found = 0
    for _ in range(200):
        low, high = differences([draw(least)], seed=0)[0].difference.interval or (0.0, 0.0)
        found += low > 0 or high < 0
    assert 0.7 < found / 200 < 0.9
