"""Delta debugging: minimal parts, whatever it is that makes a part fail."""

from collections.abc import Sequence
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from metamorph.runs.minimising import minimal, smallest


@given(st.sets(st.frozensets(st.integers(0, 7), min_size=1, max_size=4), min_size=1, max_size=4))
def test_a_minimal_part_fails_and_without_any_item_it_does_not(
    causes: set[frozenset[int]],
) -> None:
    def fails(part: Sequence[int]) -> bool:
        return any(cause <= set(part) for cause in causes)

    if not fails(range(8)):
        return
    part = minimal(range(8), fails)
    assert fails(part)
    assert not any(fails([item for item in part if item != left_out]) for left_out in part)
    least, certain = smallest(range(8), part, fails, 256)
    assert certain and fails(least) and len(least) == min(map(len, causes))


@given(st.data())
def test_a_minimal_part_is_minimal_even_where_more_may_undo_it(data: st.DataObject) -> None:
    sets = [part for size in range(1, 6) for part in combinations(range(5), size)]
    bad = {*data.draw(st.sets(st.sampled_from(sets))), tuple(range(5))}
    part = minimal(range(5), lambda part: tuple(part) in bad)
    assert tuple(part) in bad
    assert not any(tuple(i for i in part if i != left_out) in bad for left_out in part)


def test_few_questions_find_one_culprit_of_many() -> None:
    asked = []

    def fails(part: Sequence[int]) -> bool:
        asked.append(part)
        return 437 in part

    assert minimal(range(1000), fails) == [437]
    assert len(asked) <= 20
