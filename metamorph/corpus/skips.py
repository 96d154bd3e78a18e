"""Sources that cannot be read, each with its reason."""

from dataclasses import dataclass

from metamorph.java.source import SourceFile

MAX_BYTES = 64 * 1024 * 1024
"""Larger sources are skipped as too large, members of archives too."""

UNREADABLE = "unreadable"
DANGLING = "dangling-link"
NOT_A_FILE = "not-a-regular-file"
TOO_LARGE = "too-large"
NOT_TEXT = "not-text"
DAMAGED = "damaged-archive"
BAD_JSON = "bad-json"
NO_CODE = "no-code-field"

_SNIFFED = 8192


@dataclass(frozen=True, slots=True)
class Skipped:
    """A source that was found but not read: its path, and a short name of the reason."""

    path: str
    reason: str


def text_or_skipped(path: str, data: bytes) -> SourceFile | Skipped:
    """The source, or Skipped where its first bytes hold a NUL (UTF-16, class files)."""
    if len(data) > MAX_BYTES:
        return Skipped(path, TOO_LARGE)
    if b"\0" in data[:_SNIFFED]:
        return Skipped(path, NOT_TEXT)
    return SourceFile(path, data)
