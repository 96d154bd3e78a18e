"""Sources that cannot be read, each with its reason."""

from dataclasses import dataclass

from metamorph.java.source import SourceFile

MAX_BYTES = 64 * 1024 * 1024
"""Larger sources are skipped as too large, members of archives too."""

UNREADABLE = "unreadable"
DANGLING = "dangling-link"
NOT_A_FILE = "not-a-regular-file"
TOO_LARGE = "too-large"
DAMAGED = "damaged-archive"
BAD_JSON = "bad-json"
NO_CODE = "no-code-field"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A source that was found but not read: its path, and a short name of the reason."""

    path: str
    reason: str


def within_limit(
    path: str, data: bytes, gold: str | None = None, project: str = "", about: str = ""
) -> SourceFile | Skipped:
    """The source, or Skipped where it is too large."""
    if len(data) > MAX_BYTES:
        return Skipped(path, TOO_LARGE)
    return SourceFile(path, data, gold, project, about)
