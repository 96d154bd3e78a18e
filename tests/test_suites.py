"""Benchmark suites: what a record says, how variants are chosen, which split they go to."""

import hashlib
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from studies import metamorph, write_corpus
from suites import build, contents, manifest, records, write_lines

from metamorph.java.edits import Edit, apply
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.oracles.lengths import length_bin
from metamorph.suites.lexemes import lexemes
from metamorph.suites.licences import licence_of

pytestmark = pytest.mark.usefixtures("folder")

EVERY = "hf,java,c2v,c2s,codexglue-text,codexglue-search,codexglue-clone"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def after(record: dict[str, Any], before: bytes) -> bytes:
    """The file after a record's edits."""
    edits = [Edit(e["start"], e["end"], e["text"].encode()) for e in record["edits"]]
    return apply(before, edits)


def test_a_record_leads_from_the_source_beside_it_to_the_variant() -> None:
    write_corpus(Path("src/a"), 3)
    suite = build("src", "--place", "both", "--seed", "5", "--task", "method-name")
    found = records(suite)
    assert found
    for record in found:
        before = (suite / record["file"]).read_bytes()
        assert sha256(before) == record["file_before_sha256"]
        assert sha256(after(record, before)) == record["file_sha256"]
        code_before = before[record["start"] : record["end"]]
        assert code_before.decode() == record["code_before"]
        assert sha256(code_before) == record["code_before_sha256"]
        assert sha256(record["code"].encode()) == record["code_sha256"]
        assert record["code"].encode() in after(record, before)
        assert record["code"] != record["code_before"]
        assert record["label"] == record["label_after"] and record["label"].startswith("sum|")
        assert record["project"] == "a" and record["seed"] == 5 and record["strength"] == "exact"
        assert record["checks"] == {"parses": "pass", "compiles": "not-run", "tests": "not-run"}
    ids = [record["id"] for record in found]
    assert len(set(ids)) == len(ids)
    assert "src/a/C000.java#C0.sum0Of0@0[VN-0]" in ids
    assert "src/a/C000.java#C0.sum0Of0@0[VN-all]" in ids


def test_names_and_lines_of_a_record_are_those_of_its_edits() -> None:
    write_corpus(Path("src"), 1, 1)
    (record,) = [r for r in records(build("src")) if r["id"].endswith("[VN-0]")]
    (name,) = record["name_map"]
    assert name["old"] == "first0" and name["new"] in record["code"]
    assert "first0" not in record["code"]
    before = Path("src/C000.java").read_text().splitlines(keepends=True)
    changed = after(record, Path("src/C000.java").read_bytes()).decode().splitlines(keepends=True)
    same = {n for n, line in enumerate(before, 1) if "first0" not in line}
    runs = record["line_map"]
    kept = {n: n - first + start for first, last, start in runs for n in range(first, last + 1)}
    assert same == {n for n in kept if n <= len(before)}
    assert all(before[n - 1] == changed[kept[n] - 1] for n in same)


def test_the_manifest_counts_every_source_and_refusal() -> None:
    write_corpus(Path("src"), 2)
    Path("src/Broken.java").write_text("class {")
    Path("src/Refused.java").write_text(
        "class R { int f(int a) { try { a = g(a); } finally { a++; } int var0 = a; return var0; }"
        " int g(int b) { int x = b; int y = h(x); x = y; return x; } int h(int c) { return c; } }"
    )
    counts = manifest(build("src", transform="all"))["counts"]
    assert counts["files"] == 4 and counts["left"] == {"syntax-error": 1}
    assert counts["methods"] == 11
    assert sum(counts["by_transform"].values()) == counts["records"] == len(records())
    assert counts["refusals"]["PS"] and all(
        number > 0 for reasons in counts["refusals"].values() for number in reasons.values()
    )


def test_the_same_command_writes_the_same_bytes_and_another_seed_others() -> None:
    write_corpus(Path("src"), 4)
    options = ("src", "--place", "random", "--format", EVERY, "--gzip", "--per-transform", "9")
    options += ("--splits", "train:2,test:1")
    one, other = build(*options, out="one"), build(*options, out="other")
    assert contents(one) == contents(other)
    third = build(*options, "--seed", "1", out="third")
    assert contents(third) != contents(one)


