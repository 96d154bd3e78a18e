"""The paper kit's numbers: those of the run, those of the paper, and what may be compared."""

from dataclasses import replace
from typing import Any

import pytest
from papers import CATEGORIES, PLAN, own, summary

from metamorph.oracles.tallies import Counted, by_length, tally
from metamorph.reports.paper import points
from metamorph.reports.paper import studies as paper
from metamorph.reports.paper.observations import findings
from metamorph.reports.paper.published_values import DATA_SETS, TABLES, published
from metamorph.reports.paper.studies import NAMES, together
from metamorph.reports.paper.tables import Paged, categories, changed, scores, tables
from metamorph.reports.tables import Grid, latex


def column(grid: Grid, name: str) -> list[str]:
    return [row[grid.columns.index(name)] for row in grid.rows]


def block(table: Paged, name: str) -> dict[str, tuple[str, ...]]:
    """The cells of one transformation in tables 2 to 7 by the titles of their lines."""
    rows = table.grid.rows
    first = next(n for n, row in enumerate(rows) if row[0] == name)
    return {row[1]: row[2:] for row in rows[first : first + 6]}


def notes(table: Paged) -> str:
    return "\n".join(table.grid.notes)


@pytest.mark.parametrize(("model", "data_set"), TABLES)
def test_published_percentages_are_those_of_the_published_counts(model: str, data_set: str) -> None:
    told = published(model, data_set)
    for transform in NAMES:
        variants, changed_ones = (
            told.change(transform, "variants"),
            told.change(transform, "changed"),
        )
        assert variants and changed_ones
        assert 100 * changed_ones / variants == pytest.approx(
            told.change(transform, "change"), abs=0.0051
        )


def test_published_categories_agree_with_the_published_changes() -> None:
    told = published("code2seq", "Java-Large")
    for transform in NAMES:
        shares = {name: told.category(transform, name) or 0.0 for name, _ in CATEGORIES}
        assert sum(shares.values()) == pytest.approx(100, abs=0.021)
        moved = shares["CIP"] + shares["WCP"] + shares["WWDP"]
        assert moved == pytest.approx(told.change(transform, "change"), abs=0.02)


def test_the_journal_version_differs_from_the_preprint_in_ps_alone() -> None:
    differing = {
        transform
        for model, data_set in TABLES
        for transform in NAMES
        if (told := published(model, data_set)).figure(5, transform, "any") is not None
        and told.figure(5, transform, "any") != told.change(transform, "change")
    }
    assert differing == {"PS"}


def test_data_sets_are_known_in_any_case_and_nothing_else_is_compared() -> None:
    assert published("code2vec", " java-MED ").number == 3
    for model, data_set in (("code2vec", ""), ("code2vec", "commons"), ("gpt", "Java-Small")):
        told = published(model, data_set)
        assert told.number is None
        assert told.score("f1") is None and told.figure(3, "VN", "all") is None


@pytest.mark.parametrize("data_set", DATA_SETS)
def test_a_table_of_changes_has_the_number_that_it_has_in_the_paper(data_set: str) -> None:
    assert changed(own(data_set)).number == str(TABLES["code2seq", data_set])
    assert changed(own("my data")).number == "2-7"


def test_changes_stand_beside_the_published_ones_with_their_difference() -> None:
    rows = block(changed(own("java-small")), "Variable Renaming")
    assert rows["# Original programs"] == ("4", "31,113", "−31,109")
    assert rows["# Transformed programs"] == ("72", "123,123", "−123,051")
    assert rows["# Prediction changing programs"] == ("28", "70,371", "−70,343")
    assert rows["Prediction change (%)"] == ("38.89", "57.16", "−18.27")
    low, high = map(float, rows["95 % interval (%)"][0].split("-"))
    assert low <= 38.89 <= high


def test_differences_have_a_minus_in_latex() -> None:
    assert "& 57.16 & $-$18.27" in latex(changed(own("Java-Small")).grid)


def test_without_a_data_set_of_the_paper_nothing_is_set_beside() -> None:
    for table in tables([own(), own("my data", model="code2vec")]):
        assert not {"Paper", "Difference", "Source"} & set(table.grid.columns)
        assert "preprint" not in notes(table)
        assert not [v for row in table.rows for k, v in row.items() if k[:5] == "paper" and v]


