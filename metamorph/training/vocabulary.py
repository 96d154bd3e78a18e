"""Vocabularies: what occurs often enough to get a row of its own."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from metamorph.models.numerics import Longs
from metamorph.training.dataset import rows_of
from metamorph.training.shards import Shard


@dataclass(frozen=True, slots=True)
class Counts:
    """How often words occur, and in how many projects."""

    times: Counter[str] = field(default_factory=Counter)
    projects: Counter[str] = field(default_factory=Counter)

    def add(self, counted: Mapping[str, int]) -> None:
        """Add the words of one project."""
        self.times.update(counted)
        self.projects.update(counted.keys())


def count_labels(parts: Iterable[tuple[Shard, Longs]], *, split: bool = False) -> Counts:
    """How often the chosen methods have each name; with `split`, each subtoken."""
    names = Counts()
    for shard, chosen in parts:
        counted = Counter(shard.labels[index] for index in chosen.tolist())
        names.add(_parts(counted) if split else counted)
    return names


def count_contexts(
    parts: Iterable[tuple[Shard, Longs]], *, split: bool = False
) -> tuple[Counts, Counts]:
    """How often each token and path occurs in the chosen methods; with `split`, their parts."""
    tokens, paths = Counts(), Counts()
    for shard, chosen in parts:
        rows = shard.contexts[rows_of(shard.offsets, chosen)]
        ends = np.bincount(rows[:, 0], minlength=len(shard.tokens))
        ends += np.bincount(rows[:, 2], minlength=len(shard.tokens))
        middles = np.bincount(rows[:, 1], minlength=len(shard.paths))
        token_counts = _counted(shard.tokens, ends.tolist())
        path_counts = _counted(shard.paths, middles.tolist())
        tokens.add(_parts(token_counts) if split else token_counts)
        paths.add(_parts(path_counts) if split else path_counts)
    return tokens, paths


def most_common(counts: Counts, least: int, projects: int, limit: int) -> list[str]:
    """The words seen `least` times or more in so many projects, at most `limit`.

    Commonest first, ties by name.
    """
    spread = counts.projects
    frequent = [
        (word, count)
        for word, count in counts.times.items()
        if count >= least and spread[word] >= projects
    ]
    frequent.sort(key=lambda pair: (-pair[1], pair[0]))
    return [word for word, _ in frequent[:limit]]


def indexed(words: Iterable[str], first: int = 1) -> dict[str, int]:
    """Word -> index, counted from `first`: 0 is the unknown word."""
    return {word: index for index, word in enumerate(words, first)}


def _parts(counts: Mapping[str, int]) -> Counter[str]:
    parts: Counter[str] = Counter()
    for word, count in counts.items():
        for part in word.split("|"):
            parts[part] += count
    return parts


def _counted(words: list[str], counts: list[int]) -> dict[str, int]:
    return {word: count for word, count in zip(words, counts, strict=True) if count}