def test_a_number_of_each_transformation_is_drawn_evenly_over_projects_and_lengths() -> None:
    write_corpus(Path("src/large"), 8)
    write_corpus(Path("src/small"), 2)
    long = "\n".join(f"int a{n} = p + {n}; q += a{n};" for n in range(10))
    code = f"class L {{ int f(int p, int q) {{ {long} return q; }} }}"
    Path("src/small/Long.java").write_text(code)
    suite = build("src", "--per-transform", "30", transform="VN,UN,SF")
    found = records(suite)
    numbers = Counter(record["transform"] for record in found)
    assert numbers["VN"] == 30
    strata = Counter(
        (r["project"], length_bin(r["statements"])) for r in found if r["transform"] == "VN"
    )
    assert len(strata) == 3 and max(strata.values()) - min(strata.values()) <= 1
    large = Counter(r["original_id"] for r in found if r["project"] == "large")
    assert large and max(large[r] for r in large) <= 2, "methods give in turn"
    assert "SF" not in numbers and numbers["UN"] == 30
    assert len(records(build("src", "--per-transform", "30", out="again"))) == 90


def test_too_few_variants_are_all_taken_and_the_lack_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_corpus(Path("src"), 1, 2)
    suite = build("src", "--per-transform", "9", transform="LX")
    assert len(records(suite)) == 2 and manifest(suite)["counts"]["lacking"] == {"LX": 7}
    assert "fewer than --per-transform by: LX 7" in capsys.readouterr().err


def test_variants_of_a_method_and_of_its_copies_are_in_one_split() -> None:
    write_corpus(Path("src"), 20)
    inner = "Runnable r = new Runnable() { public void run() { int z = 0; use(z); } };"
    nested = f"class N {{ void outer(int n) {{ {inner} r.run(); }} }}"
    Path("src/N.java").write_text(nested)
    copy = nested.replace("int z = 0;", "int  z =\n 0; // copied").replace("class N", "class M")
    Path("src/M.java").write_text(copy)
    suite = build("src", "--splits", "train:0.6,valid:0.2,test:0.2")
    splits: dict[str, set[str]] = defaultdict(set)
    for record in records(suite):
        splits[record["original_id"]].add(record["split"])
        if "/N.java" in record["file"] or "/M.java" in record["file"]:
            splits["nested and copied"].add(record["split"])
    assert all(len(found) == 1 for found in splits.values())
    files = {path.stem: len(path.read_text().splitlines()) for path in (suite / "data").iterdir()}
    assert set(files) == {"train", "valid", "test"} and files["train"] > files["test"]
    assert files == manifest(suite)["counts"]["by_split"]


def test_near_duplicates_of_another_corpus_are_left_out_and_listed() -> None:
    write_corpus(Path("known"), 2)
    write_corpus(Path("src"), 1)
    copy = Path("known/C001.java").read_text().replace("class C1", "/* Mine. */ class Mine")
    Path("src/Mine.java").write_text(copy)
    other = "String s = x.trim(); return s.isEmpty() ? null : s.concat(y).replace('a', 'b');"
    code = f"class New {{ String join(String x, String y) {{ {other} }} }}"
    Path("src/New.java").write_text(code)
    suite = build("src", "--exclude-duplicates-of", "known", transform="VN")
    assert {record["file"] for record in records(suite)} == {"sources/src/New.java"}
    assert manifest(suite)["counts"]["left"] == {"near-duplicate": 2}
    listed = [json.loads(line) for line in (suite / "excluded.jsonl").read_text().splitlines()]
    assert {row["path"] for row in listed} == {"src/C000.java", "src/Mine.java"}
    assert "known/C001.java" in listed[1]["copies"]
    assert not (suite / "sources" / "src" / "Mine.java").exists()


