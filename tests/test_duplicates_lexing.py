"""Tokens at the level of the lexer, and the bags that are made of them without Python objects."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metamorph.duplicates import fingerprints, lexing
from metamorph.duplicates.bags import tokens as parsed_tokens
from metamorph.duplicates.fingerprints import Bags, bags_of_lists, bags_of_pieces
from metamorph.duplicates.lexing import ALL, IDENTIFIERS, PAPER, pieces, tokens
from metamorph.java.tree import parse

SAMPLE = sorted((Path(__file__).parent.parent / "fixtures" / "corpus").rglob("*.java"))


def words(code: str, rule: str = PAPER) -> list[str]:
    return sorted(token.decode() for token in tokens(code.encode(), rule))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("int a = b + 1;", ["1", "a", "b"]),
        ("package p.q; import r.S;", ["S", "p", "q", "r"]),
        ("x = true ? null : false;", ["false", "null", "true", "x"]),
        ("var record = yield;", ["record", "var", "yield"]),
        ("_ -> $a1", ["$a1"]),
        ("a/*b*/c//d\ne", ["a", "c", "e"]),
        ("/** a * b ** / c */d/**/e/***/f", ["d", "e", "f"]),
        ('"a b" + "c\\"d" + ""', ['""', '"a b"', '"c\\"d"']),
        ('"/* no comment" x "//" y', ['"/* no comment"', '"//"', "x", "y"]),
        ("'\"' + a + '\\'' + '\\\\' + '\\177'", ["'\"'", "'\\''", "'\\177'", "'\\\\'", "a"]),
        ('x = """\n a "b" \\""" c\n""" + y', ['"""\n a "b" \\""" c\n"""', "x", "y"]),
        ("0x1F+0b1_0+017L+0xEp-3+0xE+1", ["017L", "0b1_0", "0x1F", "0xE", "0xEp-3", "1"]),
        ("1.5e+3+.5f+1.+2.e-1-1e5d-3", [".5f", "1.", "1.5e+3", "1e5d", "2.e-1", "3"]),
        ("a1b2.c3[0].d", ["0", "a1b2", "c3", "d"]),
        ("größe = ñ;", ["größe", "ñ"]),
        ("int \\u0061bc = \\uuu0031;", ["1", "abc"]),
        ('"\\u0022 + x + \\u0022"', ['""', '""', "x"]),
        ('a = "\\\\u0041";', ['"\\\\u0041"', "a"]),
        ("\ufeffpackage a;", ["a"]),
        ("/* never closed a b", []),
        ('"never closed\na', ["a", "closed", "never"]),
        ("", []),
    ],
)
def test_identifiers_and_literals(code: str, expected: list[str]) -> None:
    assert words(code) == expected


def test_identifiers_alone_leave_out_every_literal() -> None:
    assert words("x = f(1, 'a', \"s\", true, null);", IDENTIFIERS) == ["f", "x"]


def test_all_tokens_have_keywords_and_signs_by_the_longest_match() -> None:
    code = "if (a >>>= 1) b::c; // d"
    expected = sorted(["if", "(", "a", ">>>=", "1", ")", "b", "::", "c", ";"])
    assert words(code, ALL) == expected


def test_escaped_names_are_the_same_whether_other_letters_are_ascii_or_not() -> None:
    ascii_only = words("\\u00e9t\\u00e9 \\ud83d\\ude00")
    assert ascii_only == words("été \U0001f600") == words("\\uu00e9té \U0001f600")


def test_bytes_of_other_encodings_are_letters() -> None:
    assert list(tokens("größe x".encode("latin-1"))) == ["größe".encode("latin-1"), b"x"]


def counts_of(bags: Bags, number: int) -> list[int]:
    return sorted(bags.counts[bags.starts[number] : bags.starts[number + 1]].tolist())


@pytest.mark.parametrize("rule", lexing.RULES)
def test_bags_count_as_a_counter_does(rule: str) -> None:
    sources = [path.read_bytes() for path in SAMPLE]
    bags = bags_of_pieces([pieces(data, rule) for data in sources], rule)
    counters = [Counter(tokens(data, rule)) for data in sources]
    assert [counts_of(bags, n) for n in range(len(bags))] == [sorted(c.values()) for c in counters]
    assert bags.totals().tolist() == [counter.total() for counter in counters]
    assert len(np.unique(bags.keys)) == len(set().union(*counters)), "a key a token"


RESERVED_IN_PLACES = {b"sealed", b"permits", b"record", b"non", b"yield", b"when"}


@pytest.mark.parametrize("path", SAMPLE, ids=lambda path: path.name)
def test_the_lexer_sees_the_identifiers_and_literals_of_the_parse(path: Path) -> None:
    data = path.read_bytes()
    tree = parse(data)
    parsed = Counter(data[tree.start[node] : tree.end[node]] for node in parsed_tokens(tree))
    seen = {
        text: count
        for text, count in Counter(tokens(data)).items()
        if text in parsed or text not in RESERVED_IN_PLACES
    }
    assert seen == parsed


TOKEN_LISTS = st.lists(st.lists(st.text(max_size=6) | st.text("ab", min_size=60, max_size=70)))


@settings(max_examples=100)
@given(TOKEN_LISTS)
def test_two_tokens_have_one_key_if_and_only_if_they_are_equal(files: list[list[str]]) -> None:
    bags = bags_of_lists(files)
    counters = [Counter(file) for file in files]
    assert [counts_of(bags, n) for n in range(len(bags))] == [sorted(c.values()) for c in counters]
    assert len(np.unique(bags.keys)) == len(set().union(*counters))


def test_bags_do_not_depend_on_how_files_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = [path.read_bytes() for path in SAMPLE]
    whole = bags_of_pieces([pieces(data) for data in sources], PAPER)
    monkeypatch.setattr(fingerprints, "_BLOCK", 1000)
    monkeypatch.setattr(lexing, "_LARGE", 300)
    assert len(list(pieces(sources[0]))) > 1
    parted = bags_of_pieces([pieces(data) for data in sources], PAPER)
    assert np.array_equal(whole.keys, parted.keys)
    assert np.array_equal(whole.counts, parted.counts)
    assert np.array_equal(whole.starts, parted.starts)


@settings(max_examples=200)
@given(st.text('a1."/*\n \\u;e+-', max_size=80), st.integers(1, 20))
def test_cutting_large_source_never_cuts_a_token(code: str, large: int) -> None:
    expected = sorted(tokens(code.encode()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexing, "_LARGE", large)
        assert sorted(tokens(code.encode())) == expected
