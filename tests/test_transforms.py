"""Every transformation against its folder of cases, `fixtures/transforms/<module>/<case>/`.

before.java is transformed; after-1.java, after-2.java, ... are the variants of its sites, one by
one, of all outermost methods in order; all.java has all of them at once, where the
transformation offers that and there are two or more; refusals.txt has a line `reason line` for
each candidate left alone. METAMORPH_REFRESH=1 writes what it would compare: read the diff then.
"""

import os
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import javalang
import pytest

from metamorph.java.edits import ordered
from metamorph.java.methods import Method, methods
from metamorph.java.sites import Refusal, Site
from metamorph.java.source import SourceFile, line_of, line_starts
from metamorph.java.tree import COMMENTS, parse
from metamorph.java.variants import Variant, make_variant, reparse
from metamorph.transforms import UnknownTransformError, codes, controls, load, parse_codes
from metamorph.transforms._protocol import Choices, Transform

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "transforms"
CASES = sorted(
    f"{path.parent.parent.name}/{path.parent.name}" for path in FOLDER.glob("*/*/before.java")
)
CODES = (*codes(), *controls())
REFRESH = os.environ.get("METAMORPH_REFRESH") == "1"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a transformation makes of a case: expected files by name, and the variants."""

    before: bytes
    files: dict[str, bytes]
    variants: list[Variant]
    sites: list[Site]


@cache
def outcome(case: str) -> Outcome:
    """The outcome of a case; the tests share it."""
    return transformed(case)


def transformed(case: str) -> Outcome:
    """Transform all outermost methods of the case's file."""
    before = (FOLDER / case / "before.java").read_bytes()
    transform, programs = module(case), outermost(before)
    single = [(method, found(transform, method, False)) for method in programs]
    chosen = [(m, site) for m, each in single for site in each if isinstance(site, Site)]
    variants = [make_variant(method, [site], "single") for method, site in chosen]
    files = {f"after-{n}.java": variant.data for n, variant in enumerate(variants, 1)}
    refused = [r for _, each in single for r in each if isinstance(r, Refusal)]
    files |= {"refusals.txt": refusal_lines(before, refused)} if refused else {}
    if "all" in transform.PLACES and len(chosen) > 1:
        together = all_at_once(transform, programs)
        variants.append(together)
        files["all.java"] = together.data
    return Outcome(before, files, variants, [site for _, site in chosen])


def module(case: str) -> Transform:
    """The transformation that the case belongs to."""
    name = case.partition("/")[0]
    return next(t for t in map(load, CODES) if t.__name__.rpartition(".")[2] == name)  # type: ignore[attr-defined]


def outermost(data: bytes) -> list[Method]:
    """The methods that lie in no other one: their sites hold those of the methods within."""
    kept: list[Method] = []
    for method in methods(SourceFile("before.java", data), parse(data)):
        if not kept or method.start >= kept[-1].end:
            kept.append(method)
    return kept


def found(transform: Transform, method: Method, together: bool) -> list[Site | Refusal]:
    """The sites and refusals of a method, as the run would ask for them."""
    choices = Choices.for_file(method.file.data, random.Random(7), distinct=together)
    return list(transform.sites(method, choices))


def all_at_once(transform: Transform, programs: Sequence[Method]) -> Variant:
    """All sites of all methods in one variant, with names that differ throughout."""
    choices = Choices.for_file(programs[0].file.data, random.Random(7), distinct=True)
    sites = [s for m in programs for s in transform.sites(m, choices) if isinstance(s, Site)]
    return make_variant(programs[0], sites, "all")


def refusal_lines(data: bytes, refusals: Sequence[Refusal]) -> bytes:
    """The content of refusals.txt."""
    starts = line_starts(data)
    lines = [f"{refusal.reason} {line_of(starts, refusal.anchor)}\n" for refusal in refusals]
    return "".join(lines).encode()


def expected(case: str) -> dict[str, bytes]:
    """The case's files by name, before.java left out."""
    files = {path.name: path.read_bytes() for path in (FOLDER / case).iterdir()}
    return {name: data for name, data in files.items() if name != "before.java"}


def refresh(case: str, files: dict[str, bytes]) -> None:
    """Make the folder hold exactly these files beside before.java."""
    for name in expected(case).keys() - files.keys():
        (FOLDER / case / name).unlink()
    for name, data in files.items():
        (FOLDER / case / name).write_bytes(data)


@pytest.mark.parametrize("case", CASES)
def test_variants_and_refusals_are_the_expected_ones(case: str) -> None:
    made = outcome(case).files
    if REFRESH:
        refresh(case, made)
        pytest.skip("refreshed")
    wanted = expected(case)
    assert sorted(made) == sorted(wanted)
    for name, data in wanted.items():
        assert made[name].decode(errors="replace") == data.decode(errors="replace"), name
        assert made[name] == data, name


@pytest.mark.parametrize("case", CASES)
def test_bytes_outside_the_edits_stay(case: str) -> None:
    for variant in outcome(case).variants:
        assert list(kept_pieces(variant))


