"""Token bags as numbers: every file's distinct tokens, by 64-bit keys, and how often each occurs.

Keys are made by numpy for many files at once, so that no token becomes an object of Python.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from metamorph.duplicates.lexing import ALL, WORD, Pieces, ignored

Keys = npt.NDArray[np.uint64]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]

_LONG = 64
"""Longer tokens are keyed by their digest: they are few, and may be very long."""

_BLOCK = 500_000


@dataclass(frozen=True, slots=True)
class Bags:
    """Bags of tokens: bag r holds `keys[starts[r] : starts[r + 1]]`, ascending, with `counts`."""

    starts: Longs
    keys: Keys
    counts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1

    def sizes(self) -> Longs:
        """The number of distinct tokens of each bag."""
        return np.diff(self.starts)

    def totals(self) -> Longs:
        """The number of tokens of each bag, repeats counted."""
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.counts, dtype=np.int64)])
        return np.diff(sums[self.starts])

    def chosen(self, numbers: Longs) -> "Bags":
        """These bags, in this order."""
        places, starts = joined(self.starts, numbers)
        return Bags(starts, self.keys[places], self.counts[places])


def spans(begins: Longs, lengths: Longs) -> Longs:
    """The numbers of ranges, one range after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(begins - ends + lengths, lengths)


def joined(starts: Longs, numbers: Longs) -> tuple[Longs, Longs]:
    """The places of these rows' entries one after the other, and where each row starts there."""
    lengths = starts[numbers + 1] - starts[numbers]
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return spans(starts[numbers], lengths), ends


def together(parts: Sequence[Bags]) -> Bags:
    """All bags of several lists of bags."""
    sizes = np.concatenate([np.zeros(1, np.int64), *(part.sizes() for part in parts)])
    keys = np.concatenate([np.zeros(0, np.uint64), *(part.keys for part in parts)])
    counts = np.concatenate([np.zeros(0, np.int32), *(part.counts for part in parts)])
    return Bags(np.cumsum(sizes), keys, counts)


def bags_of_pieces(files: Sequence[Iterable[Pieces]], rule: str) -> Bags:
    """The bag of each file; the words that the rule ignores are left out."""
    waiting: list[Pieces] = []
    owners: list[int] = []
    parts: list[tuple[Keys, Longs]] = []
    size = 0
    for number, file in enumerate(files):
        for piece in file:
            waiting.append(piece)
            owners.append(number)
            size += piece.size
            if size > _BLOCK:
                parts.append(_keyed(waiting))
                waiting, size = [], 0
    parts.append(_keyed(waiting))
    keys, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
    totals = np.bincount(owners, counts, minlength=len(files)).astype(np.int64)
    return _counted(keys, totals, _keys_of(sorted(ignored(rule))))


def bags_of_lists(files: Sequence[Sequence[str]]) -> Bags:
    """The bag of each list of tokens, which are taken as they are."""
    encoded = [[token.encode("utf-8", "surrogatepass") for token in file] for file in files]
    stretches = [[Pieces(b"", tokens, sum(map(len, tokens)))] for tokens in encoded]
    return bags_of_pieces(stretches, ALL)


def _counted(keys: Keys, totals: Longs, left_out: Keys) -> Bags:
    """From every token's key, file by file, and each file's number of tokens to bags."""
    places = np.concatenate([np.zeros(1, np.int64), np.cumsum(totals)])
    for begin, end in zip(places[:-1].tolist(), places[1:].tolist(), strict=True):
        keys[begin:end].sort()
    first = np.ones(len(keys) + 1, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=first[1:-1])
    first[places] = True
    at = np.flatnonzero(first)
    counts = np.diff(at).astype(np.int32)
    keys, starts = keys[at[:-1]], np.searchsorted(at, places)
    if not len(left_out):
        return Bags(starts, keys, counts)
    near = np.minimum(np.searchsorted(left_out, keys), len(left_out) - 1)
    kept = left_out[near] != keys
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
    return Bags(sums[starts], keys[kept], counts[kept])


def _keyed(pieces: Sequence[Pieces]) -> tuple[Keys, Longs]:
    """The keys of all tokens, piece by piece, and how many each piece has."""
    literals = [literal for piece in pieces for literal in piece.literals]
    lengths = np.fromiter(map(len, literals), np.int64, len(literals))
    code = b" ".join(piece.code for piece in pieces)
    starts, ends = _words(code)
    stops = np.cumsum([len(piece.code) + 1 for piece in pieces], dtype=np.int64)
    words = np.diff(np.searchsorted(starts, stops), prepend=0)
    others = np.array([len(piece.literals) for piece in pieces], np.int64)
    behind = len(code) + np.cumsum(lengths)
    text = code + b"".join(literals)
    starts = np.concatenate([starts, behind - lengths])
    keys = _hashed(text, starts, np.concatenate([ends, behind]))
    return keys[_interleaved(words, others)], words + others


def _interleaved(words: Longs, others: Longs) -> Longs:
    """Each piece's words and then its literals, where all words come before all literals."""
    begins = np.concatenate([[0], np.cumsum(words), np.sum(words) + np.cumsum(others)])
    count = len(words)
    pairs = np.stack([begins[:count], begins[count : 2 * count]], axis=1)
    return spans(pairs.reshape(-1), np.stack([words, others], axis=1).reshape(-1))


def _words(code: bytes) -> tuple[Longs, Longs]:
    """Where words begin and end."""
    inside = np.zeros(len(code) + 2, np.bool_)
    _LETTERS.take(np.frombuffer(code, np.uint8), out=inside[1:-1], mode="clip")
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    return edges[::2], edges[1::2]


def _hashed(text: bytes, starts: Longs, ends: Longs) -> Keys:
    """Keys of stretches of the text, made of eight of their bytes at a time.

    Two tokens of an ordinary corpus have the same key with a probability of about 1e-8.
    """
    words = np.ndarray((len(text) + 1,), "<u8", text + bytes(_WORD), strides=(1,))
    lengths = ends - starts
    keys = lengths.astype(np.uint64) * _FACTOR
    keys = _mixed(keys ^ (words[starts] & _MASKS[np.minimum(lengths, _WORD)]))
    at = np.flatnonzero((lengths > _WORD) & (lengths <= _LONG))
    done = _WORD
    while len(at):
        left = lengths[at] - done
        keys[at] = _mixed(keys[at] ^ (words[starts[at] + done] & _MASKS[np.minimum(left, _WORD)]))
        at = at[left > _WORD]
        done += _WORD
    for place in np.flatnonzero(lengths > _LONG).tolist():
        digest = blake2b(text[starts[place] : ends[place]], digest_size=_WORD).digest()
        keys[place] = int.from_bytes(digest, "little")
    return keys


def _mixed(keys: Keys) -> Keys:
    """The keys, changed in place so that each bit hangs on many; no two become the same."""
    keys *= _FACTOR
    keys ^= keys >> np.uint64(32)
    keys *= _FACTOR
    return keys


def _keys_of(tokens: Sequence[bytes]) -> Keys:
    """The keys of tokens, sorted."""
    ends = np.cumsum([len(token) for token in tokens], dtype=np.int64)
    starts = ends - np.array([len(token) for token in tokens], np.int64)
    return np.sort(_hashed(b"".join(tokens), starts, ends))


_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_WORD = 8
_MASKS = np.array([(1 << 8 * count) - 1 for count in range(_WORD + 1)], np.uint64)
_LETTERS = np.array([WORD.match(bytes([byte])) is not None for byte in range(256)])
