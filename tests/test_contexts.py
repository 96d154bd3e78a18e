"""Path contexts are those of the official extractor."""

import random
import time
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from metamorph.cli import main
from metamorph.java.tree import Tree, parse, parse_method
from metamorph.models.contexts import Style, extract, method_label, sample, subtokens, writers
from metamorph.models.contexts.extract import MOST
from metamorph.models.contexts.lines import context_lines, parse_source
from metamorph.models.contexts.shapes import convert
from metamorph.models.contexts.writers import java_hash

FIXTURES = Path(__file__).parent.parent / "fixtures" / "contexts"
RECORDED = sorted(FIXTURES.glob("*.txt"), key=lambda path: path.name)
STYLES: tuple[Style, ...] = get_args(Style)


def _methods(tree: Tree) -> list[int]:
    return [n for n, kind in enumerate(tree.kind) if kind == "method_declaration"]


def _tree(code: str) -> Tree:
    tree = parse(code.encode())
    assert not tree.has_error
    return tree


def _labels(code: str) -> list[str]:
    tree = _tree(code)
    return convert(tree, _methods(tree)[0]).label


def test_there_are_recorded_lines_of_the_official_extractor() -> None:
    assert sum(len(path.read_text().splitlines()) for path in RECORDED) > 400


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.name)
def test_lines_are_the_official_ones(recorded: Path) -> None:
    source, style, _ = recorded.name.split(".")
    data = (FIXTURES / f"{source}.java").read_bytes()
    chosen: Style = "code2seq" if style == "code2seq" else "code2vec"
    found = list(context_lines(parse_source(data), chosen, hashed=style.endswith("hashed")))
    assert found == recorded.read_text().splitlines()


@pytest.mark.parametrize("style", STYLES)
def test_a_limit_gives_the_first_contexts(style: Style) -> None:
    tree = parse((FIXTURES / "statements.java").read_bytes())
    for node in _methods(tree):
        whole = extract(tree, node, style)
        assert whole.complete
        for limit in (1, 7, 200):
            part = extract(tree, node, style, limit)
            assert part.contexts == whole.contexts[:limit]
            assert part.complete == (len(whole.contexts) <= limit)


@pytest.mark.parametrize("style", STYLES)
def test_a_sample_is_a_part_in_the_official_order(style: Style) -> None:
    tree = _tree("int sum(int[] a) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }")
    node = _methods(tree)[0]
    rest = iter(extract(tree, node, style).contexts)
    drawn = sample(tree, node, style, 20, random.Random(3))
    assert len(drawn.contexts) == 20 and not drawn.complete
    assert all(context in rest for context in drawn.contexts)
    assert drawn == sample(tree, node, style, 20, random.Random(3))
    assert drawn != sample(tree, node, style, 20, random.Random(4))


def test_a_sample_draws_every_context_equally_often() -> None:
    tree = _tree("int add(int a, int b) { return a + b * a - f(b); }")
    node = _methods(tree)[0]
    present = Counter(extract(tree, node, "code2vec").contexts)
    rng = random.Random(0)
    counts = Counter(
        context for _ in range(2000) for context in sample(tree, node, "code2vec", 10, rng).contexts
    )
    for context, times in present.items():
        expected = 2000 * 10 * times / present.total()
        assert abs(counts[context] - expected) < 6 * expected**0.5


def test_a_sample_larger_than_the_method_is_the_whole_method() -> None:
    tree = _tree("int one() { return 1; }")
    whole = extract(tree, 1, "code2seq")
    assert sample(tree, 1, "code2seq", 1000, random.Random(0)) == whole


def test_hashes_are_those_of_the_written_paths() -> None:
    tree = parse((FIXTURES / "expressions.java").read_bytes())
    for node in _methods(tree):
        hashed = extract(tree, node, "code2vec").contexts
        written = extract(tree, node, "code2vec", hashed=False).contexts
        signed = [(java_hash(path) + 2**31) % 2**32 - 2**31 for _, path, _ in written]
        assert [path for _, path, _ in hashed] == [str(value) for value in signed]


def test_comments_change_nothing() -> None:
    plain = (
        "int f(int a, Outer< E >.Inner b) {"
        " for (int i = 0; i < a; i++) { g(i, -1); } return (a + 1) * a; }"
    )
    noted = plain.replace(" ", " /* a note */ ").replace("{", "{ // more\n")
    first, second = _tree(plain), _tree(noted)
    for style in STYLES:
        assert extract(first, 1, style) == extract(second, 1, style)


def test_a_method_alone_gives_the_same_as_in_its_file() -> None:
    tree = parse((FIXTURES / "lambdas.java").read_bytes())
    for node in _methods(tree):
        alone = parse_method(tree.bytes_of(node))
        assert alone is not None
        assert extract(alone, 0, "code2seq") == extract(tree, node, "code2seq")


def test_the_methods_own_name_is_masked_and_calls_of_it_are_not() -> None:
    tree = _tree("int again(int depth) { return again(depth - 1); }")
    words = {w for left, _, right in extract(tree, 1, "code2vec").contexts for w in (left, right)}
    assert "METHOD_NAME" in words and "again" in words
    tree = _tree("int unseen(int depth) { return depth - 1; }")
    assert "unseen" not in extract(tree, 1, "code2vec").line().partition(" ")[2]


