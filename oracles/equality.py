"""Equality: when two answers to the same question count as the same."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

RULES = ("exact", "ignore-case", "f1", "similarity", "within")
_LIKE = ("f1", "similarity")
_WITH_THRESHOLD = (*_LIKE, "within")

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"[\w$]+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Equality:
    """A rule, and the least likeness that it asks for where it measures one.

    within: both are numbers, and no farther apart than the threshold. f1: that of the words as
    multisets, whatever their order; the subtokens of a name are words.
    similarity: `likeness`, which heeds the order. Both count case, as `exact` does. Rules with a
    threshold are symmetric but not transitive.
    """

    rule: str
    threshold: float = 1.0

    def __str__(self) -> str:
        """The spelling from which `equality` reads the same value."""
        return f"{self.rule}:{self.threshold!r}" if self.rule in _WITH_THRESHOLD else self.rule

    def same(self, one: str, other: str) -> bool:
        """Whether the two answers count as the same."""
        if one == other:
            return True
        if self.rule == "ignore-case":
            return one.casefold() == other.casefold()
        if self.rule == "f1":
            return word_f1(one, other) >= self.threshold
        if self.rule == "within":
            return distance(one, other) <= self.threshold
        return self.rule == "similarity" and likeness(one, other) >= self.threshold


EXACT = Equality("exact")


def equality(spelling: str) -> Equality:
    """The equality of a spelling: exact, ignore-case, or with :T f1, similarity, within.

    Raises ValueError.
    """
    rule, colon, threshold = spelling.partition(":")
    if rule not in RULES:
        raise ValueError(f"unknown equality {spelling!r}: known are {', '.join(_spellings(RULES))}")
    if rule not in _WITH_THRESHOLD:
        if colon:
            raise ValueError(f"equality {spelling!r}: {rule} takes no threshold")
        return Equality(rule)
    try:
        least = float(threshold)
    except ValueError:
        least = 0.0
    most = 1.0 if rule in _LIKE else math.inf
    if not 0 < least <= most or math.isinf(least):
        bounds = "above 0 and at most 1" if rule in _LIKE else "a number above 0"
        raise ValueError(f"equality {spelling!r}: write {rule}:T, T {bounds}")
    return Equality(rule, least)


def permitted(spelling: str, rules: Sequence[str], default: str) -> Equality:
    """The equality of a spelling, "" for the default; ValueError where the rules lack it."""
    chosen = equality(spelling or default)
    if chosen.rule not in rules:
        known = ", ".join(_spellings(rules))
        raise ValueError(f"equality {spelling!r} does not suit the task: it takes {known}")
    return chosen


def _spellings(rules: Sequence[str]) -> list[str]:
    return [f"{rule}:T" if rule in _WITH_THRESHOLD else rule for rule in rules]


def distance(one: str, other: str) -> float:
    """How far apart two numbers are; infinitely, where one of them is none."""
    try:
        return abs(float(one) - float(other))
    except ValueError:
        return math.inf


def word_f1(one: str, other: str) -> float:
    """The harmonic mean of the shares of words, counted as often as they occur, in common."""
    words, others = Counter(_WORD.findall(one)), Counter(_WORD.findall(other))
    total = words.total() + others.total()
    return 2 * (words & others).total() / total if total else float(one == other)


def likeness(one: str, other: str) -> float:
    """2 * longest common subsequence / all tokens: the F1 form of ROUGE-L (Lin 2004).

    Tokens are words and single signs. As it sees only which tokens are equal, renaming in both
    texts alike does not move it, unlike measures over characters such as chrF.
    """
    tokens, others = _TOKEN.findall(one), _TOKEN.findall(other)
    total = len(tokens) + len(others)
    return 2 * _common(tokens, others) / total if total else float(one == other)


def _common(tokens: Sequence[str], others: Sequence[str]) -> int:
    """The length of the longest common subsequence, a bit a token (Hyyrö 2004)."""
    places: dict[str, int] = {}
    for at, token in enumerate(tokens):
        places[token] = places.get(token, 0) | 1 << at
    full = (1 << len(tokens)) - 1
    row = full
    for token in others:
        hits = row & places.get(token, 0)
        row = (row + hits | row - hits) & full
    return len(tokens) - row.bit_count()
