"""Totals: the table, JSON, CSV, HTML and Markdown tell what SQL counts in the store."""

import csv
import html
import io
import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from studies import metamorph, study, write_corpus, write_models

COUNTS = """
SELECT transform, place, COUNT(DISTINCT file * 1000 + method), COUNT(*),
       COUNT(category), SUM(COALESCE(category IN ('CIP', 'WCP', 'WWDP', 'changed'), 0)),
       SUM(status = 'no_answer'), SUM(status = 'inconclusive')
FROM variants WHERE status != 'broken' GROUP BY 1, 2
"""
CATEGORIES = "SELECT transform, place, category, COUNT(*) FROM variants GROUP BY 1, 2, 3"

Pair = tuple[str, str]


@pytest.fixture(scope="module", params=["shy", "unsteady", "silent", "classify"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run of a model that answers, not always, now so and now so, never, or without a gold."""
    folder = tmp_path_factory.mktemp(request.param)
    write_models(folder)
    for project, files in (("one", 7), ("two", 5)):
        write_corpus(folder / "src" / project, files)
    (folder / "src" / "broken.java").write_text("class {")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        options = ["--place", "both", "--controls"]
        options += ["--repeat", "3"] if request.param == "unsteady" else []
        options += ["--task", "label"] if request.param == "classify" else []
        if request.param == "silent":
            arguments = ("--model", "python:models_for_tests:silent", "--transform", "VN,LX,TC")
            assert metamorph("run", "src", *options, *arguments, "--out", "run") == 3
        else:
            study("run", "src", *options, model=request.param, transform="VN,LX,TC")
        yield folder / "run"


def queried(run: Path, query: str) -> list[tuple[object, ...]]:
    """The rows of a query of the store."""
    connection = sqlite3.connect(run / "results.sqlite")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def counted(run: Path) -> dict[Pair, tuple[int, ...]]:
    """(originals, variants, judged, changed, silent, inconclusive) of each row of the tally."""
    return {(str(t), str(p)): tuple(map(int, rest)) for t, p, *rest in queried(run, COUNTS)}  # type: ignore[call-overload]


def told(run: Path, format: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The report in a format."""
    capsys.readouterr()
    assert metamorph("report", run, "--format", format) == 0
    return capsys.readouterr().out


def test_json_tells_what_sql_counts(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(told(run, "json", capsys))
    names = ("originals", "variants", "judged", "changed", "no_answer", "inconclusive")
    found = {
        (row["transform"], row["place"]): tuple(row[name] for name in names)
        for row in report["tally"]
    }
    offered = {pair: counts for pair, counts in found.items() if counts[1]}
    assert offered == counted(run)
    assert len(offered) == 7
    results = {
        (row["transform"], row["place"], name): count
        for row in report["tally"]
        for name, count in {**row["categories"], **row["without_gold"]}.items()
        if count
    }
    categories = {(t, p, c): n for t, p, c, n in queried(run, CATEGORIES) if c is not None}
    assert results == categories
    accounting = report["accounting"]
    statuses = dict(queried(run, "SELECT status, COUNT(*) FROM variants GROUP BY 1"))
    assert accounting["variants"] == sum(int(str(n)) for n in statuses.values())
    assert accounting["no_answer"] == statuses.get("no_answer", 0)
    assert accounting["inconclusive"] == statuses.get("inconclusive", 0)
    assert accounting["answered"] == accounting["variants"] - accounting["no_answer"]
    assert (accounting["files"], accounting["files_unparsable"]) == (13, 1)


def test_parts_add_up_to_the_whole(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(told(run, "json", capsys))
    wholes = {(row["transform"], row["place"]): row for row in report["tally"]}
    for parts in (report["by_length"], report["by_project"]):
        for pair, whole in wholes.items():
            mine = [part for part in parts if (part["transform"], part["place"]) == pair]
            for name in ("originals", "variants", "judged", "changed"):
                assert sum(part[name] for part in mine) == whole[name]
    assert {part["project"] for part in report["by_project"]} == {"one", "two"}


def test_parts_by_copies_add_up_to_the_whole(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert metamorph("report", run, "--format", "json", "--train-corpus", "src/one/C000.java") == 0
    report = json.loads(capsys.readouterr().out)
    found = report["by_duplicate"]
    for whole in report["tally"]:
        pair = (whole["transform"], whole["place"])
        mine = [part for part in found["tally"] if (part["transform"], part["place"]) == pair]
        for name in ("originals", "variants", "judged", "changed"):
            assert sum(part[name] for part in mine) == whole[name]
    assert sum(part["methods"] for part in found["originals"]) == report["accounting"]["methods"]
    rights = [part["correct_rate"] for part in found["originals"]]
    assert sum(right["of"] for right in rights) == report["originals"]["graded"]
    assert sum(right["count"] for right in rights) == report["originals"]["correct"]
    methods = {part["copied"]: part["methods"] for part in found["originals"]}
    assert methods == {"file": 8, "untold": 40}, "C000 of both projects; methods are small"


def test_csv_tells_what_sql_counts(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = list(csv.DictReader(io.StringIO(told(run, "csv", capsys))))
    changes = {
        (line["transform"], line["place"]): (
            int(line["originals"]),
            int(line["n"]),
            int(line["count"]),
        )
        for line in lines
        if line["level"] in ("change", "control")
    }
    expected = {pair: (n[0], n[2], n[3]) for pair, n in counted(run).items()}
    assert {pair: counts for pair, counts in changes.items() if counts[0]} == expected


def cells(page: str) -> list[list[str]]:
    """The text of every cell of every row of a page's tables."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.S)
    split = (re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S) for row in rows)
    return [[html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in row] for row in split]


def test_html_tells_what_sql_counts(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = cells(told(run, "html", capsys))
    for (transform, place), numbers in counted(run).items():
        row = next(r for r in found if r[0].split()[:1] == [transform] and place in r[1:2])
        assert row[2:6] == [f"{n:,}" for n in numbers[:4]]


def test_the_table_and_markdown_tell_what_sql_counts(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = [line.split() for line in told(run, "table", capsys).splitlines()]
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in told(run, "md", capsys).splitlines()
    ]
    for (transform, place), numbers in counted(run).items():
        shown = [f"{n:,}" for n in numbers]
        assert any(line[:4] == [transform, place, *shown[:2]] for line in table)
        assert any(row[:4] == [transform, place, *shown[:2]] and shown[3] in row for row in rows)
