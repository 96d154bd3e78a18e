"""Near-copies of known files: an exact search, by an index of their rarest tokens."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from metamorph.duplicates.bags import Bag, bag_similarity, set_similarity

_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When two files are near-copies: both similarities reach their least value.

    least_tokens: files with fewer tokens, repeats counted, are too small to tell; strict: the
    similarities must be above the least values.
    """

    keys: float = 0.8
    bags: float = 0.7
    least_tokens: int = 20
    strict: bool = False


class CopyIndex:
    """Finds which of a fixed set of files a given file is a near-copy of.

    Two sets whose Jaccard similarity is t or more share a token among the first
    size - ceil(t * size) + 1 of each, in whatever order, so only those are indexed and looked
    up, the rarest first. Nothing is missed; every candidate is compared in full.
    """

    def __init__(self, files: Mapping[str, Bag], thresholds: Thresholds | None = None) -> None:
        self._thresholds = thresholds or Thresholds()
        self._files = {name: bag for name, bag in files.items() if self._large_enough(bag)}
        self._spread: Counter[str] = Counter()
        for bag in self._files.values():
            self._spread.update(bag.keys())
        self._holders: dict[str, list[str]] = defaultdict(list)
        for name, bag in self._files.items():
            for token in self._prefix(bag):
                self._holders[token].append(name)

    def __len__(self) -> int:
        return len(self._files)

    def copies(self, bag: Bag) -> list[str]:
        """The names of the files that `bag` is a near-copy of, sorted."""
        if not self._large_enough(bag):
            return []
        candidates: set[str] = set()
        for token in self._prefix(bag):
            candidates.update(self._holders.get(token, ()))
        return sorted(name for name in candidates if self._alike(bag, self._files[name]))

    def _large_enough(self, bag: Bag) -> bool:
        return sum(bag.values()) >= self._thresholds.least_tokens

    def _prefix(self, bag: Bag) -> list[str]:
        spread = self._spread
        rarest = sorted(bag, key=lambda token: (spread[token], token))
        return rarest[: len(bag) - ceil(self._thresholds.keys * len(bag) - _SLACK) + 1]

    def _alike(self, one: Bag, other: Bag) -> bool:
        limits = self._thresholds
        keys, bags = set_similarity(one, other), bag_similarity(one, other)
        if limits.strict:
            return keys > limits.keys and bags > limits.bags
        return keys >= limits.keys and bags >= limits.bags