def test_one_site_at_random_is_not_compared_with_each_site_alone() -> None:
    table = changed(own("Java-Small"))
    assert block(table, "Try-Catch Insertion")["Prediction change (%)"][1] == "48.29"
    assert block(table, "Unused Statement")["Prediction change (%)"] == ("38.89", "-", "-")
    assert "UN: at each site alone" in notes(table)


def test_what_was_not_applied_is_a_dash_with_a_note() -> None:
    table = changed(own("Java-Small"))
    rows = block(table, "Loop Exchange")
    assert {cells[0] for cells in rows.values()} == {"-"}
    assert rows["Prediction change (%)"] == ("-", "52.54", "-")
    assert "Not applied, or not in the place that the table is of: BX, LX, SF." in notes(table)


def test_data_of_another_size_than_the_papers_are_told() -> None:
    assert "The data are not those of the paper: 12 original programs" in notes(
        changed(own("Java-Small"))
    )


def test_table_1_has_precision_recall_and_f1_over_subtokens() -> None:
    table = scores([own("Java-Large")])
    assert column(table.grid, "Precision") == ["75.00", "64.03", "+10.97"]
    assert column(table.grid, "Recall") == ["60.00", "55.02", "+4.98"]
    assert column(table.grid, "F1 Score") == ["66.67", "59.19", "+7.48"]
    assert table.rows[0]["methods"] == 4


def test_categories_are_percentages_with_the_rates_that_follow() -> None:
    table = categories(own("Java-Large"))
    this, told, difference = table.grid.rows[:3]
    assert this[:7] == ("VN", "this run", "33.33", "11.11", "27.78", "5.56", "22.22")
    assert (this[7], this[9]) == ("25.00", "10.00")
    # 4.69 / (14.54 + 4.69) and 2.32 / (38.42 + 2.32 + 40.03)
    assert (told[7], told[9]) == ("24.39", "2.87")
    assert (difference[7], difference[9]) == ("+0.61", "+7.13")


def test_table_8_is_compared_with_the_one_model_and_data_set_that_it_is_of() -> None:
    for data_set, model in (("Java-Small", "code2seq"), ("Java-Large", "code2vec")):
        assert "Source" not in categories(own(data_set, model=model)).grid.columns


def test_figure_3_has_both_places_and_their_paired_gap() -> None:
    single, together_ = points.by_place(own("Java-Small")).points
    assert (single.condition, single.percent, single.paper) == ("single", 100 * 28 / 72, 57.16)
    assert (together_.condition, together_.originals, together_.paper) == ("all", 4, 74.66)
    assert together_.gap is not None and together_.gap.value == 0


def test_figure_4_has_originally_correct_and_incorrect_answers() -> None:
    right, wrong = points.by_answer(own("Java-Small")).points[:2]
    assert (right.of, right.changed, right.paper) == (32, 8, 30.50)
    assert (wrong.of, wrong.changed, wrong.paper) == (40, 20, 58.68)
    assert wrong.gap is not None and wrong.gap.value == pytest.approx(0.25)


def test_figure_5_has_the_papers_bins_and_one_without_statements() -> None:
    found = [p for p in points.by_length(own("Java-Small")).points if p.transform == "VN"]
    assert [p.condition for p in found] == ["0", "1-5", "6-10", ">=101"]
    assert [p.paper for p in found] == [None, 48.09, 45.04, 69.16]
    assert {p.of for p in found} == {18}


def test_runs_that_complement_each_other_are_one_study() -> None:
    parts = (PLAN[:3], PLAN[3:])
    found = [paper.study(summary(part), f"run{n}", "Java-Small") for n, part in enumerate(parts)]
    (joined,) = together(found)
    assert joined.runs == ("run0", "run1")
    assert changed(joined).grid == changed(own("Java-Small")).grid


@pytest.mark.parametrize("other", [{"corpus": "1" * 64}, {"seed": 1}, {"limit": 9}])
def test_runs_of_other_questions_are_not_one_study(other: dict[str, Any]) -> None:
    found = [summary(PLAN[:3]), replace(summary(PLAN[3:]), **other)]
    assert len(together([paper.study(run, "run", "x") for run in found])) == 2


def test_where_both_are_there_the_place_of_the_paper_is_shown() -> None:
    plan = [(code, place) for code in ("VN", "TC") for place in ("single", "random")]
    both = paper.study(summary(plan), "run", "Java-Small")
    assert [row["place"] for row in changed(both).rows if row["place"]] == ["single", "random"]


