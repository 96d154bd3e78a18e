"""Clone detection: pairs of functions, published ones and those of a suite's own."""

import json
from pathlib import Path

import pytest
from studies import metamorph, write_corpus
from suites import build, json_lines, manifest, records, write_lines

pytestmark = pytest.mark.usefixtures("folder")


def write_clones(*pairs: str) -> None:
    """Functions a, b, c, of which only a and b have variants, and pairs of them."""
    codes = {"7": "int a(int x) { return x; }", "8": "int b(int y) { return y + 1; }"}
    codes["9"] = "void c() { }"
    write_lines("bcb/data.jsonl", *({"func": code, "idx": idx} for idx, code in codes.items()))
    for line in pairs:
        split, _, pair = line.partition(" ")
        with open(f"bcb/{split}.txt", "a") as file:
            file.write(pair.replace(" ", "\t") + "\n")


def test_one_function_of_each_published_pair_becomes_a_variant() -> None:
    write_clones("test 7 8 1", "test 9 7 0", "train 7 9 1", "train 8 9 0", "valid 9 9 1")
    suite = build("bcb/data.jsonl", "--format", "codexglue-clone", transform="VN")
    place = suite / "clone-detection"
    codes = {row["idx"]: row["func"] for row in json_lines(place / "data.jsonl")}
    test = [line.split("\t") for line in (place / "test.txt").read_text().splitlines()]
    assert test == [["7.0", "8", "1"], ["9", "7.0", "0"]]
    assert codes["7.0"] == "int a(int var0) { return var0; }" and codes["9"] == "void c() { }"
    assert (place / "train.txt").read_text() == "8.0\t9\t0\n"
    assert not (place / "valid.txt").exists()
    unused = manifest(suite)["counts"]["unused"]
    assert unused == {
        "codexglue-clone pair-of-another-split": 1,
        "codexglue-clone pair-without-variant": 1,
    }
    assert metamorph("suite", "verify", suite) == 0


@pytest.mark.parametrize(
    ("pair", "fault"),
    [
        ("test 7 8", "test.txt:1: no pair"),
        ("test 7 66 1", "none of the pairs can be used (codexglue-clone function-not-in-suite 1)"),
    ],
)
def test_pairs_that_are_none_are_told(
    pair: str, fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_clones(pair)
    command = ("suite", "build", "bcb/data.jsonl", "--format", "codexglue-clone")
    assert metamorph(*command, "--transform", "VN", "--out", "s") == 2
    assert fault in capsys.readouterr().err and not Path("s").exists()


def test_two_functions_with_one_idx_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    write_clones("test 7 8 1")
    with open("bcb/data.jsonl", "a") as file:
        file.write(json.dumps({"func": "int z(int q) { return q; }", "idx": "7"}) + "\n")
    command = ("suite", "build", "bcb/data.jsonl", "--format", "codexglue-clone")
    assert metamorph(*command, "--transform", "VN", "--out", "s") == 2
    assert "7: the idx of two functions" in capsys.readouterr().err


def test_the_idx_of_a_variant_is_no_other_functions() -> None:
    write_clones("test 7 7.0 1")
    with open("bcb/data.jsonl", "a") as file:
        file.write(json.dumps({"func": "void d() { }", "idx": "7.0"}) + "\n")
    suite = build("bcb/data.jsonl", "--format", "codexglue-clone", transform="VN,UN")
    indices = [row["idx"] for row in json_lines(suite / "clone-detection/data.jsonl")]
    assert len(set(indices)) == len(indices)
    first, second, _ = (suite / "clone-detection/test.txt").read_text().split("\t")
    assert first in ("7.1", "7.2") and second == "7.0"


def test_without_pairs_an_original_and_its_variant_are_clones() -> None:
    write_corpus(Path("src"), 2)
    suite = build("src", "--format", "codexglue-clone", transform="VN")
    place = suite / "clone-detection"
    rows = {row["idx"]: row for row in json_lines(place / "data.jsonl")}
    found = {record["id"]: record for record in records(suite)}
    pairs = [line.split("\t") for line in (place / "test.txt").read_text().splitlines()]
    assert len(pairs) == 2 * len(found)
    groups = {record["original_id"]: record["group_id"] for record in found.values()}
    for first, second, label in pairs:
        record = found[rows[second]["id"]]
        assert rows[second]["func"] == record["code"]
        assert (groups[rows[first]["id"]] == record["group_id"]) == (label == "1")
