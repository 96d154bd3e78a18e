"""Reports: the JSON that programs rely on, and tables that people can read at 80 columns."""

import io
import json
from dataclasses import replace

import pytest
from reported import PLAN, example, summary
from rich.console import Console

from metamorph.oracles.summaries import Spent, Summary
from metamorph.oracles.tallies import Counted, tally
from metamorph.reports.json_report import render
from metamorph.reports.table import show


def shown(what: Summary, width: int = 80) -> list[str]:
    """The lines of the table report."""
    out = io.StringIO()
    show(what, Console(file=out, width=width))
    return out.getvalue().splitlines()


def test_json_has_the_keys_that_programs_rely_on() -> None:
    report = json.loads(render(summary()))
    assert {"accounting", "tally", "by_length", "model", "seed", "complete"} <= set(report)
    accounting = report["accounting"]
    assert accounting["files_unparsable"] == 1
    assert accounting["variants"] == accounting["answered"] + accounting["no_answer"]
    assert accounting["refusals"] == {"VN": {"may-be-inherited-field": 7, "unicode-escape": 1}}
    row = report["tally"][0]
    assert row["transform"] == "VN" and row["place"] == "single"
    assert row["categories"] == {"CCP": 36, "CIP": 9, "WWSP": 45, "WCP": 0, "WWDP": 18}
    assert (row["originals"], row["variants"], row["changed"]) == (9, 117, 27)
    assert row["change_rate"] == 27 / 108
    assert row["ci_low"] <= row["change_rate"] <= row["ci_high"]
    assert row["noise_floor"] is None
    assert set(report["by_length"][0]) >= {
        "transform",
        "place",
        "bin",
        "variants",
        "changed",
        "change_rate",
    }


def test_json_says_null_where_there_is_no_rate() -> None:
    silent = tally([Counted("VN", "single", (0, 0), 1, "no_answer", 2)], [("VN", "single")])
    (row,) = json.loads(render(replace(summary(), tally=silent)))["tally"]
    assert (row["change_rate"], row["ci_low"], row["ci_high"]) == (None, None, None)


@pytest.mark.parametrize("scale", [1, 1000, 10_000])
def test_tables_fit_80_columns_and_cut_nothing(scale: int) -> None:
    lines = shown(summary(scale))
    assert max(map(len, lines)) <= 80
    assert "…" not in "\n".join(lines)
    assert f"{36 * scale:,}" in "\n".join(lines)


def test_a_row_shows_rate_interval_and_categories() -> None:
    row = next(line for line in shown(summary()) if line.startswith("VN all"))
    assert row.split()[2:5] == ["9", "117", "25.0%"]
    assert row.split()[6:] == ["-", "36", "9", "45", "0", "18", "9"]


def test_lines_end_without_blanks() -> None:
    assert not [line for line in shown(summary()) if line != line.rstrip()]


def test_accounts_show_reasons_and_notes() -> None:
    text = "\n".join(shown(summary()))
    assert "10 = 9 parsed + 1 unparsable (syntax-error 1)" in text
    assert "351 = 324 answered + 27 no answer (no_contexts 27)" in text
    assert "8 (may-be-inherited-field 7, unicode-escape 1)" in text
    assert "PS has no place 'all'" in text


def test_a_change_is_shown_with_its_place_and_answers() -> None:
    lines = shown(summary())
    at = next(n for n, line in enumerate(lines) if "sum became get" in line)
    assert lines[at].startswith("VN all")
    assert lines[at + 1].split(None, 1) == ["1:0:3", "A.f (A.java:7): n -> var0"]
    (example,) = json.loads(render(summary()))["examples"]
    assert (example["category"], example["before"], example["after"]) == ("CIP", "sum", "get")


def test_a_terminal_obeys_nothing_that_a_model_says() -> None:
    hostile = replace(example("VN", "all"), before="\x1b[2J\u202ex", after="a\tb\n" + "c" * 500)
    text = "\n".join(shown(replace(summary(), examples=[hostile])))
    assert "\\u001b[2J\\u202ex became a b" in text and "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_half_finished_run_says_so() -> None:
    text = "\n".join(shown(replace(summary(), complete=False, files_planned=40)))
    assert "INCOMPLETE: 10 of 40 files" in text
    assert "INCOMPLETE" not in "\n".join(shown(summary()))


def test_broken_variants_are_loud() -> None:
    accounting = replace(summary().accounting, broken={"OverlapError": 2})
    text = "\n".join(shown(replace(summary(), accounting=accounting)))
    assert "BROKEN" in text and "2 not put to the model (OverlapError 2)" in text


def test_a_measured_noise_floor_is_shown() -> None:
    lines = shown(summary(repeat=3))
    row = next(line for line in lines if line.startswith("VN all"))
    assert row.split()[6] == "0.0%"
    assert "noise floor: originals that vary when asked 3 times" in lines
    assert "noise floor: not measured; --repeat K or --controls measures it" in shown(summary())


def test_what_was_spent_is_told_as_far_as_it_is_known() -> None:
    def lines(spent: Spent) -> list[str]:
        return [line for line in shown(replace(summary(), spent=spent)) if "read" in line]

    assert lines(Spent(10, 0)) == []
    assert lines(Spent(10, 4, 6, 1000, 50, 0.25)) == [
        "tokens      1,000 read, 50 written, cost 0.2500"
    ]
    assert lines(Spent(10, 4, 5, 1000, 50)) == [
        "tokens      1,000 read, 50 written (of 5 answers of 6)"
    ]
    assert "4 of them answered from the cache" in "\n".join(
        shown(replace(summary(), spent=Spent(10, 4)))
    )
    assert json.loads(render(replace(summary(), spent=Spent(10, 4))))["spent"]["cached"] == 4


@pytest.mark.parametrize(
    ("varying", "said"),
    [
        ({"chance": 2, "batch": 1}, "3 originals vary: in the same batches too, by chance"),
        ({"batch": 3}, "answers depend on what else is in a batch"),
        ({"unknown": 3}, "--repeat 4 or more tells"),
    ],
)
def test_how_answers_vary_is_said(varying: dict[str, int], said: str) -> None:
    what = replace(summary(), accounting=replace(summary().accounting, varying=varying))
    assert said in " ".join(" ".join(shown(what)).split())
    assert json.loads(render(what))["accounting"]["varying_originals"] == varying


def test_truncated_answers_are_counted_in_the_accounts() -> None:
    what = replace(summary(), accounting=replace(summary().accounting, truncated=7))
    assert "7 truncated: the model did not see all of the method" in "\n".join(shown(what))


def test_a_run_without_variants_says_so() -> None:
    accounting = replace(summary().accounting, variants=0, answered=0, no_answer={})
    empty = replace(summary(), accounting=accounting, tally=tally([], PLAN), by_length=[])
    assert "No variants" in "\n".join(shown(empty))
