"""Splitting a lower-case run of letters into known words: `httpclient` -> http, client."""

from collections.abc import Mapping
from math import log

_UNKNOWN_LETTER = 14.0
_LONGEST = 20
_REMEMBERED = 100_000
MOST_WORDS = 6
"""Of a token; words beyond are left out."""


class Segmenter:
    """The likeliest split by word frequencies; letters that no word covers cost dearly.

    Answers are remembered, so a token costs its work once.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        total = log(sum(counts.values()) + 1)
        self._costs = {
            word: total - log(count) for word, count in counts.items() if len(word) <= _LONGEST
        }
        self._known: dict[str, tuple[str, ...]] = {}

    def split(self, token: str) -> tuple[str, ...]:
        """The words of `token` in order; uncovered letters are left out."""
        words = self._known.get(token)
        if words is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            words = self._known[token] = self._split(token)
        return words

    def _split(self, token: str) -> tuple[str, ...]:
        costs = self._costs
        best = [0.0]
        words: list[str] = [""]
        for end in range(1, len(token) + 1):
            least, word = best[end - 1] + _UNKNOWN_LETTER, ""
            for start in range(max(0, end - _LONGEST), end):
                cost = costs.get(token[start:end])
                if cost is not None and best[start] + cost < least:
                    least, word = best[start] + cost, token[start:end]
            best.append(least)
            words.append(word)
        found: list[str] = []
        end = len(token)
        while end:
            if words[end]:
                found.append(words[end])
            end -= len(words[end]) or 1
        return tuple(reversed(found))[:MOST_WORDS]
