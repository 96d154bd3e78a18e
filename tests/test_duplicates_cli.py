"""`metamorph duplicates` as a user meets it: formats, bad input, audits, deduplication."""

import gzip
import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree
from pathlib import Path
from typing import Any

import pytest

from metamorph.cli import main


def source(name: str, words: int = 30, changed: int = 0) -> str:
    """A class with so many words of its own, some of them other than its copies have."""
    fields = [f"int {name.lower()}{n};" for n in range(words - changed)]
    fields += [f"int {name.lower()}{changed}other{n};" for n in range(changed)]
    return "class Some { " + "\n".join(fields) + " }\n"


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def token_list(path: Path, rows: list[tuple[str, list[str]] | None]) -> Path:
    lines = [json.dumps(row and {"filename": row[0], "tokens": row[1]}) for row in rows]
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    return path


def report(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    assert main(["duplicates", *map(str, arguments), "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def clusters(found: dict[str, Any], folder: Path) -> list[list[str]]:
    return [[name.removeprefix(f"{folder}/") for name in c["ids"]] for c in found["clusters"]]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write(
        tmp_path / "corpus",
        {
            "p/A.java": source("a"),
            "p/B.java": source("b"),
            "q/A2.java": source("a", changed=2),
            "q/A3.java": source("a").replace("}", "} // a comment"),
            "q/Small.java": source("s", words=17),
            "q/Small2.java": source("s", words=17),
        },
    )


def test_find_tells_clusters_and_what_was_too_small(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = report(capsys, "find", corpus)
    assert clusters(found, corpus) == [["p/A.java", "q/A2.java", "q/A3.java"]]
    counted = found["statistics"]
    assert (counted["units"], counted["skipped_small"], counted["pairs"]) == (4, 2, 3)
    assert counted["factor"] == 2 / 4
    assert found["clusters"][0]["min_set_similarity"] == pytest.approx(29 / 33)


def test_nineteen_tokens_are_too_few_and_twenty_are_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, units in ((18, 0), (19, 2)):
        folder = write(tmp_path / str(words), {f"{name}.java": source("x", words) for name in "ab"})
        found = report(capsys, "find", folder)["statistics"]
        assert (found["units"], found["skipped_small"]) == (units, 2 - units)


def test_small_equal_methods_are_found_once_they_are_not_too_small(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    method = "int f(int a) { int b = a + 1; return b * a - b; }"
    folder = write(tmp_path, {f"{name}.java": f"class {name} {{ {method} }}" for name in "AB"})
    few = report(capsys, "find", folder, "--unit", "method")
    assert few["clusters"] == [] and few["statistics"]["skipped_small"] == 2
    all_of_them = report(capsys, "find", folder, "--unit", "method", "--min-tokens", "1")
    assert clusters(all_of_them, folder) == [["A.java:1:A.f", "B.java:1:B.f"]]


def test_a_file_that_takes_the_parser_for_ever_is_skipped_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"A.java": "class A { int f() { return 1; } }", "B.java": "A<" * 9_000})
    found = report(capsys, "find", tmp_path, "--unit", "method", "--min-tokens", "1")
    assert (found["statistics"]["units"], found["statistics"]["skipped"]) == (1, 1)
    assert found["skipped"] == [{"path": f"{tmp_path}/B.java", "reason": "time-limit"}]
    by_file = report(capsys, "find", tmp_path, "--check", "all")
    assert (by_file["parse_errors"], by_file["skipped"]) == ([f"{tmp_path}/B.java"], [])


def test_predicates_of_other_names_are_no_duplicates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"isRed": "red hue", "isOld": "age years"}
    methods = [
        f"boolean {name}(Some {n.split()[0]}) {{ return {n.split()[0]}.{n.split()[1]} > 0; }}"
        for name, n in names.items()
    ]
    folder = write(tmp_path, {"A.java": "class A { " + "\n".join(methods) + " }"})
    found = report(capsys, "find", folder, "--unit", "method", "--min-tokens", "1")
    assert found["statistics"]["units"] == 2 and found["clusters"] == []


def test_a_syntax_error_is_listed_and_hides_no_duplicate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = source("a")
    folder = write(tmp_path, {"A.java": whole, "B.java": whole.replace(";", " ", 1)})
    folder = write(folder, {"C.java": "class C { int unfinished"})
    for check, expected in (("clusters", ["B"]), ("all", ["B", "C"]), ("none", [])):
        found = report(capsys, "find", folder, "--check", check)
        assert clusters(found, folder) == [["A.java", "B.java"]]
        assert found["parse_errors"] == [f"{folder}/{name}.java" for name in expected]


def test_the_result_depends_on_neither_order_nor_workers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(1)
    names = [f"{n:02}.java" for n in range(40)]
    stems = [rng.choice("abcdef") for _ in names]
    files = {
        name: source(s, changed=rng.randrange(4)) for name, s in zip(names, stems, strict=True)
    }
    folder = write(tmp_path, dict(files))
    paths = [str(folder / name) for name in names]
    first = report(capsys, "find", *paths)
    assert len(first["clusters"]) > 3
    rng.shuffle(paths)
    assert report(capsys, "find", *paths) == first
    assert report(capsys, "find", *paths, "--workers", "2") == first


def test_empty_files_are_equal_and_are_left_out_unless_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, {"A.java": "", "B.java": "// nothing", "C.java": "x", "D.java": "x"})
    assert report(capsys, "find", folder)["clusters"] == []
    found = report(capsys, "find", folder, "--min-tokens", "0")
    assert clusters(found, folder) == [["A.java", "B.java"], ["C.java", "D.java"]]


def test_one_file_and_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write(tmp_path / "one", {"A.java": source("a")})
    assert report(capsys, "stats", folder)["statistics"]["factor"] == 0
    assert main(["duplicates", "dedup", str(folder)]) == 0
    assert capsys.readouterr().out == ""
    (tmp_path / "none").mkdir()
    assert main(["duplicates", "find", str(tmp_path / "none")]) == 2
    assert "no Java" in capsys.readouterr().err


def test_links_in_a_circle_and_other_encodings_are_read_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = source("größe").encode("latin-1")
    folder = write(tmp_path, {"A.java": text, "B.java": text})
    (folder / "loop").symlink_to(folder)
    (folder / "C.java").symlink_to(folder / "A.java")
    (folder / "gone.java").symlink_to(folder / "nowhere.java")
    found = report(capsys, "find", folder)
    assert clusters(found, folder) == [["A.java", "B.java"]]
    assert [row["reason"] for row in found["skipped"]] == ["dangling-link"]


def test_a_large_file_of_literals_is_compared_like_any_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    literals = ", ".join(f'"{n}", {n}' for n in range(150_000))
    text = f"class A {{ Object[] a = {{{literals}}}; }}"
    assert len(text) > 2_000_000
    fewer = text.replace(', "7"', "", 1).replace(", 8,", ",", 1)
    folder = write(tmp_path, {"A.java": text, "B.java": fewer, "C.java": source("c")})
    found = report(capsys, "find", folder, "--check", "none")
    assert clusters(found, folder) == [["A.java", "B.java"]]
    words = 300_000 + len(["Object", "A", "a"])
    assert found["clusters"][0]["min_set_similarity"] == (words - 2) / words


TOKENS = [f"t{n}" for n in range(30)]


def test_token_lists_give_the_published_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = [*TOKENS[:28], "x", "y"]
    rows = [("b", TOKENS), None, ("a", changed), ("c", ["z"] * 40), ("b", ["other"] * 30)]
    path = token_list(tmp_path / "in.jsonl.gz", rows)  # type: ignore[arg-type]
    out = tmp_path / "out"
    arguments = ["duplicates", "find", str(path), "--format", "published", "--out", str(out)]
    assert main(arguments) == 0
    told = capsys.readouterr().err
    assert "1 skipped, null-line" in told and "1 skipped, repeated-id" in told
    assert json.loads((tmp_path / "out.json").read_text()) == [["a", "b"]]
    assert (tmp_path / "out.log").read_text() == "a,b,0.875,0.875\n"


def test_one_id_in_two_inputs_is_two_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = (token_list(tmp_path / f"{n}.jsonl.gz", [("a", TOKENS)]) for n in "12")
    found = report(capsys, "find", one, two)
    assert clusters(found, tmp_path) == [["1.jsonl.gz:a", "2.jsonl.gz:a"]]


def test_of_a_broken_list_the_lines_before_the_break_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(2)
    rows = [(f"f{n}", [str(rng.random()) for _ in range(300)]) for n in range(60)]
    path = token_list(tmp_path / "in.jsonl.gz", [("a", TOKENS), ("b", TOKENS), *rows])
    path.write_bytes(path.read_bytes()[:100_000])
    found = report(capsys, "find", path)
    assert clusters(found, tmp_path) == [["a", "b"]]
    assert found["skipped"] == [{"path": str(path), "reason": "damaged-archive"}]


def test_lines_that_are_no_lists_are_skipped_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = json.dumps({"repo": "r", "name": 7, "words": TOKENS})
    bad = ["{", "[1]", '{"words": [1], "repo": "r", "name": 1}', '{"words": []}']
    path = tmp_path / "in.jsonl"
    path.write_text("\n".join([good, *bad]) + "\n")
    options = ("--tokens-field", "words", "--id-fields", "repo:name")
    found = report(capsys, "find", path, *options)
    reasons = [row["reason"] for row in found["skipped"]]
    assert reasons == ["bad-json", "bad-json", "no-tokens-or-id", "no-tokens-or-id"]
    assert found["statistics"]["units"] == 1


def test_an_audit_tells_what_lies_within_and_across(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train = {name: source(name[0]) for name in ("a1.java", "b1.java", "b2.java", "c1.java")}
    test = {name: source(name[2]) for name in ("p/a.java", "p/a2.java", "q/d.java", "q/d2.java")}
    folders = [write(tmp_path / "train", dict(train)), write(tmp_path / "test", dict(test))]
    arguments = ("audit", "--train", folders[0], "--test", folders[1])
    found = report(capsys, *arguments, "--svg", tmp_path / "chart.svg")
    assert (found["in_train"], found["in_test"], found["direct"]) == (1, 2, 2)
    sides = [found[side] for side in ("train", "test")]
    assert [(s["across"], s["within_only"], s["alone"]) for s in sides] == [(1, 2, 1), (2, 2, 0)]
    shares = {row["project"]: (row["units"], row["across"]) for row in found["projects"]}
    assert shares == {"p": (2, 2), "q": (2, 0)}
    drawn = xml.etree.ElementTree.parse(tmp_path / "chart.svg").getroot()
    assert drawn.tag.endswith("svg")
    words = ["duplicates", *map(str, arguments)]
    assert main([*words, "--fail-on-share", "0.5"]) == 0
    assert "(50.00 %)" in capsys.readouterr().out
    assert main([*words, "--fail-on-share", "0.49"]) == 1
    assert "gate" in capsys.readouterr().err


def test_a_test_file_across_by_a_chain_only_is_not_direct(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = [f"t{n}" for n in range(40)]
    x, y = ([f"{letter}{n}" for n in range(4)] for letter in "xy")
    train = token_list(tmp_path / "train.jsonl.gz", [("a", a)])
    rows = [("b", [*a[:36], *x]), ("c", [*a[4:36], *x, *y])]
    test = token_list(tmp_path / "test.jsonl.gz", rows)  # type: ignore[arg-type]
    found = report(capsys, "audit", "--train", train, "--test", test)
    assert (found["test"]["across"], found["direct"]) == (2, 1)
    assert found["crossings"][0]["chained"]


def test_dedup_keeps_one_of_each_cluster(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def excluded(*arguments: str | Path) -> list[str]:
        assert main(["duplicates", "dedup", str(corpus), *map(str, arguments)]) == 0
        return [line.removeprefix(f"{corpus}/") for line in capsys.readouterr().out.splitlines()]

    assert excluded() == ["q/A2.java", "q/A3.java"]
    assert excluded("--prefer", corpus / "q") == ["p/A.java", "q/A3.java"]
    index = tmp_path / "index.json"
    index.write_text(json.dumps([["p/B.java", "p/A.java", "elsewhere.java"], ["x"]]))
    assert excluded("--index", index) == ["p/B.java"]
    assert excluded("--write", "tree", "--out", tmp_path / "kept") == []
    kept = sorted(
        p.relative_to(tmp_path / "kept").as_posix() for p in (tmp_path / "kept").rglob("*.java")
    )
    assert kept == ["p/A.java", "p/B.java", "q/Small.java", "q/Small2.java"]
    assert main(["duplicates", "dedup", str(corpus), "--write", "weights"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["weight"] for row in rows] == [1 / 3, 1, 1 / 3, 1 / 3, 1, 1]


def test_names_that_are_no_text_are_written_as_they_are(tmp_path: Path) -> None:
    odd = os.fsdecode(b"odd\xff.java")
    try:
        write(tmp_path, {"A.java": source("a"), odd: source("a")})
    except OSError:
        pytest.skip("this file system takes text only")
    command = [sys.executable, "-m", "metamorph", "duplicates", "dedup", str(tmp_path)]
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    done = subprocess.run(command, capture_output=True, env=strict, check=True)
    assert done.stdout == os.fsencode(tmp_path) + b"/odd\xff.java\n"


def test_a_published_index_needs_no_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = tmp_path / "index.json.gz"
    index.write_bytes(gzip.compress(b'[["a", "b", "c"], ["d", "e"]]'))
    assert main(["duplicates", "dedup", "--index", str(index)]) == 0
    assert capsys.readouterr().out.split() == ["b", "c", "e"]
    for wrong in (b'{"a": 1}', b'[["a"], ["a"]]', b"[", b"[[1]]"):
        index.write_bytes(gzip.compress(wrong))
        assert main(["duplicates", "dedup", "--index", str(index)]) == 2
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="ends processes as POSIX does")
def test_a_worker_that_dies_is_one_line(tmp_path: Path) -> None:
    write(tmp_path, {"A.java": source("A"), "B.java": source("B")})
    deadly = (
        "import os, sys\n"
        "if any('spawn_main' in word for word in sys.orig_argv):\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    write(tmp_path / "start", {"sitecustomize.py": deadly})
    command = [sys.executable, "-m", "metamorph", "duplicates", "find", str(tmp_path)]
    done = subprocess.run(
        [*command, "--workers", "2"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "start")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "give fewer --workers" in done.stderr
