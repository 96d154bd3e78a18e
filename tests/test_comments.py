"""Contexts with `--comments official` are those of the official extractor for the same source."""

import time
from pathlib import Path
from typing import get_args

import pytest
from official import PREFIX, official

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.java.tree import COMMENTS, Tree, parse, parse_method
from metamorph.models import Example, Options, load
from metamorph.models.contexts import Context, Style, checked_comments, extract
from metamorph.models.contexts.extract import extract_each
from metamorph.models.contexts.lines import context_lines, parse_source
from metamorph.models.contexts.shapes import shape_in_file

CONTEXTS = Path(__file__).parent.parent / "fixtures" / "contexts"
FIXTURES = CONTEXTS / "comments"
RECORDED = sorted(FIXTURES.glob("*.txt"), key=lambda path: path.name)
STYLES: tuple[Style, ...] = get_args(Style)


def _methods(tree: Tree) -> list[int]:
    return [n for n, kind in enumerate(tree.kind) if kind == "method_declaration"]


def _contexts(code: str) -> list[Context]:
    """The contexts of the first method in a file."""
    tree = parse(code.encode())
    assert not tree.has_error
    shapes = [shape_in_file(tree, _methods(tree)[0])]
    return next(extract_each(shapes, "code2vec", hashed=False)).contexts


def _lines(data: bytes, recorded: Path) -> list[str]:
    _, way, _ = recorded.name.split(".")
    style: Style = "code2seq" if way == "code2seq" else "code2vec"
    tree = parse_source(data)
    return list(context_lines(tree, style, hashed=way.endswith("hashed"), comments="official"))


def _source(recorded: Path) -> bytes:
    return (FIXTURES / f"{recorded.name.partition('.')[0]}.java").read_bytes()


def test_there_are_recorded_lines_of_the_official_extractor() -> None:
    assert sum(len(path.read_text().splitlines()) for path in RECORDED) > 200


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.name)
def test_lines_are_the_official_ones(recorded: Path) -> None:
    assert _lines(_source(recorded), recorded) == recorded.read_text().splitlines()


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.name)
def test_the_ends_of_lines_change_nothing(recorded: Path) -> None:
    data = _source(recorded).replace(b"\n", b"\r\n")
    assert _lines(data, recorded) == recorded.read_text().splitlines()


@pytest.mark.parametrize("source", sorted(CONTEXTS.glob("*.java")), ids=lambda path: path.stem)
def test_without_comments_both_ways_are_the_same(source: Path) -> None:
    tree = parse_source(source.read_bytes())
    assert not tree.of_kinds(COMMENTS)
    for style in STYLES:
        stripped = list(context_lines(tree, style))
        assert stripped == list(context_lines(tree, style, comments="official"))


def test_comments_are_stripped_unless_asked_for() -> None:
    tree = parse(b"class A { int f(int a) { return /* the value */ a; } }")
    node = _methods(tree)[0]
    stripped = extract(tree, node, "code2vec")
    assert stripped == extract(tree, node, "code2vec", comments="strip")
    assert stripped != extract(tree, node, "code2vec", comments="official")


def test_a_comment_is_part_of_the_word_behind_it() -> None:
    words = {right for _, _, right in _contexts("int f() { return /* the */ total; }")}
    assert "thetotal" in words and "total" not in words


def test_a_comment_within_a_loop_sorts_its_head() -> None:
    loop = "void f() {{ for (int i = 0; i < n; i++) {{ {0} }} }}"
    plain = [word for word, _, _ in _contexts(loop.format("g();"))]
    noted = [word for word, _, _ in _contexts(loop.format("g(); /* done */"))]
    assert plain.index("n") < plain.index("int")
    assert noted.index("int") < noted.index("n")


def test_a_later_member_without_beginning_takes_the_comments_before_it() -> None:
    method = "void f(int a, int b) { use(a, /* one */ b); }"
    kept = _contexts(f"class A {{ {method} private int[] g() {{ return b; }} }}")
    taken = _contexts(f"class A {{ {method} int[] g() {{ return b; }} }}")
    assert kept == _contexts(f"class A {{ {method} }}")
    assert taken == _contexts(f"class A {{ {method.replace('/* one */', '')} }}")


@pytest.mark.parametrize("source", sorted(FIXTURES.glob("*.java")), ids=lambda path: path.stem)
def test_a_model_sees_the_comments_within_a_method_wherever_it_stands(source: Path) -> None:
    tree = parse(source.read_bytes())
    for node in _methods(tree):
        alone = parse_method(tree.bytes_of(node))
        assert alone is not None
        first = extract(alone, 0, "code2seq", comments="official")
        assert first == extract(tree, node, "code2seq", comments="official")


