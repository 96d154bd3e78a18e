"""The surprise of the tokens that no edit touches, before and after."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metamorph.duplicates.lexing import placed
from metamorph.oracles.untouched import Tokens, untouched

FILE = b"/* head */ int f(int a) { return a + 1; }"
FIRST = FILE.index(b"int f")


def tokens(data: bytes, bits: dict[bytes, float], first: int = 0) -> Tokens:
    """The tokens from `first` on with the surprise of each by its text."""
    found, starts = placed(data[first:])
    begin = np.array(starts, np.int64) + first
    lengths = np.array([len(token) for token in found], np.int64)
    return begin, begin + lengths, np.array([bits.get(token, 1.0) for token in found])


def edited(edits: list[tuple[int, int, str]]) -> bytes:
    """The method after the edits, the original's head left out."""
    data = FILE
    for start, end, text in sorted(edits, reverse=True):
        data = data[:start] + text.encode() + data[end:]
    return data[FIRST:]


def at(text: bytes, nth: int = 0) -> int:
    """Where the nth occurrence of a text begins in the method."""
    place = FIRST - 1
    for _ in range(nth + 1):
        place = FILE.index(text, place + 1)
    return place


def test_renamed_tokens_are_left_out_and_the_others_matched() -> None:
    name = at(b" a)") + 1
    use = at(b" a +") + 1
    edits = [(name, name + 1, "var0"), (use, use + 1, "var0")]
    after = tokens(edited(edits), {b"return": 5.0, b"var0": 100.0})
    before = tokens(FILE, {b"return": 2.0, b"a": 50.0}, FIRST)
    assert untouched(before, after, edits) == pytest.approx(((2 + 10) / 11, (5 + 10) / 11))


def test_inserted_tokens_are_left_out() -> None:
    brace = at(b"{") + 1
    edits = [(brace, brace, " int b = 0;")]
    after = tokens(edited(edits), {b"b": 100.0, b"=": 100.0, b"0": 100.0})
    assert untouched(tokens(FILE, {}, FIRST), after, edits) == (1.0, 1.0)


def test_a_token_that_an_insertion_grows_into_is_no_longer_itself() -> None:
    place = at(b"a)")
    edits = [(place, place, "ab")]
    after = tokens(edited(edits), {b"aba": 100.0})
    before = tokens(FILE, {b"a": 14.0}, FIRST)
    # The use of `a` is still there, its declaration is not.
    assert untouched(before, after, edits) == pytest.approx(((14 + 11) / 12, 1.0))


def test_edits_of_other_parts_of_the_file_do_not_count() -> None:
    edits = [(0, 2, "/** doc"), (len(FILE), len(FILE) + 0, "")]
    before = tokens(FILE, {}, FIRST)
    assert untouched(before, tokens(FILE[FIRST:], {}), edits) == (1.0, 1.0)


def test_where_nothing_is_left_there_is_no_mean() -> None:
    edits = [(FIRST, len(FILE), "")]
    nothing = np.zeros(0, np.int64)
    none = (nothing, nothing, np.zeros(0))
    assert untouched(tokens(FILE, {}, FIRST), none, edits) is None
    assert untouched(none, none, []) is None


@given(st.integers(0, 2**32))
def test_tokens_that_are_matched_have_the_same_text(seed: int) -> None:
    rng = random.Random(seed)
    edits, reach = [], FIRST
    while reach < len(FILE):
        start = rng.randint(reach, len(FILE))
        end = min(len(FILE), start + rng.choice((0, 0, 1, 3)))
        edits.append((start, end, rng.choice(("", " ", "x", " y ", "(z)", "/* c */"))))
        reach = end + 1
    words = {token: float(hash(token) % 97) for token in (*placed(FILE)[0], b"x", b"y", b"z")}
    after = tokens(edited(edits), words)
    found = untouched(tokens(FILE, words, FIRST), after, edits)
    if found is not None:
        assert found[0] == pytest.approx(found[1])
