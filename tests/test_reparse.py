"""A variant's tree, made from its original's, is the tree that its own text has."""

import random
from pathlib import Path

import pytest

from metamorph.java.edits import Edit
from metamorph.java.methods import Method, methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse, parse_edited, parse_method
from metamorph.java.variants import make_variant, reparse
from metamorph.models.contexts import shape
from metamorph.runs.checks import is_sound
from metamorph.runs.rows import BROKEN, VariantRow
from metamorph.runs.settings import Settings
from metamorph.runs.variations import Variation
from metamorph.transforms import codes, load
from metamorph.transforms._protocol import Choices

CASES = sorted((Path(__file__).parent.parent / "fixtures" / "transforms").glob("*/*/before.java"))
SCRAPS = (b"", b" ", b";", b"}", b"{ }", b"(", b'"', b"'", b"/*", b"*/", b"//\n", b"x", b"\xff\xfe")


def _lists(tree: Tree) -> tuple[list[object], ...]:
    lists = (tree.kind, tree.start, tree.end, tree.parent, tree.field, tree.after, tree.named)
    return tuple(list(each) for each in lists)


def _same(left: Tree | None, right: Tree | None) -> bool:
    if left is None or right is None:
        return left is right
    return _lists(left) == _lists(right) and left.has_error == right.has_error


def _programs(path: Path) -> list[Method]:
    data = path.read_bytes()
    tree = parse(data)
    return [] if tree.has_error else list(methods(SourceFile(str(path), data), tree))


@pytest.mark.parametrize("code", codes())
def test_every_variant_of_the_fixtures_has_the_tree_of_its_text(code: str) -> None:
    compared = 0
    for method in (method for path in CASES[::3] for method in _programs(path)):
        choices = Choices.for_file(method.file.data, random.Random(1))
        for site in load(code).sites(method, choices):
            if isinstance(site, Site):
                variant = make_variant(method, [site], "single")
                assert _same(reparse(variant), parse_method(variant.text)), variant.text
                compared += 1
    assert compared > 10


def test_whatever_the_edits_the_tree_is_that_of_the_text() -> None:
    rng = random.Random(3)
    broken = 0
    for path in CASES[::7]:
        for method in _programs(path):
            text = method.file.data[method.start : method.end]
            at, stop = sorted(rng.choices(range(len(text) + 1), k=2))
            stop = min(stop, at + 3)
            scrap = rng.choice(SCRAPS)
            edited = text[:at] + scrap + text[stop:]
            fresh = parse_method(edited)
            assert _same(parse_edited(text, [(at, stop, len(scrap))], edited), fresh), edited
            broken += fresh is None or fresh.has_error
    assert broken > 10


MANY = b"""void f(int a) throws E {
  if (a > 1) g(a, "one");
  // a remark
  int b = a, c[] = { 1, 2 };
  try { h(b); } catch (E e) { throw e; }
  { b++; }
  /* two */ for (int i = 0; i < 9; i++) { g(i); } // behind
  b = c[0] + a;
  run(() -> { h(1); return 2; });
  return;
}"""
STATEMENTS = (b"if", b"int b", b"try", b"{ b++", b"/* two", b"for", b"b = c", b"run", b"return")
INSERTED = (
    b"k();",
    b"if (a < 0) ",
    b"if (a < 0) k(); else ",
    b"else ",
    b"else { } ",
    b"catch (F e) { } ",
    b"finally { } ",
    b"int ",
    b"x: ",
    b"synchronized (this) ",
    b"class L ",
    b"do ",
    b"while (a > 0);",
    b"// ",
    b"/* three */",
    b"/* ",
    b"*/ ",
    b"} { ",
    b"} ",
    b"{ ",
    b"; ",
    b"+ 1; ",
    b"case 1: ",
    b"( ",
    b"\xe9",
)


def _taken_as_made(text: bytes, edits: list[tuple[int, int, bytes]]) -> int:
    """How many nodes an edited text's tree took over, once it is seen to be that of its text."""
    edited = text
    for start, end, new in reversed(edits):
        edited = edited[:start] + new + edited[end:]
    tree = parse_edited(text, [(start, end, len(new)) for start, end, new in edits], edited)
    assert _same(tree, parse_method(edited)), edited
    return len(tree.taken) if tree else 0


def test_statements_beside_an_insertion_have_the_nodes_of_the_new_text() -> None:
    taken = [
        _taken_as_made(MANY, [(at, at, new)])
        for at in map(MANY.index, STATEMENTS)
        for new in INSERTED
    ]
    assert sum(each > 5 for each in taken) > 80


def test_statements_between_two_edits_have_the_nodes_of_the_new_text() -> None:
    places = [MANY.index(statement) for statement in STATEMENTS]
    taken = [
        _taken_as_made(MANY, [(first, first, one), (second, second, other)])
        for number, first in enumerate(places)
        for second in places[number:]
        for one, other in zip(INSERTED, (*INSERTED[3:], *INSERTED[:3]), strict=True)
    ]
    taken += [
        _taken_as_made(MANY, [(first, first, one), (second, second, other)])
        for number, first in enumerate(places)
        for second in places[number:]
        for one, other in ((b"/* ", b"*/ "), (b"{ ", b"} "), (b"try { ", b"} finally { } "))
    ]
    assert sum(each > 3 for each in taken) > 200


def test_statements_beside_one_that_is_gone_or_another_have_the_nodes_of_the_new_text() -> None:
    places = [*map(MANY.index, STATEMENTS), len(MANY) - 1]
    taken = [
        _taken_as_made(MANY, [(start, stop, new)])
        for number, start in enumerate(places)
        for stop in places[number + 1 :]
        for new in (b"", b"k(); ", b"int k; ", b"// ", b"if (a > 2) ")
    ]
    assert sum(each > 3 for each in taken) > 80


def _broken_variation() -> Variation:
    method = next(methods(FILE, parse(FILE.data)))
    at = FILE.data.index(b"return")
    variant = make_variant(method, [Site("XX", 0, at, (Edit(at, at, b"("),))], "single")
    return Variation(VariantRow("XX", "single", (0,), 1, {}, []), variant)


FILE = SourceFile("A.java", b"class A { int f() { return 1; } }")


def test_the_syntax_check_finds_a_broken_variant() -> None:
    variation = _broken_variation()
    assert not is_sound(variation, Settings((), "", (), check="syntax"))
    assert variation.row.status == BROKEN


def test_without_a_check_a_broken_variant_passes() -> None:
    variation = _broken_variation()
    assert is_sound(variation, Settings((), "", (), check="none"))
    assert variation.row.status == ""


def test_contexts_of_variants_are_those_of_their_text() -> None:
    taken = 0
    for method in (method for path in CASES[1::6] for method in _programs(path)):
        for code in codes():
            choices = Choices.for_file(method.file.data, random.Random(1))
            for site in load(code).sites(method, choices):
                if isinstance(site, Site):
                    variant = make_variant(method, [site], "single")
                    tree, fresh = reparse(variant), parse_method(variant.text)
                    assert fresh is not None
                    found, wanted = (shape(each, 0).nodes for each in (tree, fresh))
                    for name in ("label", "parent", "child_id", "text"):
                        assert getattr(found, name) == getattr(wanted, name), variant.text
                    taken += len(tree.taken)
    assert taken > 1000