def test_comments_around_a_method_reach_into_it_in_its_file_only() -> None:
    tree = parse(b"class A { int f(int a) {\n return\n a; } // behind\n }")
    node = _methods(tree)[0]
    alone = extract(tree, node, "code2vec", comments="official")
    assert alone == extract(tree, node, "code2vec")
    noted = next(extract_each([shape_in_file(tree, node)], "code2vec")).contexts
    assert [c for _, _, c in noted if c == "behinda"] and "behinda" not in alone.line()


def test_comments_in_a_broken_file_count_in_whole_methods_only() -> None:
    tree = parse(
        b"class A { int f(int a) { return /* the */ a; } int g() { /* the */ return a +* ; } }"
    )
    assert tree.has_error
    first, second = _methods(tree)
    assert "thea" in extract(tree, first, "code2vec", comments="official").line()
    assert extract(tree, second, "code2vec", comments="official") == extract(
        tree, second, "code2vec"
    )


def test_comments_in_newer_java_are_given_away_too() -> None:
    data = (CONTEXTS / "modern.java").read_bytes()
    noted = parse_source(data.replace(b"{ ", b"{ /* in */ ").replace(b";\n", b"; // behind\n"))
    assert noted.of_kinds(COMMENTS) and not noted.has_error
    assert len(list(context_lines(noted, "code2seq", comments="official"))) == len(
        list(context_lines(parse_source(data), "code2seq"))
    )


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 5000 + "1 /* c */" + ")" * 5000,
        " + ".join(["a /* c */"] * 5000),
        "a ? b /* c */ : " * 5000 + "c",
        "(int /* c */) " * 5000 + "a::b",
        "a" + ".b() // c\n" * 5000,
        "f(// c\n" * 2000 + "1" + ")" * 2000,
    ],
    ids=["parentheses", "sum", "conditional", "cast", "calls", "arguments"],
)
def test_deep_code_with_comments_is_bounded_work(expression: str) -> None:
    tree = parse(f"Object f() {{ return {expression}; }}".encode())
    assert not tree.has_error
    began = time.process_time()
    assert extract(tree, _methods(tree)[0], "code2seq", 200, comments="official").contexts
    assert time.process_time() - began < 20


def test_a_file_of_many_methods_is_looked_at_once() -> None:
    methods = "".join(f"void m{i}() {{ // c\n a(); /* d */ b(); }} // e\n" for i in range(3000))
    tree = parse(f"class A {{ {methods} }}".encode())
    began = time.process_time()
    assert len(list(context_lines(tree, "code2vec", comments="official"))) == 3000
    assert time.process_time() - began < 20


def test_other_ways_are_refused() -> None:
    with pytest.raises(UserError, match="--comments none: unknown; give strip or official"):
        checked_comments("none")


@pytest.mark.parametrize("name", ["code2vec", "code2seq"])
def test_a_model_trained_without_comments_is_not_asked_with_them(name: str) -> None:
    with pytest.raises(UserError, match="--comments official: this model was trained without"):
        load(name, Options(comments="official"))


def test_the_command_prints_the_official_lines(capsys: pytest.CaptureFixture[str]) -> None:
    source = str(FIXTURES / "bodies.java")
    for style in ("code2vec", "code2seq"):
        assert main(["contexts", source, "--style", style, "--comments", "official"]) == 0
        way = "code2vec-hashed" if style == "code2vec" else style
        assert capsys.readouterr().out == (FIXTURES / f"bodies.{way}.txt").read_text()
        assert main(["contexts", source, "--style", style]) == 0
        assert capsys.readouterr().out != (FIXTURES / f"bodies.{way}.txt").read_text()


def test_an_official_model_is_asked_with_the_comments_and_says_so() -> None:
    codes = (b"int f(int n) { return n; }", b"int f(int n) { return /* the */ n; }")
    trees = [parse(code) for code in codes]
    examples = [Example(str(i), tree, _methods(tree)[0]) for i, tree in enumerate(trees)]
    strip, noted = (official(PREFIX, comments=way) for way in ("strip", "official"))
    assert (strip.identity["comments"], noted.identity["comments"]) == ("strip", "official")
    assert len({strip.identity["sha256"], noted.identity["sha256"]}) == 1
    first, second = (prediction.candidates for prediction in strip.predict(examples))
    third, fourth = (prediction.candidates for prediction in noted.predict(examples))
    assert first == second == third != fourth
