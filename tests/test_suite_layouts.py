"""The layouts in which suites are written, and what others publish as their input."""

import hashlib
import json
import pickle
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from studies import metamorph, write_corpus
from suites import build, json_lines, manifest, records, write_lines

from metamorph.corpus import Skipped, read_sources
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models.contexts.lines import context_lines
from metamorph.suites.formats.fields import FIELDS
from metamorph.suites.splits import group_of, split_of

pytestmark = pytest.mark.usefixtures("folder")

DOCUMENTED = """\
class D {
    /**
     * Adds {@code one} to <b>it</b>,
     * and tells.
     *
     * <p>Not more.
     * @param it a number
     */
    @Deprecated
    public int more(int it) { int one = 1; int sum = it; sum = sum + one; return sum; }

    // Not a Javadoc.
    int less(int it) { int one = 1; return it - one; }
}
"""


def pickles(path: Path) -> list[Any]:
    """All values of a file of pickles; ours hold plain values alone."""
    found = []
    with path.open("rb") as file:
        while file.peek(1):
            found.append(pickle.load(file))
    return found


def write_long(path: str) -> None:
    """A method of more than a thousand contexts, the same in every test."""
    body = "".join(f"int v{n} = a * {n} + b[{n}]; if (v{n} > 3) c.call(v{n}); " for n in range(25))
    Path(path).write_text(f"class Long {{ void longOne(int a, int[] b, C c) {{ {body} }} }}")


@pytest.mark.parametrize(
    ("format", "style", "fields"), [("c2v", "code2vec", 200), ("c2s", "code2seq", 1000)]
)
def test_rows_of_contexts_have_the_fields_that_the_official_readers_expect(
    format: str, style: Any, fields: int
) -> None:
    write_corpus(Path("src"), 4)
    write_long("src/Long.java")
    Path("src/Empty.java").write_text("class E { void empty(int a) { } }")
    options = ("--splits", "train:1,test:1", "--per-transform", "12")
    suite = build("src", "--format", format, *options, transform="VN,UN")
    found = {record["id"]: record for record in records(suite)}
    cut = 0
    for split in ("train", "test"):
        place = suite / style
        ids = (place / f"suite.{split}.ids.txt").read_text().splitlines()
        for kind, code in ((f"{split}", "code"), (f"{split}.original", "code_before")):
            raw = (place / f"suite.{kind}.raw.txt").read_text().splitlines()
            rows = (place / f"suite.{kind}.{format}").read_text().splitlines()
            assert len(ids) == len(raw) == len(rows) > 0
            most = fields if split == "train" else 200
            for id, line, row in zip(ids, raw, rows, strict=True):
                tree = parse(found[id][code].encode())
                assert [line] == list(context_lines(tree, style))
                assert len(row.split(" ")) == fields + 1
                contexts, kept = line.split(" "), row.rstrip(" ").split(" ")
                assert len(kept) == min(len(contexts), most + 1)
                assert kept == contexts or not Counter(kept) - Counter(contexts)
                cut += kept != contexts
    assert cut
    lacking = manifest(suite)["counts"]["unused"]
    assert not lacking or set(lacking) == {f"{format} no-contexts"}


@pytest.mark.parametrize(
    ("format", "style", "paths"), [("c2v", "code2vec", "path"), ("c2s", "code2seq", "node")]
)
def test_histograms_and_dictionary_are_those_of_the_training_split(
    format: str, style: str, paths: str
) -> None:
    write_corpus(Path("src"), 4)
    suite = build("src", "--format", format, "--splits", "test:1,train:1", transform="VN")
    place = suite / style
    lines = [line.split(" ") for line in (place / "suite.train.raw.txt").read_text().splitlines()]
    contexts = [context.split(",") for _, *found in lines for context in found]
    between = "|" if style == "code2seq" else "\0"
    words = [word for context in contexts for end in context[::2] for word in end.split(between)]
    nodes = [node for context in contexts for node in context[1].split(between)]
    labels = [word for line in lines for word in line[0].split(between)]
    expected = [dict(Counter(words)), dict(Counter(nodes)), dict(Counter(labels))]
    expected += [1000] if format == "c2s" else []
    assert pickles(place / f"suite.dict.{format}") == [*expected, len(lines)]
    for name, counts in zip(("ori", paths, "tgt"), expected, strict=False):
        histogram = (place / f"suite.histo.{name}.{format}").read_text().splitlines()
        pairs = [line.split(" ") for line in histogram]
        assert {word: int(count) for word, count in pairs} == counts