def test_nothing_left_is_an_error_that_tells_why(capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(Path("src"), 1)
    same = ("--exclude-duplicates-of", "src")
    command = ("suite", "build", "src", "--out", "suite", "--transform")
    assert metamorph(*command, "VN", *same) == 2
    assert "no method there (near-duplicate 1)" in capsys.readouterr().err
    assert metamorph(*command, "SF") == 2
    assert "no variant of 4 methods" in capsys.readouterr().err
    assert not Path("suite").exists()


def test_the_licence_is_that_of_the_record_the_tag_the_header_or_the_one_given() -> None:
    asf = b"/*\n * licenses this file to You under the Apache License, Version 2.0\n * (the ..."
    tag = b"// SPDX-License-Identifier: EPL-2.0 OR MIT\n" + asf
    told = SourceFile("r.jsonl:1", tag, about='{"license": "BSD-3-Clause"}')
    assert licence_of(told, "X") == ("BSD-3-Clause", "record")
    assert licence_of(SourceFile("A.java", tag), "X") == ("EPL-2.0 OR MIT", "tag")
    assert licence_of(SourceFile("A.java", asf), "X") == ("Apache-2.0", "header")
    assert licence_of(SourceFile("A.java", b"class A { }"), "X") == ("X", "given")
    assert licence_of(SourceFile("A.java", b"class A { }"), "") == ("", "")


def test_tokens_are_those_of_a_scanner() -> None:
    code = b'void f() { /* no */ s = "a b" + \'\\n\' + x >>> 1; g(c -> -.5e3, """\n t"x """); }'
    found = list(lexemes(parse(b"class A { " + code + b" }"), 0))[3:-1]
    expected = 'void f ( ) { s = "a b" + \'\\n\' + x >>> 1 ; g ( c -> - .5e3 , """\n t"x """ ) ; }'
    assert found == expected.replace("a b", "a_b").replace('\n t"x ', "TEXT").replace(
        " ", "\1"
    ).replace("a_b", "a b").replace("TEXT", '\n t"x ').split("\1")


def test_a_method_that_is_no_utf_8_is_left_out_and_counted() -> None:
    Path("src").mkdir()
    good = b"class A { int f(int a) { return a; } /* caf\xe9 */ "
    Path("src/A.java").write_bytes(good + b'int g(int b) { return h("\xe9") + b; } }')
    suite = build("src", transform="VN")
    assert [record["method"] for record in records(suite)] == ["A.f"]
    assert manifest(suite)["counts"]["faults"] == {"VN": {"not-utf-8": 1}}


def test_a_suite_cannot_be_written_into_its_source_nor_over_anything(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_corpus(Path("src"), 1)
    command = ("suite", "build", "src", "--transform", "VN", "--out")
    assert metamorph(*command, "src/suite") == 2
    assert "lies inside of src" in capsys.readouterr().err
    Path("taken").mkdir()
    Path("taken/mine").write_text("mine")
    assert metamorph(*command, "taken") == 2
    assert "not empty" in capsys.readouterr().err
    assert Path("taken/mine").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (("--format", "xml"), "xml: unknown; choose among jsonl"),
        (("--splits", "train:0,test:1"), "'0' is no share"),
        (("--splits", "test,test"), "'test' is no new name"),
        (("--format", "codexglue-defect"), "fits none of"),
    ],
)
def test_what_cannot_be_built_is_told_in_a_line(
    options: tuple[str, ...], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(Path("src"), 1)
    assert metamorph("suite", "build", "src", "--transform", "VN", "--out", "s", *options) == 2
    told = capsys.readouterr().err
    assert fault in told and "Traceback" not in told
    assert not Path("s").exists()


def test_a_suite_of_a_suite_is_the_same_suite() -> None:
    write_lines("c.jsonl", {"code": "int f(int a) { return a; }", "repo": "p/q", "x": [1]})
    one = build("c.jsonl", out="one")
    assert records(build("one", out="two")) and records(one)[0]["project"] == "p/q"
    fields = ("code", "edits", "project", "source_record", "label", "group_id")
    mine, theirs = ([{f: r[f] for f in fields} for r in records(Path(s))] for s in ("one", "two"))
    assert mine == theirs and json.loads(mine[0]["source_record"]) == {"repo": "p/q", "x": [1]}
