"""Edits keep every byte outside them, and tell where lines and bytes went."""

import random

import pytest

from metamorph.java.edits import Edit, OverlapError, apply, line_map, moved


def test_bytes_outside_the_edits_stay() -> None:
    assert apply(b"\xef\xbb\xbfa\r\n\tb\xe9", [Edit(3, 4, b"xyz")]) == b"\xef\xbb\xbfxyz\r\n\tb\xe9"


def test_edits_are_applied_in_order_of_position_whatever_order_they_come_in() -> None:
    edits = [Edit(4, 5, b"E"), Edit(0, 1, b"A"), Edit(2, 2, b"-")]
    assert apply(b"abcde", edits) == b"Ab-cdE"


def test_insertions_at_one_point_keep_their_order() -> None:
    assert apply(b"ab", [Edit(1, 1, b"1"), Edit(1, 1, b"2")]) == b"a12b"


def test_inner_constructs_close_before_outer_ones_whatever_the_order() -> None:
    outer = [Edit(0, 0, b"(", 0), Edit(2, 2, b")", 0)]
    inner = [Edit(1, 1, b"[", 0), Edit(2, 2, b"]", -1)]
    assert apply(b"ab", outer + inner) == apply(b"ab", inner + outer) == b"(a[b])"


def test_an_insertion_stands_before_a_replacement_that_starts_there() -> None:
    assert apply(b"ab", [Edit(1, 2, b"B"), Edit(1, 1, b"-")]) == b"a-B"


def test_overlaps_are_refused() -> None:
    with pytest.raises(OverlapError):
        apply(b"abcd", [Edit(0, 2, b""), Edit(1, 3, b"")])


def test_an_edit_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match="ends before"):
        apply(b"abcd", [Edit(2, 1, b"")])


@pytest.mark.parametrize(
    ("data", "edits", "expected"),
    [
        (b"a\nb\nc\n", [], ((1, 4, 1),)),
        (b"a\nb\nc\n", [Edit(2, 3, b"x")], ((1, 1, 1), (3, 4, 3))),
        (b"a\nb\nc\n", [Edit(2, 2, b"n\n")], ((1, 1, 1), (2, 4, 3))),
        (b"a\nb\nc\n", [Edit(2, 4, b"")], ((1, 1, 1), (3, 4, 2))),
        (b"a\nb\nc", [Edit(1, 1, b"\nq")], ((2, 3, 3),)),
        (b"a\nb\nc", [Edit(0, 5, b"z")], ()),
        (b"a\nb\nc\nd", [Edit(0, 1, b"1"), Edit(4, 5, b"3")], ((2, 2, 2), (4, 4, 4))),
        (b"a b\nc", [Edit(0, 1, b"1"), Edit(2, 3, b"2")], ((2, 2, 2),)),
    ],
)
def test_the_line_map_holds_the_unedited_lines(
    data: bytes, edits: list[Edit], expected: tuple[tuple[int, int, int], ...]
) -> None:
    assert line_map(data, edits) == expected


@pytest.mark.parametrize("text", [b"x", b"x\n", b"\nx"])
@pytest.mark.parametrize("data", [b"a\nb", b"a\nb\n"])
def test_a_last_line_that_goes_on_behind_the_end_is_edited(data: bytes, text: bytes) -> None:
    edits = [Edit(len(data), len(data), text)]
    before, after = data.split(b"\n"), apply(data, edits).split(b"\n")
    for first, last, target in line_map(data, edits):
        assert before[first - 1 : last] == after[target - 1 : target + last - first]
    assert line_map(data, edits)[0][:2] == (1, data.count(b"\n"))


def _random_edits(rng: random.Random, data: bytes) -> list[Edit]:
    cuts = sorted(rng.randint(0, len(data)) for _ in range(2 * rng.randint(0, 4)))
    texts = (b"", b"x", b"x\n", b"\n", b"x\ny")
    return [Edit(a, b, rng.choice(texts)) for a, b in zip(cuts[::2], cuts[1::2], strict=True)]


@pytest.mark.parametrize("seed", range(300))
def test_mapped_lines_and_moved_bytes_are_found_again(seed: int) -> None:
    rng = random.Random(seed)
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    data = "".join(rng.choice(["\n", next(letters)]) for _ in range(20)).encode()
    edits = _random_edits(rng, data)
    after = apply(data, edits)
    lines_before, lines_after = data.split(b"\n"), after.split(b"\n")
    for first, last, first_after in line_map(data, edits):
        for line in range(first, last + 1):
            assert lines_before[line - 1] == lines_after[line - first + first_after - 1]
    for at, byte in enumerate(data):
        if byte != 10 and not any(e.start <= at < e.end for e in edits):
            assert after[moved(at, edits)] == byte
