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


def _lists(tree: Tree) -> tuple[list[str], list[int], list[int], list[int], list[str], list[int]]:
    return tree.kind, tree.start, tree.end, tree.parent, tree.field, tree.after


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
