"""Sources that are found and not read yet, and marks by which a change meanwhile is noticed."""

import hashlib
import os
from dataclasses import dataclass, field

from metamorph.corpus.skips import Skipped
from metamorph.java.source import SourceFile

_BYTES = 8
"""Of a digest in a mark: one change in 2**64 goes by unseen."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A plain file that was found; its path says all, so that another process may read it.

    size: in bytes when it was found, 0 where that cannot be told.
    """

    path: str
    size: int = 0


def digest_of(source: SourceFile | Skipped) -> bytes:
    """SHA-256 of a source's file name, bytes and label; of a skipped one, name and reason."""
    data = source.data if isinstance(source, SourceFile) else f"\0{source.reason}".encode()
    name = os.path.basename(source.path).encode("utf-8", "surrogateescape")
    whole = name + b"\0" + hashlib.sha256(data).digest()
    if isinstance(source, SourceFile) and source.gold is not None:
        whole += source.gold.encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole).digest()


@dataclass(frozen=True, slots=True)
class Marks:
    """What a survey saw, 16 bytes a source in the corpus' order: where it lay and what it was."""

    kept: bytearray = field(default_factory=bytearray)

    def __len__(self) -> int:
        return len(self.kept) // (2 * _BYTES)

    def add(self, path: str, digest: bytes) -> None:
        """Note the next source."""
        self.kept.extend(_place(path) + digest[:_BYTES])

    def is_there(self, ordinal: int, path: str) -> bool:
        """Whether that source lay there."""
        start = 2 * _BYTES * ordinal
        return self.kept[start : start + _BYTES] == _place(path)

    def mark(self, ordinal: int) -> bytes:
        """What a source was, for `is_as_marked`."""
        start = 2 * _BYTES * ordinal + _BYTES
        return bytes(self.kept[start : start + _BYTES])


def _place(path: str) -> bytes:
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).digest()[:_BYTES]


def is_as_marked(source: SourceFile | Skipped, mark: bytes) -> bool:
    """Whether the source still is what it was when it was marked."""
    return digest_of(source)[:_BYTES] == mark
