"""Sources as the survey saw them: read in this process or another, and never silently changed."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from metamorph.corpus import Marks, Skipped, Unread, find_sources, is_as_marked, read_file
from metamorph.errors import UserError
from metamorph.java.source import SourceFile
from metamorph.runs.pipeline import Numbered
from metamorph.runs.rows import CHANGED_MEANWHILE


@dataclass(frozen=True, slots=True)
class Item:
    """A source of a run, and its place in the corpus.

    mark: what the survey saw, b"" where there was none; place: where another process finds it, ""
    where `source` is read already.
    """

    ordinal: int
    source: SourceFile | Skipped | Unread
    mark: bytes = b""
    place: str = ""

    @property
    def size(self) -> int:
        """Bytes, as far as they are known."""
        source = self.source
        if isinstance(source, SourceFile):
            return len(source.data)
        return source.size if isinstance(source, Unread) else 0

    def portable(self) -> "Item":
        """The same for a process that may stand in another folder."""
        if isinstance(self.source, Unread) and not self.place:
            return replace(self, place=os.path.abspath(self.source.path))
        return self

    def read(self) -> SourceFile | Skipped | None:
        """The source; None where it is not, or not from here, what the survey saw."""
        source = self.source
        if isinstance(source, Unread):
            source = replace(read_file(self.place or source.path), path=source.path)
        return source if not self.mark or is_as_marked(source, self.mark) else None

    def brought(self) -> "Item":
        """The same with its bytes, or skipped where the source changed meanwhile."""
        source = self.read()
        return Item(self.ordinal, source or Skipped(self.source.path, CHANGED_MEANWHILE))

    def as_read(self) -> SourceFile | Skipped:
        """The source, where it is known to be read."""
        assert not isinstance(self.source, Unread)
        return self.source


def sighted(paths: tuple[str, ...], marks: Marks) -> Iterator[Item]:
    """All sources of the corpus; raises UserError where files came or went since the survey."""
    ordinal = -1
    for ordinal, source in enumerate(find_sources(paths)):
        if not marks.is_there(ordinal, source.path):
            raise _moved(source.path)
        yield Item(ordinal, source, marks.mark(ordinal))
    if ordinal + 1 < len(marks):
        raise _moved(paths[-1])


def _moved(path: str) -> UserError:
    return UserError(
        f"{path}: files came or went while the run was going on; run again, to another --out, when "
        "the corpus rests"
    )


def all_read(items: Iterable[Item]) -> Iterator[Numbered]:
    """The sources with their places."""
    for item in items:
        yield item.ordinal, item.brought().as_read()
