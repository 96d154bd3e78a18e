"""What a corpus holds, and a fingerprint that tells it from another."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from metamorph.corpus.skips import Skipped
from metamorph.corpus.unread import Marks, digest_of
from metamorph.java.source import SourceFile


@dataclass(frozen=True, slots=True)
class Survey:
    """Counts of a corpus, and its fingerprint: equal where files' names, bytes and labels are.

    labelled: the sources that come with the right answer.
    """

    files: int
    bytes: int
    fingerprint: str
    labelled: int = 0


def survey(sources: Iterable[SourceFile | Skipped], marks: Marks | None = None) -> Survey:
    """Read everything once. The fingerprint knows file names but not folders, nor the order.

    It is the SHA-256 of the sorted digests of all sources, so that a corpus keeps its
    fingerprint when it is moved or named in another way. marks: takes note of each source.
    """
    digests = bytearray()
    files = size = labelled = 0
    for source in sources:
        digest = digest_of(source)
        digests += digest
        files += 1
        if marks is not None:
            marks.add(source.path, digest)
        if isinstance(source, SourceFile):
            size += len(source.data)
            labelled += source.gold is not None
    return Survey(files, size, _fingerprint(digests), labelled)


def _fingerprint(digests: bytearray) -> str:
    """The SHA-256 of the digests, sorted where they stand: there are millions of them."""
    import numpy as np

    np.frombuffer(digests, f"S{hashlib.sha256().digest_size}").sort()
    return hashlib.sha256(digests).hexdigest()