def kept_pieces(variant: Variant) -> Iterator[bytes]:
    """What lies between the edits, checked to be in both texts where it should be."""
    before, after, at, moved_at = variant.original.file.data, variant.data, 0, 0
    for edit in ordered(variant.edits):
        piece = before[at : edit.start]
        assert after[moved_at : moved_at + len(piece)] == piece
        yield piece
        moved_at += len(piece) + len(edit.text)
        assert after[moved_at - len(edit.text) : moved_at] == edit.text
        at = edit.end
    assert after[moved_at:] == before[at:]
    yield before[at:]


@pytest.mark.parametrize("case", CASES)
def test_every_variant_changes_something_and_parses(case: str) -> None:
    for variant in outcome(case).variants:
        assert (variant.data != variant.original.file.data) == (variant.edits != ())
        assert not parse(variant.data).has_error
        assert reparse(variant).kind[0] == "method_declaration"


@pytest.mark.parametrize("case", CASES)
def test_a_second_parser_accepts_what_it_accepted_before(case: str) -> None:
    made = outcome(case)
    if not made.variants:
        pytest.skip("nothing is transformed")
    if not javalang_accepts(made.before):
        pytest.skip("newer Java than javalang knows")
    for variant in made.variants:
        assert javalang_accepts(variant.data)


def javalang_accepts(data: bytes) -> bool:
    """Whether javalang parses the file, or the bare method."""
    text = data.decode("utf-8-sig", "replace")
    for source in (text, f"class Bare {{\n{text}\n}}"):
        try:
            javalang.parse.parse(source)
        except (javalang.parser.JavaSyntaxError, javalang.tokenizer.LexerError, TypeError):
            continue
        return True
    return False


@pytest.mark.parametrize("case", CASES)
def test_the_line_map_holds_exactly_the_lines_that_stay(case: str) -> None:
    for variant in outcome(case).variants:
        before = variant.original.file.data.split(b"\n")
        after = variant.data.split(b"\n")
        mapped: set[int] = set()
        for first, last, first_after in variant.line_map:
            size = last - first + 1
            assert before[first - 1 : last] == after[first_after - 1 : first_after - 1 + size]
            mapped.update(range(first, last + 1))
        starts = line_starts(variant.original.file.data)
        rewritten = {line_of(starts, e.start) for e in variant.edits if e.start < e.end}
        touched = {
            line
            for edit in variant.edits
            for line in range(line_of(starts, edit.start), line_of(starts, edit.end) + 1)
        }
        assert not mapped & rewritten
        assert mapped | touched == set(range(1, len(before) + 1))


@pytest.mark.parametrize("case", CASES)
def test_fresh_names_are_new_and_sites_are_numbered(case: str) -> None:
    made = outcome(case)
    for site in made.sites:
        assert not words(made.before).intersection(site.fresh)
        assert all(new in site.fresh for _, new in site.names)
    for variant in made.variants:
        names = [name for site in variant.sites for name in site.fresh]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("case", CASES)
def test_no_comment_is_lost_or_doubled(case: str) -> None:
    before = comments(outcome(case).before)
    for variant in outcome(case).variants:
        after = comments(variant.data)
        names = [pair for site in variant.sites for pair in site.names]
        renamed = {new.encode(): old.encode() for old, new in names}
        assert before == Counter(original_words(text, renamed) for text in after.elements())


def comments(data: bytes) -> Counter[bytes]:
    """Every comment of a file, and how often it is there."""
    tree = parse(data)
    return Counter(tree.bytes_of(n) for n, kind in enumerate(tree.kind) if kind in COMMENTS)


def original_words(text: bytes, renamed: dict[bytes, bytes]) -> bytes:
    """The text with new names given back: Javadoc follows a renamed parameter."""
    return re.sub(rb"var\d+", lambda found: renamed.get(found[0], found[0]), text)


def words(data: bytes) -> set[str]:
    """Everything in the file that looks like a name, in comments and strings too."""
    return set(re.findall(r"[\w$]+", data.decode(errors="replace")))


@pytest.mark.parametrize("case", CASES)
def test_the_same_seed_gives_the_same_bytes(case: str) -> None:
    assert transformed(case).files == outcome(case).files


def test_only_the_identity_changes_nothing() -> None:
    assert {case.partition("/")[0] for case in CASES if not changed(case)} == {"identity"}


def changed(case: str) -> bool:
    """Whether the case has a variant that differs, or none at all."""
    variants = outcome(case).variants
    return not variants or any(variant.edits for variant in variants)


def test_codes_are_read_in_any_case_and_once() -> None:
    assert parse_codes("Identity,REFORMAT") == controls() == ["identity", "reformat"]
    assert not set(controls()) & set(codes())
    assert parse_codes("vn, VN") == ["VN"]
    assert parse_codes("all") == codes()
    assert codes() == sorted(codes())


def test_an_unknown_code_is_named_with_the_way_out() -> None:
    with pytest.raises(UnknownTransformError, match=r"^unknown transformation 'XX': choose among"):
        parse_codes("VN,XX")
