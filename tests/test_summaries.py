"""Summaries of runs: projects, lengths, ranks, and runs with little or nothing in them."""

import json
import sqlite3
from pathlib import Path

import pytest
from studies import metamorph, study, write_corpus, write_models

from metamorph.corpus.projects import project_of
from metamorph.errors import UserError
from metamorph.runs.summary import summarise

MODEL = "python:models_for_tests:word"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the models of the tests."""
    write_models(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "roots", "project"),
    [
        ("data/hadoop/src/A.java", ["data"], "hadoop"),
        ("data/hadoop/src/A.java", ["data/"], "hadoop"),
        ("./hadoop/A.java", ["."], "hadoop"),
        ("data/A.java", ["data"], ""),
        ("A.java", ["A.java"], ""),
        ("all.zip!/hadoop/A.java", ["all.zip"], "hadoop"),
        ("methods.jsonl:7", ["methods.jsonl"], ""),
        ("one/src/A.java", ["one", "two"], "one"),
        ("two.zip!/src/A.java", ["one", "two.zip"], "two.zip"),
        ("A.java", ["A.java", "B.java"], ""),
        ("data2/hadoop/A.java", ["data", "data2"], "data2"),
        ("copied/A.java", ["suite"], ""),
    ],
)
def test_a_project_is_a_folder_below_the_path_or_a_path(
    path: str, roots: list[str], project: str
) -> None:
    assert project_of(path, roots) == project


def test_records_tell_their_project(folder: Path) -> None:
    code = "int f(int first, int second) { int sum = first + second; return sum; }"
    lines = [{"code": code, "project": "p"}, {"code": code, "repo": "a/b"}, {"code": code}]
    (folder / "m.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    summary = summarise(study("run", "m.jsonl"))
    assert [row.project for row in summary.by_project] == ["", "a/b", "p"]
    assert (summary.clusters.kind, summary.clusters.projects) == ("original", 3)


def test_many_projects_are_the_clusters(folder: Path) -> None:
    for number in range(10):
        write_corpus(folder / "src" / f"p{number}", 2)
    summary = summarise(study("run", "src"))
    assert (summary.clusters.kind, summary.clusters.projects) == ("project", 10)
    assert [row.change.clusters for row in summary.tally] == [10]
    assert len(summary.by_project) == 10


def test_blocks_count_as_statements_where_that_is_asked_for(folder: Path) -> None:
    write_corpus(folder / "src", 3)
    run = study("run", "src")
    (plain,), (blocks,) = (summarise(run, count_blocks=asked).by_length for asked in (False, True))
    assert (plain.bin, blocks.bin) == ("1-5", "6-10"), "five statements, and two blocks"
    assert (plain.originals, plain.changed) == (blocks.originals, blocks.changed)


def test_ranks_and_scores_are_those_of_the_stored_candidates(folder: Path) -> None:
    write_corpus(folder / "src", 4)
    arguments = ("--model", "code2vec", "--transform", "VN", "--out", "run")
    assert metamorph("run", "src", *arguments) == 0
    (moves,) = summarise(Path("run")).moves
    connection = sqlite3.connect(Path("run", "results.sqlite"))
    query = (
        "SELECT m.label, m.score, v.score, v.candidates, v.rank "
        "FROM variants v JOIN methods m USING (file, method)"
    )
    rows = connection.execute(query).fetchall()
    connection.close()
    ranks, gains = [], []
    for label, before, after, candidates, rank in rows:
        names = [name for name, _ in json.loads(candidates)]
        ranks.append(names.index(label) + 1 if label in names else 0)
        gains.append(after - before)
        assert rank == ranks[-1]
    assert len(set(ranks)) > 1
    assert (moves.ranked, moves.scored) == (len(rows), len(rows))
    assert (moves.kept, moves.near) == (ranks.count(1), sum(rank > 0 for rank in ranks))
    assert moves.score_change == pytest.approx(sum(gains) / len(gains))
    shares = [1 / rank if rank else 0 for rank in ranks]
    assert moves.reciprocal_rank == pytest.approx(sum(shares) / len(shares))


def test_the_originals_are_scored_once_each(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(folder / "src", 2)
    summary = summarise(study("run", "src", "--place", "both"))
    assert summary.originals is not None
    assert (summary.originals.asked, summary.originals.answered, summary.originals.graded) == (
        8,
        8,
        8,
    )
    assert summary.originals.scores is not None
    assert summary.originals.right.value == summary.originals.accuracy
    assert summary.originals.right.clusters == 8
    assert summary.originals.f1.value == pytest.approx(summary.originals.scores.f1)
    total = summary.originals.scores.right + summary.originals.scores.missed
    assert total >= 8
    share = f"{100 * summary.originals.correct / 8:.1f}% of 8 methods answered right"
    for name, part in (
        ("table", share),
        ("md", "methods as they stand"),
        ("csv", "originals,,,f1"),
    ):
        capsys.readouterr()
        assert metamorph("report", "run", "--format", name) == 0
        assert part in capsys.readouterr().out


def test_a_corpus_without_sites_has_a_summary_without_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "A.java").write_text("class A { void f() { } }")
    summary = summarise(study("run", "A.java"))
    (row,) = summary.tally
    assert (row.variants, row.change_rate, row.interval, row.macro.value) == (0, None, None, None)
    assert summary.by_length == summary.by_project == summary.single_all == summary.moves == []
    for name in ("table", "json", "csv", "md", "latex", "html", "junit", "github"):
        assert metamorph("report", "run", "--format", name) == 0
    assert "nothing to judge" in capsys.readouterr().out


def test_one_method_alone_has_rates_but_no_interval(folder: Path) -> None:
    write_corpus(folder / "src", 1, 1)
    (row,) = summarise(study("run", "src")).tally
    assert row.change.clusters == 1 and row.change_rate is not None
    assert row.interval is None and row.macro.interval is None and row.cip.interval is None


def test_a_run_without_an_answer_has_accounts_but_no_rates(folder: Path) -> None:
    write_corpus(folder / "src", 2)
    arguments = ("--model", "python:models_for_tests:silent", "--transform", "VN", "--out", "run")
    assert metamorph("run", "src", *arguments) == 3
    summary = summarise(Path("run"))
    (row,) = summary.tally
    assert row.variants == row.no_answer == summary.accounting.variants > 0
    assert (row.change_rate, row.noise_floor, row.subtokens) == (None, None, None)
    assert summary.originals is not None and summary.originals.accuracy is None


def test_half_a_run_is_summarised_as_far_as_it_is(folder: Path) -> None:
    write_corpus(folder / "src", 6)
    run = study("run", "src")
    whole = summarise(run).tally[0]
    connection = sqlite3.connect(run / "results.sqlite")
    with connection:
        for table in ("files", "methods", "variants", "refusals", "spending"):
            connection.execute(f"DELETE FROM {table} WHERE file > 2")
    connection.close()
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps(manifest | {"complete": False}))
    half = summarise(run)
    assert not half.complete and half.accounting.files == 3
    assert 0 < half.tally[0].variants < whole.variants


def test_a_run_of_an_older_version_is_one_clear_line(folder: Path) -> None:
    write_corpus(folder / "src", 1)
    run = study("run", "src")
    connection = sqlite3.connect(run / "results.sqlite")
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(UserError, match=r"schema 2, not 4\); repeat the run$"):
        summarise(run)


def test_a_plan_without_what_was_judged_is_one_clear_line(folder: Path) -> None:
    run = study("run", write_corpus(folder / "src", 1))
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["settings"]["plan"] = []
    (run / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(UserError, match=r"^VN single: variants of it were judged, but"):
        summarise(run)
