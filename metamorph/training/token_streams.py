"""A corpus as streams of token numbers, and the vocabulary that they are numbered by."""

import random
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from metamorph.duplicates.lexing import in_order
from metamorph.models.nlm import PADDING, UNKNOWN
from metamorph.training.corpus import Split, file_names, part_of_file, projects_in
from metamorph.training.extraction import LARGEST_FILE
from metamorph.training.shards import Ints


@dataclass(frozen=True, slots=True)
class Reading:
    """How a part of a corpus is read.

    most_tokens: files of a project are read in a seeded random order until it has given so many,
    None for all; left_out: files that are passed over, as `PROJECT/PATH`.
    """

    most_tokens: int | None = None
    seed: int = 0
    left_out: frozenset[str] = frozenset()


@dataclass(slots=True)
class Counts:
    """What became of the files of a project, and how many tokens it gave."""

    files: int = 0
    too_large: int = 0
    near_copies: int = 0
    tokens: int = 0

    def as_dict(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)


@dataclass(slots=True)
class Streams:
    """Files as numbers of distinct tokens, counted from 0, one behind the other.

    sizes: of the files, in tokens.
    """

    distinct: dict[bytes, int] = field(default_factory=dict)
    flat: "array[int]" = field(default_factory=lambda: array("i"))
    sizes: list[int] = field(default_factory=list)

    def add(self, tokens: Sequence[bytes]) -> None:
        """The next file."""
        known = self.distinct
        self.flat.extend([known.setdefault(token, len(known)) for token in tokens])
        self.sizes.append(len(tokens))

    def vocabulary(self, most: int) -> list[bytes]:
        """The most frequent tokens, commonest first, ties by bytes; none with a line feed."""
        times = np.bincount(np.asarray(self.flat), minlength=len(self.distinct)).tolist()
        listed = [(-times[n], token) for token, n in self.distinct.items() if b"\n" not in token]
        return [token for _, token in sorted(listed)[:most]]

    def numbered(self, numbers: dict[bytes, int], context: int) -> Ints:
        """The files in the numbers of a vocabulary, `context` times padding before each."""
        table = np.full(max(1, len(self.distinct)), UNKNOWN, np.int32)
        for token, n in self.distinct.items():
            table[n] = numbers.get(token, UNKNOWN)
        ends = np.cumsum(np.array(self.sizes, np.int64))
        place = np.arange(len(self.flat)) + np.repeat(
            context * np.arange(1, len(self.sizes) + 1), self.sizes
        )
        whole = np.full(int(ends[-1]) + context * len(ends) if len(ends) else 0, PADDING, np.int32)
        whole[place] = table[np.asarray(self.flat, dtype=np.int64)]
        return whole


def read_part(
    corpus: Path, split: Split, part: str, reading: Reading
) -> tuple[Streams, dict[str, Counts]]:
    """The files of a part as streams, and what became of those of each project."""
    streams, counts = Streams(), dict[str, Counts]()
    for _, tokens in files(corpus, split, part, reading, counts):
        streams.add(tokens)
    return streams, counts


def files(
    corpus: Path, split: Split, part: str, reading: Reading, counts: dict[str, Counts]
) -> Iterator[tuple[bytes, list[bytes]]]:
    """The source and the tokens of each file of a part that is read, counted as it goes."""
    for project in projects_in(split, part):
        names = [n for n in file_names(corpus, project) if part_of_file(split, n) == part]
        if reading.most_tokens is not None:
            names = random.Random(reading.seed).sample(names, len(names))
        found = counts[project] = Counts()
        for name in names:
            found.files += 1
            data = (corpus / name).read_bytes()
            if len(data) > LARGEST_FILE:
                found.too_large += 1
            elif name in reading.left_out:
                found.near_copies += 1
            else:
                tokens = in_order(data)
                found.tokens += len(tokens)
                yield data, tokens
            if reading.most_tokens is not None and found.tokens >= reading.most_tokens:
                break
