"""What a corpus holds, and a fingerprint that tells it from another."""

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass

from metamorph.corpus.skips import Skipped
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


def survey(sources: Iterable[SourceFile | Skipped]) -> Survey:
    """Read everything once. The fingerprint knows file names but not folders, nor the order.

    It is the SHA-256 of the sorted digests of all sources, so that a corpus keeps its
    fingerprint when it is moved or named in another way.
    """
    digests: list[bytes] = []
    size = labelled = 0
    for source in sources:
        data = source.data if isinstance(source, SourceFile) else f"\0{source.reason}".encode()
        size += len(data) if isinstance(source, SourceFile) else 0
        name = os.path.basename(source.path).encode("utf-8", "surrogateescape")
        whole = name + b"\0" + hashlib.sha256(data).digest()
        if isinstance(source, SourceFile) and source.gold is not None:
            labelled += 1
            whole += source.gold.encode("utf-8", "surrogatepass")
        digests.append(hashlib.sha256(whole).digest())
    fingerprint = hashlib.sha256(b"".join(sorted(digests))).hexdigest()
    return Survey(len(digests), size, fingerprint, labelled)
