"""Runs: the same rows whatever the workers and the order; every input accounted for."""

import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from studies import MODEL, rows, study, write_corpus
from studies import metamorph as cli

import metamorph.transforms
from metamorph.errors import UserError
from metamorph.runs import manifest as manifests
from metamorph.runs import store
from metamorph.runs.summary import summarise

pytestmark = pytest.mark.usefixtures("folder")


def test_every_input_is_accounted_for(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=3)
    (corpus / "Bad.java").write_text("class Bad {\n int f( { }\n}\n")
    (corpus / "Gone.java").symlink_to("nowhere")
    (corpus / "None.java").write_text("class None { int one() { return 1; } }")
    summary = summarise(study("out", corpus))
    accounting = summary.accounting
    assert accounting.files == 6
    assert accounting.unparsable == {"syntax-error": 1, "dangling-link": 1}
    assert (accounting.methods, accounting.methods_without_site) == (13, 1)
    (tally,) = summary.tally
    assert accounting.variants == accounting.answered == tally.variants == 12 * 5
    assert not accounting.no_answer and not accounting.broken
    assert tally.originals == 12
    assert 0 < tally.changed < tally.judged
    (example,) = summary.examples
    assert example.before != example.after and example.names
    assert example.path.endswith(".java") and example.method.startswith("C")
    ((line,),) = sqlite3.connect("out/results.sqlite").execute(
        "SELECT line FROM files WHERE path LIKE '%Bad%'"
    )
    assert line == 2


def test_a_variant_is_stored_so_that_anyone_can_make_it_again(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=1, methods=1)
    study("out", corpus)
    source = (corpus / "C000.java").read_bytes()
    stored = sqlite3.connect("out/results.sqlite").execute(
        "SELECT sites, line, names, edits FROM variants ORDER BY variant"
    )
    for number, (sites, line, names, edits) in enumerate(stored):
        assert json.loads(sites) == [number]
        ((old, new),) = json.loads(names).items()
        assert new == "var0" and old in source.decode().splitlines()[line - 1]
        spans = json.loads(edits)
        assert spans and all(source[a:b].decode() == old and t == new for a, b, t in spans)


def test_two_runs_of_one_seed_hold_the_same_rows(folder: Path) -> None:
    corpus = write_corpus(folder / "src")
    one, two = (study(out, corpus, "--place", "random", "--seed", 7) for out in ("one", "two"))
    assert rows(one) == rows(two)


def test_another_seed_chooses_other_sites(folder: Path) -> None:
    corpus = write_corpus(folder / "src")
    one, two = (study(f"out{s}", corpus, "--place", "random", "--seed", s) for s in (1, 2))
    assert rows(one)["methods"] == rows(two)["methods"]
    assert rows(one)["variants"] != rows(two)["variants"]


def test_random_choices_do_not_depend_on_where_the_corpus_lies(folder: Path) -> None:
    one = study("one", write_corpus(folder / "src"), "--place", "random")
    two = study("two", write_corpus(folder / "else" / "where"), "--place", "random")
    assert rows(one)["variants"] == rows(two)["variants"]


@pytest.mark.parametrize("options", [(), ("--limit", "70"), ("--repeat", "2", "--place", "both")])
def test_the_number_of_workers_changes_no_row(folder: Path, options: tuple[str, ...]) -> None:
    corpus = write_corpus(folder / "src", files=40)
    one = study("one", corpus, *options)
    two = study("two", corpus, "--workers", 2, *options)
    assert rows(one) == rows(two)
    assert manifests.read(one)["counts"] == manifests.read(two)["counts"]


def test_a_limit_takes_the_first_methods(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=5, methods=4)
    limited = rows(study("limited", corpus, "--limit", 6))
    everything = rows(study("everything", corpus))
    assert len(limited["files"]) == 2 and len(limited["methods"]) == 6
    assert set(limited["variants"]) < set(everything["variants"])


def test_both_places_are_studied_in_one_run(folder: Path) -> None:
    summary = summarise(study("out", write_corpus(folder / "src", files=2), "--place", "both"))
    assert [(t.place, t.variants) for t in summary.tally] == [("single", 40), ("all", 8)]


def test_a_silent_model_is_neither_wrong_nor_steady(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "src", files=2)
    options = ("--model", f"{MODEL}silent", "--transform", "VN", "--out", "out")
    assert cli("run", corpus, *options) == 3
    assert "answered none of 40 variants" in capsys.readouterr().err
    summary = summarise(folder / "out")
    assert summary.accounting.no_answer == {"original: no-answer": 40}
    assert (summary.accounting.variants, summary.accounting.answered) == (40, 0)
    assert summary.tally[0].change_rate is None and summary.tally[0].judged == 0


def test_a_missing_answer_is_a_row_of_its_own(folder: Path) -> None:
    summary = summarise(study("out", write_corpus(folder / "src", files=2), model="shy"))
    assert summary.accounting.no_answer == {"no-answer": 8}
    assert (summary.accounting.variants, summary.accounting.answered) == (40, 32)


