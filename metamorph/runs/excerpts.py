"""Excerpts: the code of programs, read again from the corpus of a run."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from metamorph.corpus import read_sources
from metamorph.errors import UserError
from metamorph.java.methods import Method, methods
from metamorph.java.source import SourceFile, line_of, line_starts
from metamorph.java.tree import parse
from metamorph.oracles.listings import Candidates, Excerpt

NOT_AT_HAND = "source not at hand"
TOO_LONG = "too long to be shown here"

_LONGEST = 60_000
"""The most bytes of a program that are shown."""

Key = tuple[int, int]


@dataclass(slots=True)
class Wanted:
    """What is wanted of the sources; files: programs by the SHA-256 of their file.

    programs: the candidates of each, which go with its text; spans: what edits touch, in bytes;
    marks: the offsets at which they begin and end.
    """

    files: dict[str, set[Key]] = field(default_factory=dict)
    programs: dict[Key, Candidates] = field(default_factory=dict)
    marks: dict[Key, set[int]] = field(default_factory=dict)

    def add(self, key: Key, sha256: str, candidates: Candidates) -> None:
        """Want the text of a program."""
        self.files.setdefault(sha256, set()).add(key)
        self.programs[key] = candidates

    def cover(self, key: Key, edits: Iterable[tuple[int, int, str]]) -> None:
        """Want it to reach over these edits."""
        marks = self.marks.setdefault(key, set())
        marks.update(offset for start, end, _ in edits for offset in (start, end))


@dataclass(slots=True)
class Texts:
    """What was found; offsets: a byte of the file -> the UTF-16 unit of the excerpt."""

    found: dict[Key, Excerpt] = field(default_factory=dict)
    offsets: dict[Key, dict[int, int]] = field(default_factory=dict)


def excerpts(wanted: Wanted, paths: Sequence[str]) -> Texts:
    """The excerpts of all programs that are wanted; those whose file is gone say so.

    A file is known by its hash, so that one that was changed since is none, and one that was
    moved below the same paths is found.
    """
    texts = Texts()
    missing = dict(wanted.files)
    for source, sha256 in _sources(paths, missing):
        for method in _methods(source):
            for key in missing[sha256]:
                if key[1] == method.index:
                    _take(texts, key, method, wanted)
        del missing[sha256]
    for key, candidates in wanted.programs.items():
        if key not in texts.found:
            texts.found[key] = Excerpt("", 0, NOT_AT_HAND, candidates)
    return texts


def _sources(
    paths: Sequence[str], missing: dict[str, set[Key]]
) -> Iterator[tuple[SourceFile, str]]:
    """The sources that are missing, with their hashes, until none is."""
    if not missing:
        return
    try:
        for source in read_sources(paths):
            if isinstance(source, SourceFile):
                sha256 = hashlib.sha256(source.data).hexdigest()
                if sha256 in missing:
                    yield source, sha256
                    if not missing:
                        return
    except (UserError, OSError):
        return


def _methods(source: SourceFile) -> Iterator[Method]:
    tree = parse(source.data)
    return iter(()) if tree.has_error else methods(source, tree)


def _take(texts: Texts, key: Key, method: Method, wanted: Wanted) -> None:
    """Cut the program out of its file, whole lines at its beginning."""
    data = method.file.data
    marks = wanted.marks.get(key, set())
    starts = line_starts(data)
    line = line_of(starts, min([method.start, *marks]))
    start, end = starts[line - 1], max([method.end, *marks])
    candidates = wanted.programs[key]
    if end - start > _LONGEST:
        texts.found[key] = Excerpt("", 0, TOO_LONG, candidates)
        return
    texts.found[key] = Excerpt(_decoded(data[start:end]), line, "", candidates)
    texts.offsets[key] = dict(_units(data, start, sorted(marks)))


def _units(data: bytes, start: int, marks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """How many UTF-16 units lie between the start and each mark."""
    units = 0
    for mark in marks:
        units += len(_decoded(data[start:mark]).encode("utf-16-le", "surrogatepass")) // 2
        yield mark, units
        start = mark


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
