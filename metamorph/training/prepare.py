"""From shards to what the networks take: vocabularies, datasets, targets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metamorph.models.numerics import Longs
from metamorph.models.segments import MOST_WORDS, Segmenter
from metamorph.training.code2seq import PAD, UNKNOWN, Words
from metamorph.training.code2vec import Names, Tokens
from metamorph.training.dataset import Dataset, gather, select
from metamorph.training.shards import Shard
from metamorph.training.vocabulary import (
    Counts,
    count_contexts,
    count_labels,
    indexed,
    most_common,
)

Parts = Sequence[tuple[Shard, Longs]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How often a word must occur to be known, and how many words are known at most.

    projects: in how many projects it must occur, for what only one project says helps to learn
    that project by heart, not to understand another; targets: whole names for code2vec,
    subtokens of names for code2seq.
    """

    least_token: int
    least_path: int
    least_target: int
    tokens: int
    paths: int
    targets: int
    projects: int = 2
    target_parts: int = 6
    token_parts: int = 6


CODE2VEC_LIMITS = Limits(10, 10, 3, 50_000, 60_000, 14_000)
CODE2SEQ_LIMITS = Limits(20, 20, 10, 16_000, 1_000, 8_000, projects=1)


@dataclass(frozen=True, slots=True)
class Code2VecData:
    """code2vec's input: datasets over every distinct token and over `paths` (0 is unknown).

    vocabulary: the tokens with a row of their own, from row 1; words: their words with counts;
    whole: the index of each training method's name or -1; parts: those of its subtokens.
    """

    train: Dataset
    valid: Dataset
    tokens: Tokens
    vocabulary: list[str]
    words: dict[str, int]
    paths: list[str]
    names: Names
    whole: Longs
    parts: Longs


@dataclass(frozen=True, slots=True)
class Code2SeqData:
    """code2seq's input: datasets over every distinct token and path, which `words` spell out.

    targets: the target indices of each training method, padded with PAD.
    """

    train: Dataset
    valid: Dataset
    words: Words
    targets: Longs


def choose(
    train: Iterable[Shard], seed: int, most: int | None, *, copies: bool = False
) -> list[tuple[Shard, Longs]]:
    """The training methods: those with contexts, exact copies once or all, `most` a project."""
    rng = np.random.default_rng(seed)
    seen: set[int] | None = None if copies else set()
    return [(shard, select(shard, seen, cap=most, rng=rng)) for shard in train]


def everything(shards: Iterable[Shard]) -> list[tuple[Shard, Longs]]:
    """Every method that has contexts, copies too."""
    return [(shard, np.flatnonzero(np.diff(shard.offsets) > 0)) for shard in shards]


def code2vec_data(train: Parts, valid: Parts, limits: Limits) -> Code2VecData:
    """Vocabularies of the training methods, and all methods in their terms."""
    token_counts, path_counts = count_contexts(train)
    vocabulary = most_common(token_counts, limits.least_token, limits.projects, limits.tokens)
    paths = most_common(path_counts, limits.least_path, limits.projects, limits.paths)
    every = _strings(shard.tokens for shard, _ in [*train, *valid])
    to_token, to_path = indexed(every, 0), indexed(paths)
    data = gather(train, to_token, to_path)
    labels = count_labels(train)
    part_counts = count_labels(train, split=True)
    names = _names(labels, part_counts, limits)
    words = {part: part_counts.times[part] for part in names.parts}
    whole, parts = _wanted(data.labels, names, limits)
    return Code2VecData(
        data,
        gather(valid, to_token, to_path),
        _tokens(every, vocabulary, words),
        vocabulary,
        words,
        paths,
        names,
        whole,
        parts,
    )