def test_runs_of_other_models_corpora_or_the_same_questions_stay_apart() -> None:
    one, other = own("x"), own("x", model="code2vec")
    elsewhere = paper.study(replace(summary(PLAN[:1]), corpus="1" * 64), "run", "x")
    found = together([one, one, other, elsewhere])
    assert [study.title for study in found] == [
        "code2seq on x",
        "code2seq on x (2)",
        "code2vec on x",
        "code2seq on x (3)",
    ]
    assert len({table.name for table in tables(found)}) == 1 + 2 * 4 + 1


def test_a_checkpoint_is_compared_by_its_kind_and_printed_without_its_folders() -> None:
    found = summary()
    for name, printed in (
        ("code2seq:/models/large/model.npz", "code2seq:model.npz"),
        ("hf:org/name", "hf:org/name"),
    ):
        model = {"name": name, "kind": name.partition(":")[0]}
        study = paper.study(replace(found, model=model), "run", "Java-Large")
        assert study.model == printed
        assert (study.paper.number is not None) == (printed[:2] == "co")


def test_half_a_run_and_answers_that_lack_are_told_below_each_table() -> None:
    half = replace(summary(), complete=False, files_planned=9, limit=50)
    lost = replace(half, accounting=replace(half.accounting, answered=350, no_answer={"x": 10}))
    for table in tables([paper.study(lost, "my-run")])[:-1]:
        assert "The run my-run is incomplete: 4 of 9 files." in notes(table)
        assert "The run my-run took the first 50 methods only." in notes(table)
        assert "no answer for 10 of 360 programs" in notes(table)


def test_answers_without_gold_leave_table_8_empty_and_say_so() -> None:
    rows = [Counted("VN", "single", (0, 0), 3, "changed", 5)]
    found = summary([("VN", "single")])
    found = replace(found, tally=tally(rows, [("VN", "single")]), originals=None)
    found = replace(found, accounting=replace(found.accounting, without_gold=5))
    table = categories(paper.study(found, "run"))
    assert table.grid.rows[0][1:6] == ("-",) * 5
    assert "Left out: 5 programs of which no right answer is known." in notes(table)
    assert block(changed(paper.study(found, "run")), NAMES["VN"])["Prediction change (%)"] == (
        "100.00",
    )


def tilted(wrong: int, short: int, long: int) -> paper.Study:
    """A study of 40 originals: changes of 10, of wrong answers, of short and long methods."""
    rows = [
        Counted("VN", "single", (file, 0), statements, category, count)
        for file in range(40)
        for statements, moved in [((3, short), (200, long))[file % 2]]
        for right, wrong_moved in [(moved, min(10, moved + wrong + file % 3))]
        for category, count in (
            ("CIP", right),
            ("CCP", 10 - right),
            ("WWDP", wrong_moved),
            ("WWSP", 10 - wrong_moved),
        )
        if count
    ]
    plan = [("VN", "single")]
    found = replace(summary(plan), tally=tally(rows, plan), by_length=list(by_length(rows)))
    return paper.study(replace(found, single_all=[]), "run")


@pytest.mark.parametrize(
    ("study", "holds"),
    [
        (tilted(4, 1, 4), {3: "yes", 4: "yes", 5: "yes"}),
        (tilted(-1, 4, 4), {3: "undecided", 4: "undecided", 5: "yes"}),
        (tilted(-3, 6, 3), {3: "no", 4: "no", 5: "yes"}),
    ],
)
def test_observations_hold_where_the_intervals_say_so(
    study: paper.Study, holds: dict[int, str]
) -> None:
    found = findings([study])
    assert {one.number: one.holds for one in found} == holds


def test_observation_1_names_the_highest_rate_and_its_rivals() -> None:
    (first, *_), (second, *_) = ([f for f in findings([own()]) if f.number == n] for n in (1, 2))
    assert first.transform == "VN" and first.seen.count("38.9 ") == 2
    assert first.seen.endswith("and 2 more")
    assert (second.transform, second.seen[:11]) == ("VN", "+0.0 points")


def test_observation_5_counts_corrections_among_all_programs() -> None:
    rows = [f for f in findings([own()]) if f.number == 5]
    assert {(f.seen, f.holds) for f in rows} == {("5.56 %", "no")}
