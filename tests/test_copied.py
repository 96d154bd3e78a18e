"""Runs whose model's training corpus is told: what methods are copies of it, and the difference."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from studies import MODEL, column, metamorph, rows, study, write_corpus, write_models

from metamorph.oracles.bootstrap import Resampling
from metamorph.oracles.copied import COPIED, copy_scores, copy_tallies, parts_of
from metamorph.oracles.counts import Counted, collect, key_of
from metamorph.oracles.rates import apart, rate

COMMON = "abcdefghijklmnopqrstuvwxyz"


def method(name: str, words: str) -> str:
    """A method with a local variable; two with the same 23 of 26 words are near-copies."""
    calls = " ".join(f"{word}{word}(total);" for word in words)
    return f"int {name}(int first) {{ int total = first + 1; {calls} return total; }}"


SMALL = "int tiny(int first) { int own = first; return own; }"
TRAIN = f"class Known {{ {method('sum', COMMON)} {method('other', COMMON.upper())} }}"
TEST = {
    "Near.java": TRAIN.replace("other", "another") + f"class Extra {{ {SMALL} }}",
    "Part.java": "class Part {"
    + method("copied", COMMON[:25])
    + method("fresh", "ABCDEFG" + COMMON[::2].upper() * 3 + "klmnopqrstuvw")
    + SMALL
    + "}",
    "Alone.java": f"class Alone {{ {method('own', 'XYZxyz' * 3)} }}",
}


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`train`, and `test` with a copied file, a copied method in another file, and others."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    write_models(tmp_path)
    (tmp_path / "train").mkdir()
    (tmp_path / "train" / "Known.java").write_text(TRAIN, "utf-8")
    (tmp_path / "test").mkdir()
    for name, text in TEST.items():
        (tmp_path / "test" / name).write_text(text, "utf-8")
    return tmp_path


def statuses(run: Path) -> dict[str, str]:
    """What each method of a run is, by `File.method`."""
    with sqlite3.connect(run / "results.sqlite") as connection:
        found = connection.execute(
            "SELECT f.path, m.name, c.copied FROM copies c JOIN methods m USING (file, method) "
            "JOIN files f USING (file)"
        )
        return {f"{Path(path).stem}.{name}": copied for path, name, copied in found}


def report(run: Path, capsys: pytest.CaptureFixture[str], *more: object) -> dict[str, object]:
    """A run's report."""
    capsys.readouterr()
    assert metamorph("report", run, "--format", "json", *more) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_each_method_is_a_copy_or_in_a_copied_file_or_neither_or_untold(corpora: Path) -> None:
    run = study("run", "test", "--train-corpus", "train")
    assert statuses(run) == {
        "Near.sum": "method",
        "Near.another": "method",
        "Near.tiny": "file",
        "Part.copied": "method",
        "Part.fresh": "none",
        "Part.tiny": "untold",
        "Alone.own": "none",
    }


