"""The formats of the report: each shows the counts that are in the store, and escapes all."""

import csv
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from reported import example, summary
from studies import MODEL, metamorph, study, write_corpus

from metamorph.oracles.tallies import tally
from metamorph.reports import csv_report, json_report, latex, markdown
from metamorph.reports.gates import gates, judge
from metamorph.reports.tables import Grid, csv_text, latex_text, markdown_text
from metamorph.reports.tables import latex as latex_table
from metamorph.reports.tables import markdown as markdown_table

SCHEMA = json.loads((files("metamorph.reports") / "schema" / "report.schema.json").read_text())


def closed(schema: Any) -> Any:
    """The schema, of which no object may have a field that it does not describe."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: closed(part) for name, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        made["additionalProperties"] = False
    return made


def reports(folder: Path) -> Iterator[str]:
    """Reports of real runs: ordinary, repeated, silent, empty, without gold, cut short."""
    corpus = write_corpus(folder / "corpus", files=6)
    plan = {"transform": "VN,PS,LX"}
    yield str(study("plain", corpus, "--place", "both", **plan))
    yield str(study("unsteady", corpus, "--repeat", 3, model="unsteady"))
    (folder / "Empty.java").write_text("interface Empty { int nothing(); }\n")
    yield str(study("empty", "Empty.java"))
    silent = ("--model", f"{MODEL}silent", "--transform", "VN", "--out", "silent")
    assert metamorph("run", corpus, *silent) == 3
    yield "silent"
    yield str(study("text", corpus, "--task", "text", model="parameter"))
    yield str(study("short", corpus, "--limit", 3, "--train-corpus", "Empty.java"))


def test_the_schema_describes_every_field_of_real_reports(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    validator = Draft202012Validator(closed(SCHEMA))
    for run in reports(folder):
        metamorph("report", run, "--format", "json", "--fail-on-change", "0.5", "--out", "r.json")
        report = json.loads(Path("r.json").read_text())
        assert [error.message for error in validator.iter_errors(report)] == [], run


def test_the_schema_refuses_what_is_no_report() -> None:
    validator = Draft202012Validator(SCHEMA)
    report = json_report.as_object(summary())
    assert validator.is_valid(report)
    assert validator.is_valid(report | {"a_new_field": 1})
    assert not validator.is_valid(report | {"schema_version": 2})
    report["tally"][0]["change_rate"] = 1.5
    assert not validator.is_valid(report)


def test_all_formats_show_the_counts_of_the_store(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "corpus", files=6)
    run = study("run", corpus, "--place", "both", transform="VN,LX")
    query = """
        SELECT transform, place, COUNT(*), SUM(category IN ('CIP', 'WCP', 'WWDP'))
        FROM variants WHERE category IS NOT NULL GROUP BY 1, 2
    """
    with sqlite3.connect(run / "results.sqlite") as connection:
        stored = {(t, p): (n, changed) for t, p, n, changed in connection.execute(query)}
    assert stored and any(changed for _, changed in stored.values())

    def told(format: str) -> str:
        capsys.readouterr()
        assert metamorph("report", run, "--format", format) == 0
        return capsys.readouterr().out

    tallied = json.loads(told("json"))["tally"]
    assert stored == {(t["transform"], t["place"]): (t["judged"], t["changed"]) for t in tallied}
    table = csv.DictReader(told("csv").splitlines())
    rows = [row for row in table if row["level"] == "change"]
    assert stored == {(r["transform"], r["place"]): (int(r["n"]), int(r["count"])) for r in rows}
    for (transform, place), (judged, changed) in stored.items():
        rate = f"{100 * changed / judged:.1f}%"
        assert re.search(rf"\| {transform} +\| {place} +\|.* {changed} \| +{rate}", told("md"))
        latex_rate = rate.replace("%", r"\%")
        assert re.search(rf"{transform} & {place} &.* {changed} & {latex_rate}", told("latex")) or (
            f"& {changed} & {latex_rate}" in told("latex")
        )
        assert re.search(rf"^{transform} {place} .* {rate}", told("table"), re.MULTILINE)


def test_a_report_is_the_same_each_time(folder: Path) -> None:
    run = study("run", write_corpus(folder / "corpus", files=3))
    for format in ("table", "json", "csv", "md", "latex", "junit", "github"):
        assert metamorph("report", run, "--format", format, "--out", "one") == 0
        assert metamorph("report", run, "--format", format, "--out", "two") == 0
        assert Path("one").read_bytes() == Path("two").read_bytes(), format
        assert Path("one").read_bytes().strip()


def test_a_report_is_written_whole_or_not_at_all(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = study("run", write_corpus(folder / "corpus", files=1))
    Path("taken").mkdir()
    capsys.readouterr()
    assert metamorph("report", run, "--format", "csv", "--out", "taken") == 2
    assert "taken: is a folder; name a file for --out" in capsys.readouterr().err
    assert metamorph("report", run, "--format", "csv", "--out", "missing/report.csv") == 2
    assert "missing/report.csv: cannot be written" in capsys.readouterr().err
    Path("real.csv").write_text("old")
    Path("link.csv").symlink_to("real.csv")
    assert metamorph("report", run, "--format", "csv", "--out", "link.csv") == 0
    assert Path("link.csv").is_symlink() and Path("real.csv").read_text().startswith("level,")
    assert metamorph("report", run, "--format", "csv", "--out", os.devnull) == 0
    assert not [name for name in os.listdir() if name.startswith(".")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_told(folder: Path) -> None:
    run = study("run", write_corpus(folder / "corpus", files=1))
    Path("closed").mkdir(mode=0o500)
    assert metamorph("report", run, "--format", "csv", "--out", "closed/report.csv") == 2


def test_a_run_of_another_version_is_refused_in_a_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = study("run", write_corpus(folder / "corpus", files=1))
    with sqlite3.connect(run / "results.sqlite") as connection:
        connection.execute("PRAGMA user_version = 1")
    for format in ("table", "json", "csv", "md", "latex", "junit", "github", "html"):
        capsys.readouterr()
        assert metamorph("report", run, "--format", format) == 2
        shown = capsys.readouterr()
        assert shown.err.count("\n") == 1 and "written by another version" in shown.err
    assert metamorph("shrink", run, "0:0:0") == 2


def test_a_run_without_variants_is_a_report_too() -> None:
    accounting = replace(summary().accounting, variants=0, answered=0, no_answer={})
    empty = replace(
        summary(), accounting=accounting, tally=tally([], []), by_length=[], examples=[]
    )
    assert "No variants: there is nothing to judge." in markdown.render(empty)
    assert "no variants: there is nothing to judge" in latex.render(empty)
    assert "total,,,variants,,0," in csv_report.render(empty)


def test_controls_stand_apart() -> None:
    run = summary()
    run = replace(run, tally=[replace(t, control=t.transform == "PS") for t in run.tally])
    text = markdown.render(run)
    assert text.index("## Changed predictions") < text.index("| VN") < text.index("## Controls")
    assert "| PS" in text[text.index("## Controls") : text.index("## Categories")]
    levels = {
        r["transform"]: r["level"]
        for r in csv.DictReader(csv_report.render(run).splitlines())
        if r["level"] in ("change", "control")
    }
    assert levels == {"VN": "change", "PS": "control"}


def test_markdown_shows_hostile_text_as_it_is() -> None:
    hostile = replace(example("VN", "all"), before="a|b <script>*x*\n# h", after="[l](u)`c`")
    text = markdown.render(replace(summary(), examples=[hostile]), judge(summary(), gates("0.1")))
    assert r"a\|b \<script\>\*x\* \# h became \[l\](u)\`c\`" in text
    assert markdown_text("\u202ex\x1b") == r"\\u202ex\\u001b"
    grid = Grid("t", ("name", "n"), (("a|b", "1"),))
    assert markdown_table(grid).splitlines()[-1].count("|") - 1 == 3


def test_latex_shows_hostile_text_as_it_is() -> None:
    assert latex_text(r"50% \a_b {x} #1 & $y$ ~^ <>|") == (
        r"50\% \textbackslash{}a\_b \{x\} \#1 \& \$y\$ \textasciitilde{}\textasciicircum{} "
        r"\textless{}\textgreater{}\textbar{}"
    )
    assert latex_text("11-15 --repeat") == "11--15 -{}-repeat"
    table = latex_table(Grid("t", ("a", "b"), (("x", "1"), ("[1]", "2"), ("*", "3"))))
    assert "\n{}[1] & 2 \\\\\n{}* & 3 \\\\\n" in table


def test_a_long_latex_table_goes_over_pages() -> None:
    rows = tuple((f"r{n}", str(n)) for n in range(60))
    assert r"\begin{longtable}" in latex_table(Grid("t", ("a", "b"), rows))
    assert r"\begin{longtable}" not in latex_table(Grid("t", ("a", "b"), rows[:40]))


def test_csv_quotes_what_must_be_quoted() -> None:
    assert csv_text(("a", "b"), [('x,"y', None), ("1\n2", 0.5)]) == 'a,b\n"x,""y",\n1 2,0.5\n'
