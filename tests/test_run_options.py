"""Options of models in runs: tasks and their right answers, what is stored, what is refused."""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from servers import Answer, Request, serving, told
from studies import MODEL, study, write_corpus
from studies import metamorph as cli

from metamorph.runs.summary import summarise

pytestmark = pytest.mark.usefixtures("folder")


def write_records(folder: Path, labels: Sequence[object]) -> Path:
    """A JSONL corpus of methods with these labels; None for none."""
    body = "int sum{0}(int first, int second) {{ int all = first + second; return all + {0} + 1; }}"
    path = folder / "records.jsonl"
    records = [
        {"code": body.format(n)} | ({} if label is None else {"target": label})
        for n, label in enumerate(labels)
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def test_labels_of_the_corpus_are_the_right_answers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_records(folder, ["risky", "safe", None])
    summary = summarise(study("out", corpus, "--task", "label", model="classify"))
    (tally,) = summary.tally
    assert tally.categories == {"CCP": 3, "CIP": 0, "WWSP": 3, "WCP": 0, "WWDP": 0}
    assert tally.without_gold == {"same": 3, "changed": 0}
    assert summary.accounting.without_gold == 3 and summary.task == "label"
    out = capsys.readouterr().out
    assert "task label" in out and "no gold" in out and "tells no right answers" not in out


def expected(run: Path) -> dict[tuple[int, str], str | None]:
    """The right answer of each method that is stored, by its file's number and its name."""
    query = "SELECT file, name, expected FROM methods ORDER BY file, method"
    with sqlite3.connect(run / "results.sqlite") as connection:
        return {(file, name): label for file, name, label in connection.execute(query)}


def test_numbers_and_truth_values_are_labels_too(folder: Path) -> None:
    study(
        "out", write_records(folder, [1, True, 0, {"no": 1}]), "--task", "label", model="classify"
    )
    assert list(expected(folder / "out").values()) == ["1", "true", "0", None]


def test_a_label_is_that_of_the_one_method_which_holds_all_others(folder: Path) -> None:
    inner = "Object f(int n) { return new Object() { int g(int m) { return m; } }; }"
    beside = "class A { int f(int n) { return n; } int g(int m) { return m; } }"
    records = [{"code": code, "label": "x"} for code in (inner, beside)]
    (folder / "c.jsonl").write_text("\n".join(map(json.dumps, records)))
    study("out", folder / "c.jsonl", "--task", "label", model="classify")
    assert expected(folder / "out") == {
        (0, "f"): "x",
        (0, "g"): None,
        (1, "f"): None,
        (1, "g"): None,
    }


def test_without_labels_changes_are_counted_all_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "src", files=2)
    summary = summarise(study("out", corpus, "--task", "label"))
    (tally,) = summary.tally
    assert sum(tally.categories.values()) == 0
    assert tally.without_gold["changed"] == tally.changed > 0
    assert tally.change_rate == tally.changed / 40
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("tells no right answers") == 1
    assert "noise same, changed, no an-" in out and "CCP" not in out


def test_an_answer_that_names_a_variable_follows_its_renaming(folder: Path) -> None:
    corpus = write_records(folder, ["first", "first"])
    plain = summarise(study("plain", corpus, "--task", "label", model="parameter"))
    named = summarise(study("named", corpus, "--task", "label:names", model="parameter"))
    assert plain.tally[0].categories["CIP"] == 2 and plain.tally[0].changed == 2
    assert named.tally[0].categories["CCP"] == 6 and named.tally[0].changed == 0


def words(request: Request) -> Answer:
    """A server that always says the same, in its own protocol and in that of chats."""
    body: Any = request.body
    ids = [program["id"] for program in body.get("programs", [])] if body else []
    choice = {"index": 0, "message": {"content": "word"}, "finish_reason": "stop"}
    entries = [{"id": id, "label": "word"} for id in ids]
    return told({"predictions": entries, "choices": [choice]})


def test_headers_are_stored_by_name_alone(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=1)
    secrets = ("--header", "X-Key=hunter2", "--header=Other=hunter3")
    with serving(words) as server:
        asked = ("--model", server.url, "--transform", "VN", "--out", "out")
        assert cli("run", corpus, *asked, *secrets) == 0
    stored = b"".join(path.read_bytes() for path in (folder / "out").iterdir())
    assert b"hunter" not in stored
    manifest = json.loads((folder / "out" / "manifest.json").read_text())
    assert manifest["options"]["headers"] == ["other", "x-key"]
    assert "--header X-Key=... --header=Other=..." in manifest["command"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("--task", "text"), "--task was method-name, now text"),
        (("--equality", "ignore-case"), "--equality was not given, now ignore-case"),
        (("--max-tokens", "9"), "--max-tokens was 64, now 9"),
        (("--header", "A=b"), "--header was none, now a"),
        (("--model-arg", "k=2"), "--model-arg was"),
        (("--prompt", "prompt.txt"), "--prompt was not given, now sha256"),
    ],
)
def test_a_run_does_not_go_on_with_other_options(
    folder: Path, capsys: pytest.CaptureFixture[str], change: tuple[str, str], named: str
) -> None:
    (folder / "prompt.txt").write_text("Name {code}")
    corpus = write_corpus(folder / "src", files=1)
    with serving(words) as server:
        model = ("--model", "openai:m", "--base-url", server.url)
        options = (*model, "--transform", "VN", "--out", "out")
        assert cli("run", corpus, *options) == 0
        assert cli("run", corpus, *options, "--resume", *change) == 2
        assert named in capsys.readouterr().err
        pace = ("--timeout", "5", "--retries", "0", "--no-cache")
        assert cli("run", corpus, *options, "--resume", *pace) == 0


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (("--header", "secret"), "not of the form NAME=VALUE"),
        (("--header", "A=secret\nB"), "one line"),
        (("--model-arg", "k"), "not of the form NAME=VALUE"),
        (("--price-in", "cheap"), "not a number from 0 up"),
        (("--price-out",), "expected one argument"),
        (("--price-in", "-1"), ""),
        (("--timeout", "0"), "seconds above 0"),
        (("--retries", "-1"), ""),
        (("--base-url", "ftp://x"), "not an http or https address"),
        (("--base-url", "http://me:secret@127.0.0.1/"), "--header"),
        (("--task", "poetry"), "unknown task"),
        (("--equality", "similarity:0.5"), "does not suit the task"),
        (("--prompt", "prompt.txt"), "python takes no --prompt"),
        (("--model", "openai:m", "--base-url", "http://x", "--prompt", "nowhere.txt"), "nowhere"),
        (("--model", "code2vec", "--task", "label"), "--task method-name alone"),
    ],
)
def test_bad_options_are_told_in_one_line_without_secrets(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], fault: str
) -> None:
    corpus = write_corpus(folder / "src", files=1)
    command = ("run", corpus, "--model", f"{MODEL}word", "--transform", "VN")
    assert cli(*command, *words) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and fault in err and "secret" not in err
