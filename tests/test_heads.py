"""The first contexts of a long method's head are those of the whole method."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from metamorph.java.tree import Tree, parse_edited, parse_method
from metamorph.models.contexts import extract, extract_each, extract_numbers, head, heads
from metamorph.models.contexts.heads import settled
from metamorph.models.contexts.shapes import Shape, shape

HEADERS = (
    "void f()",
    "@Test public void f() throws Exception",
    "@A(x = 1) @B static <T extends Comparable<T>> Map<String, List<T>> f(int a, T... rest)",
    "int f(int a, String b, long c)[]",
    "private boolean f(@N final Object other)",
)
STATEMENTS = (
    "g(a, 1);",
    "int v = a + b * 2, w = 3;",
    'assertEquals("x", util.get(a)[0].size());',
    ";",
    "// a remark\n",
    "/* one */ a++; /* two */",
    "if (a > 1) { b = 2; } else if (b) c(); else { }",
    "for (int i = 0, j = 9; i < j; i++, j--) { g(i); h(j); }",
    "for (String s : all) use(s);",
    "try { open(a); } catch (A | B e) { g(e); } finally { close(); }",
    "run(() -> { int q = 1; return q + a; });",
    "class Local { int x = 1; int y() { return x; } }",
    "new Object() { void z() { g(1); } }.z();",
    "switch (a) { case 1: g(2); break; default: h(3); }",
    "label: while (true) { do { break label; } while (a); }",
    "synchronized (this) { { a = 1; } }",
    "{ }",
)


def _text(rng: random.Random, statements: int) -> bytes:
    body = "\n".join(rng.choices(STATEMENTS, k=statements))
    return f"{rng.choice(HEADERS)} {{\n{body}\n}}".encode()


def _variants(rng: random.Random, statements: int) -> Iterator[Tree]:
    """A method with one statement more, at several places."""
    text = _text(rng, statements)
    for at in [i + 1 for i, byte in enumerate(text) if byte == ord("\n")][:: statements // 4]:
        more = rng.choice(STATEMENTS).encode() + b"\n"
        tree = parse_edited(text, [(at, at, len(more))], text[:at] + more + text[at:])
        if tree is not None and not tree.has_error:
            assert tree.earlier is not None
            yield tree


def _cut(tree: Tree, most: int) -> Shape:
    return replace(shape(tree.head(most), 0), whole=tree)


def test_a_head_has_whole_statements_until_there_are_nodes_enough() -> None:
    rng = random.Random(1)
    for tree in _variants(rng, 30):
        whole = parse_method(tree.data)
        assert whole is not None
        body = whole.child(0, "body")
        for most in (1, 20, 50, 100):
            part, fresh = tree.head(most), whole.head(most)
            assert (part.kind, part.parent, part.after) == (fresh.kind, fresh.parent, fresh.after)
            size = len(part.kind)
            assert size == next(s for s in whole.children(body) if s >= max(most, body + 2))
            assert part.kind == whole.kind[:size]
            assert part.start == whole.start[:size]
            assert part.parent == whole.parent[:size]
            assert part.after == [min(after, size) for after in whole.after[:size]]
            assert all(tree.taken[node] == old for node, old in part.taken.items())


def test_the_first_contexts_are_the_same_wherever_the_head_ends() -> None:
    rng = random.Random(2)
    enough = short = 0
    for number in range(100):
        for tree in _variants(rng, 8 + number):
            most, limit = rng.choice((1, 15, 40, 90, 200, 400)), rng.choice((1, 2, 7, 20, 60, 200))
            cut = _cut(tree, most)
            found = next(extract_each([cut], "code2seq", limit))
            assert found == extract(tree, 0, "code2seq", limit), (most, limit, tree.data)
            is_enough = settled([cut], limit)[0][0].whole is not None
            enough += is_enough
            short += not is_enough
    assert enough > 50
    assert short > 50


def test_methods_together_are_completed_each_for_itself() -> None:
    rng = random.Random(5)
    trees = [tree for number in range(12) for tree in _variants(rng, 20 + number)]
    shapes = [_cut(tree, rng.choice((10, 60, 150))) for tree in trees]
    found = list(extract_each(shapes, "code2vec", 30))
    assert found == [extract(tree, 0, "code2vec", 30) for tree in trees]
    assert 0 < sum(each.whole is None for each in settled(shapes, 30)[0]) < len(shapes)


def test_a_long_method_of_many_statements_is_known_by_its_head() -> None:
    text = b"void f() {\n" + b"  assertEquals(1, get(a, 2));\n" * 300 + b"}"
    at = len(text) // 2 // 30 * 30
    at = text.index(b"\n", at) + 1
    tree = parse_edited(text, [(at, at, 4)], text[:at] + b"g();" + text[at:])
    assert tree is not None
    part = head(tree, 0, 200)
    assert part.whole is tree
    assert len(part.nodes.label) < len(shape(tree, 0).nodes.label) / 2
    numbers = extract_numbers([(tree, 0)], 200)
    words = extract(tree, 0, "code2vec", 200)
    assert not words.complete
    assert numbers.complete == [False]
    assert [numbers.tokens[n] for n in numbers.left] == [left for left, _, _ in words.contexts]
    assert list(map(str, numbers.hashes)) == [path for _, path, _ in words.contexts]


def test_a_variant_longer_than_its_original_in_contexts_is_completed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(heads, "_NODES", 40)
    text = b"void f() {\n" + b"  g(a, b, c);\n" * 20 + b"}"
    at = text.index(b"\n") + 1
    more = b"{ " * 6 + b"int i = 1; " * 20 + b"}" * 6
    tree = parse_edited(text, [(at, at, len(more))], text[:at] + more + text[at:])
    assert tree is not None
    part = head(tree, 0, 12)
    assert part.whole is tree
    assert settled([part], 12)[0][0].whole is None
    assert next(extract_each([part], "code2vec", 12)) == extract(tree, 0, "code2vec", 12)


def test_a_method_whose_first_contexts_are_far_apart_is_looked_at_whole() -> None:
    text = b"void f() {\n" + b"  { { { { g(); } } } }\n" * 300 + b"}"
    tree = parse_edited(text, [(11, 11, 4)], text[:11] + b"h();" + text[11:])
    assert tree is not None
    assert head(tree, 0, 200).whole is None
