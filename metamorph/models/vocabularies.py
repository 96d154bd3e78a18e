"""Vocabularies of millions of words as four arrays, which can be mapped from a file as they are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.models.numerics import Longs


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words numbered from `first` on.

    hashes: of all words, sorted; places: the place of each of these among the words; text: the
    words one after the other in UTF-8; ends: where each ends.
    """

    first: int
    hashes: npt.NDArray[np.uint64]
    places: npt.NDArray[np.int32]
    text: npt.NDArray[np.uint8]
    ends: Longs

    def __len__(self) -> int:
        return len(self.ends)

    def word(self, row: int) -> str:
        """The word of a row; the rows before the first have none. What damage left is spelt out."""
        return self._bytes(row - self.first).decode(errors="replace")

    def rows(self, words: Iterable[str]) -> Longs:
        """A row a word; those that are not in it have the row before the first."""
        encoded = [word.encode() for word in words]
        found = np.full(len(encoded), self.first - 1, dtype=np.int64)
        if not encoded or not len(self):
            return found
        hashes = _hashes(encoded)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self) - 1)
        places = self.places[at]
        for index in np.flatnonzero(self.hashes[at] == hashes):
            if self._bytes(int(places[index])) == encoded[index]:
                found[index] = self.first + places[index]
        return found

    def arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """Its arrays as tensors of a file."""
        return {
            f"{name}.first": np.array([self.first], dtype=np.int64),
            f"{name}.hashes": self.hashes,
            f"{name}.places": self.places,
            f"{name}.text": self.text,
            f"{name}.ends": self.ends,
        }

    def _bytes(self, place: int) -> bytes:
        start = int(self.ends[place - 1]) if place else 0
        return self.text[start : int(self.ends[place])].tobytes()


def vocabulary_of(words: Sequence[str], first: int) -> Vocabulary:
    """The vocabulary of these words; ValueError where one is there twice."""
    encoded = [word.encode() for word in words]
    hashes = _hashes(encoded)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    if (ordered[1:] == ordered[:-1]).any():
        raise ValueError("a word is there twice")
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    text = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    return Vocabulary(first, ordered, order.astype(np.int32), text, np.cumsum(lengths))


def vocabulary_from(tensors: Mapping[str, npt.NDArray[Any]], name: str) -> Vocabulary:
    """The vocabulary whose arrays a file holds; KeyError where it lacks one."""
    parts = [tensors[f"{name}.{part}"] for part in ("hashes", "places", "text", "ends")]
    return Vocabulary(int(tensors[f"{name}.first"][0]), *parts)


def _hashes(words: Sequence[bytes]) -> npt.NDArray[np.uint64]:
    digests = b"".join([blake2b(word, digest_size=8).digest() for word in words])
    return np.frombuffer(digests, dtype="<u8")