FAULTY = '''
"""A transformation with faults of every kind."""
from metamorph.java.edits import Edit
from metamorph.java.sites import Site

CODE = "XX"
NAME = "faulty"
PLACES = ("single", "all")


def sites(method, choices):
    if method.name == "crash":
        raise IndexError("out of range")
    at = method.tree.start[method.body]
    yield Site(CODE, 0, at, (Edit(at, at + 1, b"{ ) "),))
    yield Site(CODE, 1, at, (Edit(at, at + 1, b"{"),))
    yield Site(CODE, 2, at, (Edit(at, at + 1, b"{ ;"),))
'''


@pytest.fixture
def faulty(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The faulty transformation among the others, found as they are."""
    (folder / "more").mkdir()
    (folder / "more" / "faulty.py").write_text(FAULTY)
    places = [*metamorph.transforms.__path__, str(folder / "more")]
    monkeypatch.setattr(metamorph.transforms, "__path__", places)
    metamorph.transforms._modules.cache_clear()
    yield
    metamorph.transforms._modules.cache_clear()
    sys.modules.pop("metamorph.transforms.faulty", None)


@pytest.mark.usefixtures("faulty")
def test_a_faulty_transformation_shows_and_stops_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "A.java").write_text("class A { void f() { } void crash() { } }")
    summary = summarise(study("out", folder / "A.java", "--place", "both", transform="XX"))
    assert summary.accounting.broken == {
        "IndexError (faulty.py:13)": 2,
        "OverlapError": 1,
        "nothing-changed": 1,
        "the variant has a syntax error": 1,
    }
    assert summary.accounting.variants == 1
    assert "BROKEN" in capsys.readouterr().out


@pytest.mark.usefixtures("faulty")
def test_without_a_check_a_variant_that_does_not_parse_is_asked_all_the_same(folder: Path) -> None:
    (folder / "A.java").write_text("class A { void f() { } }")
    summary = summarise(study("out", folder / "A.java", "--check", "none", transform="XX"))
    assert summary.accounting.variants == 2
    assert summary.accounting.broken == {"nothing-changed": 1}


def test_one_big_file_of_deep_and_long_code_is_studied(folder: Path) -> None:
    deep = "(" * 5000 + "n" + ")" * 5000
    table = ", ".join(str(n) for n in range(100_000))
    comment = "x" * 9_500_000
    (folder / "Big.java").write_text(
        f"class Big {{ int deep(int n) {{ return {deep}; }}\n"
        f"int[] table = {{ {table} }};\n}} /* {comment} */"
    )
    assert (folder / "Big.java").stat().st_size > 10_000_000
    summary = summarise(study("out", folder / "Big.java"))
    assert summary.accounting.variants == summary.accounting.answered == 1


def test_strange_bytes_and_names_are_stored(folder: Path) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "Bom.java").write_bytes(
        b"\xef\xbb\xbfclass A {\r\n int f(int n) {\r\n return n;\r\n }\r\n}"
    )
    latin = b'class L { String f(String text) { return text + "\xe9\xff"; } } // \xe9'
    (folder / "src" / "Latin\udce9.java").write_bytes(latin)
    nul = b'class N { String f(String nul) { return nul + "\0"; } }'
    (folder / "src" / "Nul.java").write_bytes(nul)
    (folder / "src" / "Utf16.java").write_bytes("class A { }".encode("utf-16"))
    (folder / "src" / "Empty.java").write_bytes(b"")
    (folder / "src" / "Bare.java").write_bytes(b"int twice(int n) { return 2 * n; }")
    summary = summarise(study("out", folder / "src"))
    assert (summary.accounting.files, summary.accounting.methods) == (6, 4)
    assert summary.accounting.unparsable == {"not-text": 1}
    assert summary.accounting.answered == 4
    assert any("Latin\\xe9" in str(row[1]) for row in rows(folder / "out")["files"])


def test_the_manifest_tells_what_was_run(folder: Path) -> None:
    manifest = manifests.read(study("out", write_corpus(folder / "src", files=2), "--seed", 5))
    assert manifest["complete"] is True and manifest["ended"] >= manifest["started"]
    assert manifest["settings"]["seed"] == 5
    assert manifest["model"]["name"] == f"{MODEL}word"
    assert manifest["counts"] == {"files": 2, "methods": 8, "variants": 40, "refusals": 0}
    assert manifest["command"].startswith("metamorph run ")
    assert {"metamorph", "python", "tree-sitter-java-orchard"} <= set(manifest["versions"])


def test_a_store_of_another_version_is_refused(folder: Path) -> None:
    study("out", write_corpus(folder / "src", files=1))
    connection = sqlite3.connect("out/results.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(UserError, match="another version"):
        summarise(folder / "out")


def test_every_column_of_the_store_is_documented(folder: Path) -> None:
    text = (Path(__file__).parent.parent / "docs" / "runs.md").read_text()
    connection = store.create(folder)
    tables = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    assert set(tables) == {"files", "methods", "variants", "copies", "refusals", "spending"}
    for table in tables:
        section = re.search(
            rf"^`{table}`.*?(?=^`(?:methods|variants|copies|refusals|spending)`|^## )",
            text,
            re.M | re.S,
        )
        assert section
        for _, column, *_ in connection.execute(f"PRAGMA table_info({table})"):
            assert f"`{column}`" in section[0], f"{table}.{column}"
