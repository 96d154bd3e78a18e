"""Trees are flat, complete and right whatever the bytes; methods are found in all places."""

import time

import pytest

from metamorph.java.edits import Edit
from metamorph.java.methods import Method, methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile, line_of, line_starts
from metamorph.java.tree import parse
from metamorph.java.variants import BrokenVariantError, make_variant, reparse

NESTED = b"""class Outer {
    Outer() { int a = 1; }
    static { int b = 2; }
    abstract int none();
    int first() { return new Object() { public int hashCode() { return 1; } }.hashCode(); }
    interface Inner { default void second() {} void third(); }
    enum E { A { void fourth() {} }; }
    record R(int x) { R { x = 1; } int fifth() { return x; } }
}
"""


def _methods(data: bytes) -> list[Method]:
    return list(methods(SourceFile("A.java", data), parse(data)))


def test_a_subtree_is_a_range_of_indices() -> None:
    tree = parse(NESTED)
    for node in range(1, len(tree)):
        parent = tree.parent[node]
        assert parent < node < tree.after[node] <= tree.after[parent]
        assert node in list(tree.children(parent))
        assert tree.start[parent] <= tree.start[node] <= tree.end[node] <= tree.end[parent]
    assert tree.after[0] == len(tree)


def test_only_methods_with_a_body_are_methods() -> None:
    assert [m.title for m in _methods(NESTED)] == [
        "Outer.first",
        "Outer.<anonymous>.hashCode",
        "Outer.Inner.second",
        "Outer.E.fourth",
        "Outer.R.fifth",
    ]


def test_a_bare_method_is_a_method() -> None:
    (method,) = _methods(b"\n// above\nint f(int a) { return a; }\n")
    assert (method.title, method.line, method.index) == ("f", 3, 0)


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfclass A { int f() { return 1; } }",
        b"class A {\r\n\tint f() {\r\n\t\treturn 1;\r\n\t}\r\n}",
        b'class A { /* caf\xe9 */ String s = "\xe9"; int f() { // \xe9\n return 1; } }',
        "class Ä { int größe() { return 1; } }".encode(),
        b"class A { int f() {\x0creturn 1; } }",
    ],
    ids=["bom", "crlf", "latin-1", "utf-8", "form-feed"],
)
def test_unusual_bytes_parse(data: bytes) -> None:
    assert not parse(data).has_error
    (method,) = _methods(data)
    assert data[method.start : method.end].startswith(b"int")


@pytest.mark.parametrize(
    "data",
    [
        b"class A { int f( { return 1; } }",
        b"class A { int f() { return 1; }",
        b"\xff\xfec\x00l\x00",
    ],
    ids=["error", "missing", "utf-16"],
)
def test_error_and_missing_nodes_are_seen(data: bytes) -> None:
    assert parse(data).has_error


def test_an_empty_file_has_no_methods() -> None:
    assert _methods(b"") == []


def test_deep_nesting_does_not_overflow() -> None:
    depth = 20_000
    tree = parse(b"class A { int f() { return " + b"(" * depth + b"1" + b")" * depth + b"; } }")
    assert tree.kind.count("parenthesized_expression") == depth


def test_lines_end_at_line_feeds_only() -> None:
    starts = line_starts(b"a\r\nb\x0cc\x85\n")
    assert starts == [0, 3, 8]
    assert [line_of(starts, at) for at in (0, 2, 3, 7, 8)] == [1, 1, 2, 2, 3]


def _variant(data: bytes, edit: Edit) -> bytes:
    method = _methods(data)[-1]
    variant = make_variant(method, [Site("XX", 0, edit.start, (edit,))], "single")
    tree = reparse(variant)
    assert variant.data[variant.start :].startswith(tree.bytes_of(0))
    return tree.bytes_of(0)


def test_the_reparse_gives_the_transformed_method_alone() -> None:
    data = b"class A { int f() { return 1; }\n int f() { return 22; } }"
    at = data.index(b"22")
    assert _variant(data, Edit(at, at + 2, b"333")) == b"int f() { return 333; }"


def test_edits_of_earlier_methods_move_the_later_one() -> None:
    data = b"class A { int f() { return 1; }\n int f() { return 22; } }"
    assert _variant(data, Edit(0, 0, b"/* new */ ")) == b"int f() { return 22; }"


@pytest.mark.parametrize("text", [b"(", b"} }", b"int "])
def test_a_variant_that_does_not_parse_is_broken(text: bytes) -> None:
    data = b"class A { int f() { return 1; } }"
    at = data.index(b"1;")
    with pytest.raises(BrokenVariantError):
        _variant(data, Edit(at, at, text))


def test_a_variant_of_a_large_file_costs_what_its_method_costs() -> None:
    member = b"int f(int a, int b) { int c = a + b; return c; }\n"
    file = SourceFile("A.java", b"class A {\n" + member * 40_000 + b"}")
    method = next(methods(file, parse(file.data)))
    at = file.data.index(b"int c")
    variant = make_variant(method, [Site("XX", 0, at, (Edit(at, at, b"int d; "),))], "single")
    started = time.process_time()
    for _ in range(100):
        assert reparse(variant).kind[0] == "method_declaration"
    assert time.process_time() - started < 1
