"""Delta debugging: the smallest part of a whole that still does what the whole does."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from math import comb
from typing import TypeVar

T = TypeVar("T")

Test = Callable[[Sequence[T]], bool]


def minimal(whole: Sequence[T], fails: Test[T]) -> list[T]:
    """A part that fails, while without any one of its items it does not (ddmin, Zeller 2002).

    The whole must fail. Parts keep the order of the whole; of the many minimal parts that there
    may be this is one, not always the smallest.
    """
    left = list(whole)
    parts = 2
    while len(left) > 1:
        found = next((part for part in _parts(left, parts) if fails(part)), None)
        if found is not None:
            left, parts = found, 2
            continue
        found = next((rest for rest in _rests(left, parts) if fails(rest)), None)
        if found is not None:
            left, parts = found, max(parts - 1, 2)
        elif parts >= len(left):
            break
        else:
            parts = min(2 * parts, len(left))
    return left


def _parts(items: list[T], parts: int) -> Iterator[list[T]]:
    """So many parts of equal length, as far as that goes."""
    bounds = [len(items) * n // parts for n in range(parts + 1)]
    yield from (items[start:end] for start, end in pairwise(bounds))


def _rests(items: list[T], parts: int) -> Iterator[list[T]]:
    """The items without each of the parts; of two parts these are the parts again."""
    if parts > 2:
        bounds = [len(items) * n // parts for n in range(parts + 1)]
        for start, end in pairwise(bounds):
            yield items[:start] + items[end:]


def smallest(whole: Sequence[T], part: list[T], fails: Test[T], most: int) -> tuple[list[T], bool]:
    """The smallest part that fails, if all smaller ones than `part` are few enough to be tried.

    With it, whether it is certain that none is smaller. most: how many are tried.
    """
    for size in range(1, len(part)):
        most -= comb(len(whole), size)
        if most < 0:
            return part, False
        found = next((each for each in combinations(whole, size) if fails(each)), None)
        if found is not None:
            return list(found), True
    return part, True