def test_too_many_contexts_are_cut_to_those_that_training_knows() -> None:
    write_corpus(Path("src"), 3)
    write_long("src/Long.java")
    tree = parse(Path("src/Long.java").read_bytes())
    group = group_of(tree, tree.of_kinds(["method_declaration"])[0])
    halves = (("train", 0.5), ("test", 0.5))
    seed = next(seed for seed in range(99) if split_of(group, halves, seed) == "test")
    options = ("--splits", "train:1,test:1", "--seed", seed, "--per-transform", "9")
    suite = build("src", "--format", "c2v", *options, transform="VN")
    place = suite / "code2vec"
    rows = (place / "suite.test.c2v").read_text().splitlines()
    number, row = next((n, row) for n, row in enumerate(rows) if row.startswith("long|one "))
    all_of_it = (place / "suite.test.raw.txt").read_text().splitlines()[number].split(" ")[1:]
    words, paths, *_ = pickles(place / "suite.dict.c2v")

    def known(context: str) -> int:
        start, path, end = context.split(",")
        return (start in words) + (path in paths) + (end in words)

    kept = row.rstrip(" ").split(" ")[1:]
    whole = [context for context in all_of_it if known(context) == 3]
    assert 0 < len(whole) < 200 and not Counter(whole) - Counter(kept)
    assert all(known(context) for context in kept)


def test_each_variant_has_its_whole_java_file() -> None:
    write_corpus(Path("src"), 2)
    suite = build("src", "--format", "java")
    found = {record["id"]: record for record in records(suite)}
    index = json_lines(suite / "java/index.jsonl")
    assert [row["id"] for row in index] == list(found)
    for row in index:
        place = suite / row["file"]
        assert hashlib.sha256(place.read_bytes()).hexdigest() == found[row["id"]]["file_sha256"]
        assert place.name.startswith("C00") and place.suffix == ".java"


def test_parquet_holds_the_same_records() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    write_corpus(Path("src"), 2)
    suite = build("src", "--format", "parquet")
    assert parquet.read_table(suite / "data/test.parquet").to_pylist() == records(suite)


def test_without_pyarrow_the_way_out_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(Path("src"), 1)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    command = ("suite", "build", "src", "--transform", "VN", "--out", "s", "--format", "parquet")
    assert metamorph(*command) == 2
    assert "pip install 'metamorph-java[parquet]'" in capsys.readouterr().err
    assert not Path("s").exists()


def test_the_fields_that_formats_are_told_are_those_of_a_record() -> None:
    write_corpus(Path("src"), 1)
    (record, *_) = records(build("src"))
    assert list(record) == list(FIELDS)


def test_the_card_names_every_split_and_feature() -> None:
    yaml = pytest.importorskip("yaml")
    write_corpus(Path("src"), 6)
    suite = build("src", "--format", "hf", "--splits", "train:1,test:1", "--license", "MIT")
    _, header, body = (suite / "README.md").read_text().split("---\n", 2)
    card = yaml.safe_load(header)
    assert card["license"] == "mit"
    files = {each["split"]: each["path"] for each in card["configs"][0]["data_files"]}
    assert files == {"train": "data/train.jsonl", "test": "data/test.jsonl"}
    assert all((suite / path).is_file() for path in files.values())
    assert [each["name"] for each in card["dataset_info"]["features"]] == list(FIELDS)
    assert f"| VN | single | {manifest(suite)['counts']['by_transform']['VN']} |" in body


