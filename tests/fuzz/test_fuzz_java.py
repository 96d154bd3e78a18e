"""Any program goes through the Java layer, all transformations and the contexts unharmed."""

import random

from hypothesis import given
from hypothesis import strategies as st
from splices import broken, budget, spliced

from metamorph.java.edits import apply
from metamorph.java.flow import flow
from metamorph.java.methods import Method, methods
from metamorph.java.scopes import resolve
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.java.types import file_types
from metamorph.java.variants import Variant, make_variant, reparse
from metamorph.models.contexts import extract
from metamorph.models.contexts.lines import context_lines, parse_source
from metamorph.runs.settings import Settings
from metamorph.runs.variations import found
from metamorph.transforms import codes, controls, load

SETTINGS = Settings(("A.java",), "", ())


def check_tree(tree: Tree, data: bytes) -> None:
    """Subtrees nest, and parts lie within the whole."""
    for node in range(len(tree.kind)):
        parent = tree.parent[node]
        assert node < tree.after[node] <= len(tree.kind)
        assert 0 <= tree.start[node] <= tree.end[node] <= len(data)
        if parent >= 0:
            assert parent < node < tree.after[node] <= tree.after[parent]
            assert tree.start[parent] <= tree.start[node]
            assert tree.end[node] <= tree.end[parent]


def check_variant(variant: Variant, data: bytes) -> None:
    """The variant parses, and all bytes outside of the edits are the original's."""
    reparse(variant)
    at = moved = 0
    after = apply(data, variant.edits)
    for edit in variant.edits:
        kept = data[at : edit.start]
        assert after[moved : moved + len(kept)] == kept
        assert edit.start >= at
        moved += len(kept) + len(edit.text)
        at = edit.end
    assert after[moved:] == data[at:]
    assert after == variant.data
    assert not parse(after).has_error


def check_method(method: Method, data: bytes) -> None:
    for code in (*codes(), *controls()):
        for place in load(code).PLACES:
            groups, _ = found(method, code, place, SETTINGS)
            for sites in groups:
                check_variant(make_variant(method, sites, place), data)
    for style in ("code2vec", "code2seq"):
        extract(method.tree, method.node, style, 500)


@given(st.randoms(use_true_random=True), st.booleans())
@budget(25)
def test_any_program_is_transformed_soundly(rng: random.Random, damaged: bool) -> None:
    data = broken(rng) if damaged else spliced(rng)
    tree = parse(data)
    check_tree(tree, data)
    resolve(tree), file_types(tree), flow(tree)
    if not tree.has_error:
        for method in methods(SourceFile("A.java", data), tree):
            check_method(method, data)


def test_broken_code_may_declare_names_outside_of_any_class() -> None:
    tree = parse(b"class A { private int x = 1; (")
    assert tree.has_error
    [x] = resolve(tree).bindings
    assert (tree.text(x.node), x.kind, x.references) == ("x", "field", ())


@given(st.one_of(st.binary(max_size=200), st.text(max_size=100).map(str.encode)))
@budget(60)
def test_any_bytes_are_read(data: bytes) -> None:
    for text in (data, b"class A { int f() { " + data + b" } }"):
        tree = parse_source(text)
        check_tree(tree, tree.data)
        for style in ("code2vec", "code2seq"):
            for comments in ("strip", "official"):
                list(context_lines(tree, style, 200, comments=comments))