def code2seq_data(train: Parts, valid: Parts, limits: Limits) -> Code2SeqData:
    """Vocabularies of the training methods, and all methods in their terms."""
    token_counts, path_counts = count_contexts(train, split=True)
    subtokens = most_common(token_counts, limits.least_token, limits.projects, limits.tokens)
    nodes = most_common(path_counts, limits.least_path, limits.projects, limits.paths)
    tokens = _strings(shard.tokens for shard, _ in [*train, *valid])
    paths = _strings(shard.paths for shard, _ in [*train, *valid])
    to_token, to_path = indexed(tokens, 0), indexed(paths, 0)
    data = gather(train, to_token, to_path)
    target_counts = count_labels(train, split=True)
    targets = most_common(target_counts, limits.least_target, limits.projects, limits.targets)
    words = Words(
        subtokens,
        nodes,
        targets,
        spelled(tokens, indexed(subtokens, 2), limits.token_parts),
        spelled(paths, indexed(nodes, 2)),
    )
    wanted = spelled(data.labels, indexed(targets, 3), limits.target_parts + 1, keep_last=False)
    return Code2SeqData(data, gather(valid, to_token, to_path), words, wanted.astype(np.int64))


def spelled(
    words: Iterable[str],
    index: Mapping[str, int],
    most: int | None = None,
    *,
    keep_last: bool = True,
) -> npt.NDArray[np.int32]:
    """The indices of each word's parts, a row a word, unknown ones UNKNOWN, filled up by PAD.

    most: the width; without `keep_last` the last column stays PAD.
    """
    rows = [[index.get(part, UNKNOWN) for part in word.split("|")] for word in words]
    width = most or max(map(len, rows), default=1)
    kept = width if keep_last else width - 1
    table = np.full((len(rows), width), PAD, dtype=np.int32)
    for place, row in enumerate(rows):
        table[place, : min(len(row), kept)] = row[:kept]
    return table


def _strings(lists: Iterable[list[str]]) -> dict[str, None]:
    """The distinct strings of several lists, in order of appearance."""
    found: dict[str, None] = {}
    for strings in lists:
        found.update(dict.fromkeys(strings))
    return found


def _tokens(every: Iterable[str], vocabulary: Sequence[str], words: Mapping[str, int]) -> Tokens:
    """The row and the words of each token."""
    to_row, to_word = indexed(vocabulary), indexed(words, 0)
    segmenter = Segmenter(words)
    splits = [segmenter.split(token) for token in every]
    table = np.full((len(splits), MOST_WORDS), -1, dtype=np.int32)
    for place, split in enumerate(splits):
        table[place, : len(split)] = [to_word[word] for word in split]
    rows = np.array([to_row.get(token, 0) for token in every], dtype=np.int32)
    return Tokens(rows, table, len(vocabulary) + 1, len(words))


def _names(labels: Counts, part_counts: Counts, limits: Limits) -> Names:
    """The target names and the subtokens that make them up."""
    names = most_common(labels, limits.least_target, limits.projects, limits.targets)
    parts = most_common(part_counts, limits.least_target, limits.projects, limits.targets)
    to_part = indexed(parts, 0)
    bags = [[to_part[part] for part in name.split("|") if part in to_part] for name in names]
    starts = np.cumsum([0, *map(len, bags)], dtype=np.int64)
    flat = np.array([part for bag in bags for part in bag], dtype=np.int64)
    return Names(names, parts, flat, starts)


def _wanted(labels: Sequence[str], names: Names, limits: Limits) -> tuple[Longs, Longs]:
    """Each label's index among the names, and its subtokens' indices, filled up with -1."""
    to_name, to_part = indexed(names.names, 0), indexed(names.parts, 0)
    whole = np.array([to_name.get(label, -1) for label in labels], dtype=np.int64)
    parts = np.full((len(labels), limits.target_parts), -1, dtype=np.int64)
    for place, label in enumerate(labels):
        known = [to_part[part] for part in label.split("|") if part in to_part]
        parts[place, : min(len(known), limits.target_parts)] = known[: limits.target_parts]
    return whole, parts