def test_documented_methods_are_written_as_code_to_text_has_them() -> None:
    Path("src").mkdir()
    Path("src/D.java").write_text(DOCUMENTED)
    suite = build("src", "--format", "codexglue-text", transform="VN")
    rows = json_lines(suite / "code-to-text/java/test.jsonl")
    assert {row["func_name"] for row in rows} == {"D.more"} and len(rows) == 3
    for row in rows:
        assert row["docstring"] == "Adds one to it , and tells."
        assert row["docstring_tokens"] == ["Adds", "one", "to", "it", ",", "and", "tells", "."]
        assert row["language"] == "java" and row["partition"] == "test"
        assert "".join(row["code_tokens"]) == "".join(row["code"].split())
    unused = manifest(suite)["counts"]["unused"]
    assert unused == {"codexglue-text no-docstring": 2}


def test_code_search_has_one_right_answer_a_query() -> None:
    Path("src").mkdir()
    Path("src/D.java").write_text(DOCUMENTED)
    suite = build("src", "--format", "codexglue-search", transform="VN,UN")
    rows = json_lines(suite / "code-search/java/VN-single/test.jsonl")
    assert [row["idx"] for row in rows] == [0] and rows[0]["docstring"].startswith("Adds")
    assert len(json_lines(suite / "code-search/java/UN-single/test.jsonl")) == 1


def test_published_code_to_text_is_read_and_written_with_its_own_words() -> None:
    row = {
        "repo": "o/r",
        "path": "src/A.java",
        "func_name": "A.f",
        "original_string": "int f(int a) { return a; }",
        "language": "java",
        "code_tokens": ["int"],
        "docstring": "Gives it\nback.",
        "docstring_tokens": ["Gives", "it"],
        "sha": "abc",
        "url": "u",
    }
    write_lines("java/test.jsonl", row)
    options = ("java/test.jsonl", "--format", "codexglue-text", "--task", "text")
    suite = build(*options, transform="VN")
    (found,) = json_lines(suite / "code-to-text/java/test.jsonl")
    kept = ("repo", "path", "func_name", "docstring", "docstring_tokens", "sha", "url")
    assert {name: found[name] for name in kept} == {name: row[name] for name in kept}
    (record,) = records(suite)
    assert record["label"] == "Gives it back." and record["project"] == "o/r"


def test_published_defects_are_read_and_written_with_their_targets() -> None:
    rows: list[dict[str, object]] = [
        {"project": "p", "commit_id": "c", "target": target, "func": code, "idx": number}
        for number, (code, target) in enumerate(
            [("/* x */ int f(int a) { return a; }", 1), ("int g(int b) { return b; }", 0)]
        )
    ]
    write_lines("d/test.jsonl", *rows)
    suite = build("d/test.jsonl", "--format", "codexglue-defect", "--task", "label", transform="VN")
    found = json_lines(suite / "defect-detection/test.jsonl")
    assert [row["target"] for row in found] == [1, 0]
    assert found[0]["func"] == "/* x */ int f(int var0) { return var0; }"
    assert {row["commit_id"] for row in found} == {"c"}
    assert [record["label"] for record in records(suite)] == ["1", "0"]


def test_problems_with_their_solution_are_read_as_one_class() -> None:
    prompt = "class Solution {\n    /** Twice it. */\n    int twice(int it) {\n"
    row = {"task_id": "Java/0", "prompt": prompt, "canonical_solution": "return 2 * it;\n}\n}"}
    write_lines("h.jsonl", row | {"test": "class Main { }"}, {"prompt": prompt, "tests": "t"})
    source, skipped = read_sources(["h.jsonl"])
    assert isinstance(source, SourceFile)
    assert source.data.decode() == prompt + str(row["canonical_solution"])
    assert json.loads(source.about)["task_id"] == "Java/0"
    assert isinstance(skipped, Skipped) and skipped.reason == "no-code-field"
    (record,) = records(build("h.jsonl", transform="VN"))
    assert record["method"] == "Solution.twice" and "2 * var0" in record["code"]
    assert json.loads(record["source_record"])["test"] == "class Main { }"


def test_files_of_bare_methods_are_read() -> None:
    Path("methods").mkdir()
    Path("methods/twice_1.java").write_text("public int twice(int it) {\n  return 2 * it;\n}\n")
    Path("methods/f_2.java").write_text("/** F. */ @A void f(int it) { }")
    found = records(build("methods", transform="VN"))
    assert [record["label"] for record in found] == ["f", "twice"]
    assert found[1]["id"] == "methods/twice_1.java#twice@0[VN-0]"