def test_files_over_the_limits_are_left_out_by_name(
    corpora: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (corpora / "train" / "Angles.java").write_text("A<" * 9_000)
    told = study("told", "test", "--train-corpus", "train", transform="VN")
    untold = study("untold", "test", transform="VN")
    assert statuses(told)["Part.copied"] == "method"
    for each in (report(told, capsys), report(untold, capsys, "--train-corpus", "train")):
        assert "time-limit: train/Angles.java" in json.dumps(each["notes"])


def test_a_file_with_a_copy_of_itself_in_training_is_a_copy(corpora: Path) -> None:
    run = study("run", "test", "--train-corpus", "test")
    assert statuses(run)["Alone.own"] == "method"
    assert statuses(run)["Part.tiny"] == "file"


def test_workers_limits_suites_and_going_on_change_nothing(corpora: Path) -> None:
    train = ("--train-corpus", "train")
    whole = statuses(study("whole", "test", *train))
    assert statuses(study("two", "test", *train, "--workers", 2)) == whole
    limited = statuses(study("few", "test", *train, "--limit", 2))
    assert len(limited) == 2 and limited.items() <= whole.items()
    cut = study("cut", "test", *train, "--limit", 2)
    assert metamorph("suite", "build", "test", "--transform", "VN", "--out", "suite") == 0
    suite = statuses(study("suited", "suite", *train))
    assert sorted(suite.values()) == sorted(whole.values())
    before = rows(cut)
    assert metamorph(*resumed("cut", *train, "--limit", 2)) == 0
    assert rows(cut) == before


def resumed(out: str, *more: object) -> tuple[object, ...]:
    """The arguments that go on with a run."""
    asked = ("--model", f"{MODEL}word", "--transform", "VN", "--out", out, "--resume")
    return "run", "test", *asked, *more


def test_a_run_goes_on_only_with_the_training_corpus_that_it_was_told(
    corpora: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study("run", "test", "--train-corpus", "train", "--limit", 2)
    assert metamorph(*resumed("run", "--limit", 2)) == 2
    assert "--train-corpus was train, now none" in capsys.readouterr().err
    (corpora / "train" / "New.java").write_text("class New { }", "utf-8")
    assert metamorph(*resumed("run", "--limit", 2, "--train-corpus", "train")) == 2
    assert "the training corpus changed" in capsys.readouterr().err


def test_a_finished_run_is_told_its_training_corpus_by_report(
    corpora: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = report(study("told", "test", "--train-corpus", "train"), capsys)
    late = study("late", "test")
    assert report(late, capsys)["by_duplicate"] is None
    assert report(late, capsys, "--train-corpus", "train")["by_duplicate"] == told["by_duplicate"]
    assert column(late, "copies", "copied") == [], "report writes nothing"
    (corpora / "test" / "New.java").write_text("class New { }", "utf-8")
    assert metamorph("report", late, "--train-corpus", "train") == 2
    assert "test: not what the run read" in capsys.readouterr().err
    assert metamorph("report", late, "--train-corpus", "gone") == 2
    assert "gone: no such file or folder" in capsys.readouterr().err


def test_the_paper_and_a_corpus_without_java_are_refused(
    corpora: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (corpora / "empty").mkdir()
    asked = ("run", "test", "--model", f"{MODEL}word", "--transform", "VN", "--train-corpus")
    assert metamorph(*asked, "empty") == 2
    assert "no Java there; name another --train-corpus" in capsys.readouterr().err
    (corpora / "tokens.jsonl").write_text('{"filename": "A", "tokens": ["a"]}\n', "utf-8")
    assert metamorph(*asked, "tokens.jsonl") == 2
    assert "a token list has no methods" in capsys.readouterr().err
    assert not (corpora / "metamorph-run").exists(), "nothing is begun"
    assert metamorph("report", "r", "--paper", "--out", "p", "--train-corpus", "train") == 2
    assert "--paper has no table by copies" in capsys.readouterr().err


@pytest.mark.parametrize("format", ["table", "md", "latex", "html", "csv"])
def test_every_format_tells_of_copies(
    format: str, corpora: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = study("run", write_corpus(corpora / "more"), "test", "--train-corpus", "train")
    capsys.readouterr()
    assert metamorph("report", run, "--format", format) == 0
    out = capsys.readouterr().out
    if format == "csv":
        assert "copies,VN,single,method," in out and "copies,,,none right," in out
        return
    assert "copies of the training corpus" in out and "in copied files" in out
    assert max(len(line) for line in out.splitlines()) <= 80 or format != "table"


def outcomes(
    rng: np.random.Generator, rates: dict[str, float], size: int
) -> tuple[list[Counted], list[tuple[int, int, str]]]:
    """Outcomes of so many originals of each kind, and what they are."""
    counted, what = [], []
    for file, (name, share) in enumerate(rates.items()):
        for original in range(size):
            what.append((file, original, name))
            fragile = rng.beta(2 * share, 2 * (1 - share))
            for _ in range(1 + rng.poisson(2)):
                result = "CIP" if rng.random() < fragile else "CCP"
                counted.append(Counted("VN", "single", (file, original), 5, result, 1))
    return counted, what


def test_parts_are_counted_once_each_and_compared_with_none() -> None:
    rows = [
        Counted("VN", "single", (0, 0), 5, "CIP", 2),
        Counted("VN", "single", (0, 1), 5, "CCP", 3),
        Counted("VN", "single", (1, 0), 5, "WWDP", 1),
        Counted("VN", "single", (1, 0), 5, "CCP", 3),
        Counted("VN", "single", (2, 7), 5, "no_answer", 4),
    ]
    copied = parts_of([(0, 0, "method"), (0, 1, "file"), (1, 0, "none"), (2, 7, "none")])
    found = {row.copied: row for row in copy_tallies(collect(rows, [("VN", "single")]), copied, 0)}
    assert list(found) == ["method", "file", "none"], "in order, none without originals"
    assert [(r.originals, r.variants, r.judged, r.changed) for r in found.values()] == [
        (1, 2, 2, 2),
        (1, 3, 3, 0),
        (2, 8, 4, 1),
    ]
    assert found["method"].less_none.value == 0.75 and found["file"].less_none.value == -0.25
    assert found["none"].less_none.value is None


def test_scores_count_methods_that_were_not_asked_too() -> None:
    copied = parts_of([(0, 0, "method"), (0, 1, "method"), (0, 2, "none"), (0, 3, "untold")])
    keys = np.array([key_of(0, 0), key_of(0, 2)])
    right = np.array([1, 0])
    found = copy_scores(keys, right, np.arange(2), copied, 0)
    assert [(row.copied, row.methods, row.right.hits, row.right.of) for row in found] == [
        ("method", 2, 1, 1),
        ("none", 1, 0, 1),
        ("untold", 1, 0, 0),
    ]
    assert found[0].less_none.value == 1


def test_intervals_of_the_difference_hold_the_true_one_as_often_as_they_say() -> None:
    rng = np.random.default_rng(3)
    held, rounds = 0, 200
    for _ in range(rounds):
        counted, what = outcomes(rng, {"method": 0.4, "none": 0.25}, 60)
        tables = collect(counted, [("VN", "single")])
        (row, _) = copy_tallies(tables, parts_of(what), 0)
        low, high = row.less_none.interval or (1, 0)
        held += low <= 0.15 <= high
    assert 0.91 <= held / rounds <= 0.99


def test_a_side_of_which_nothing_changed_leaves_the_difference_its_doubt() -> None:
    draws = Resampling(np.arange(30))
    one = rate(draws, np.array([1, 0] * 15), np.ones(30, np.int64))
    few = rate(Resampling(np.arange(3)), np.zeros(3, np.int64), np.ones(3, np.int64))
    low, high = apart(one, few, (-0.7, -0.3)) or (0, 0)
    assert low == pytest.approx(-0.5 - (one.interval or (0, 0))[1] + 0.5)
    assert high > 0, "three alike tell little"
    assert apart(one, one, (-0.1, 0.1)) == (-0.1, 0.1)
    assert apart(one, rate(draws, np.zeros(30), np.zeros(30)), None) is None
    assert COPIED == ("method", "file", "none", "untold")