def test_a_broken_method_has_contexts_and_its_name_is_masked() -> None:
    tree = parse(b"class A { int unseen(int a) { return a +* ; } int whole() { return 1; } }")
    assert tree.has_error
    broken, whole = _methods(tree)
    for style in STYLES:
        line = extract(tree, broken, style).line()
        assert line.startswith("unseen ") and "unseen" not in line.partition(" ")[2]
    alone = _tree("int whole() { return 1; }")
    assert extract(tree, whole, "code2vec") == extract(alone, 1, "code2vec")


def test_names_split_into_subtokens() -> None:
    assert subtokens("getX2HTTPServer_v3") == ["get", "x", "http", "server", "v"]
    assert subtokens("URLParser") == ["url", "parser"]
    assert subtokens("__") == []
    assert method_label("getX2HTTPServer_v3") == "get|x|http|server|v"
    assert method_label("a") == "a"
    assert method_label("__") == "__"


@pytest.mark.parametrize("style", STYLES)
def test_a_table_of_100000_numbers_is_bounded_work(style: Style) -> None:
    numbers = ", ".join(map(str, range(100_000)))
    tree = _tree(f"int[] table(int a) {{ int[] t = {{{numbers}}}; return t; }}")
    began = time.process_time()
    first = extract(tree, 1, style, 200)
    whole = extract(tree, 1, style)
    drawn = sample(tree, 1, style, 200, random.Random(0))
    assert time.process_time() - began < 60
    assert len(whole.contexts) == MOST and not whole.complete
    assert first.contexts == whole.contexts[:200]
    assert len(drawn.contexts) == 200


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 5000 + "1" + ")" * 5000,
        " + ".join(["a"] * 5000),
        "a ? b : " * 5000 + "c",
        "(int) " * 5000 + "a",
        "x -> " * 2000 + "1",
        "a" + ".b()" * 5000,
        "- " * 5000 + "a",
        "a = " * 5000 + "b",
    ],
    ids=["parentheses", "sum", "conditional", "cast", "lambda", "calls", "signs", "assignments"],
)
def test_deep_code_does_not_overflow(expression: str) -> None:
    tree = _tree(f"Object f() {{ return {expression}; }}")
    began = time.process_time()
    assert extract(tree, 1, "code2seq", 200).contexts
    assert time.process_time() - began < 20


def test_newer_java_has_javaparsers_later_names() -> None:
    tree = parse((FIXTURES / "modern.java").read_bytes())
    assert not tree.has_error
    found = set()
    for node in _methods(tree):
        found |= set(convert(tree, node).label)
        assert extract(tree, node, "code2vec").contexts
    assert {
        "CompactConstructorDeclaration",
        "RecordDeclaration",
        "RecordPatternExpr",
        "SwitchExpr",
        "TextBlockLiteralExpr",
        "TypePatternExpr",
        "YieldStmt",
    } <= found


def test_a_switch_is_a_statement_or_an_expression_by_its_place() -> None:
    assert "SwitchStmt" in _labels("void f(int a) { switch (a) { case 1 -> g(); } }")
    assert "SwitchExpr" in _labels("int f(int a) { return switch (a) { default -> 1; }; }")


def test_empty_bodies_have_lines_for_code2seq_only() -> None:
    tree = parse(b"class A { void f() { /* nothing */ } void g() { ; } abstract void h(); }")
    names = [[line.split()[0] for line in context_lines(tree, style)] for style in STYLES]
    assert names == [["g"], ["f", "g"]]


def test_the_command_prints_the_official_lines(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "A.java").write_text("class A { int one() { return 1; } }")
    (tmp_path / "B.java").write_text("class B { int two() { return 2 }")
    assert main(["contexts", str(tmp_path), "--style", "code2vec", "--max-contexts", "1"]) == 0
    out, err = capsys.readouterr()
    assert out == "one int,600457869,METHOD_NAME\n"
    assert err == f"metamorph: {tmp_path / 'B.java'}: skipped, does not parse\n"
    assert main(["contexts", str(tmp_path / "A.java"), "--style", "code2vec", "--no-hash"]) == 0
    assert "int,(PrimitiveType0)^(MethodDeclaration)_(NameExpr1),METHOD_NAME " in (
        capsys.readouterr().out
    )


def test_the_command_tells_in_one_line_that_nothing_parses(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["contexts", str(tmp_path), "--style", "code2seq"]) == 2
    assert capsys.readouterr().err.startswith(f"metamorph: error: {tmp_path}: no Java;")
    (tmp_path / "B.java").write_text("class B {")
    assert main(["contexts", str(tmp_path), "--style", "code2seq"]) == 2
    assert "none of 1 parses" in capsys.readouterr().err


def test_a_corpus_may_begin_with_a_file_without_methods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(writers, "_pieces", writers._Pieces())  # as in a new process
    (tmp_path / "A.java").write_text("class A { }")
    (tmp_path / "B.java").write_text("class B { int f() { return 1; } }")
    assert main(["contexts", str(tmp_path), "--style", "code2vec"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("f ")
