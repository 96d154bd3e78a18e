"""Corpora: folders, archives and JSONL files of Java sources."""

from importlib.resources import files
from pathlib import Path

from metamorph.corpus.skips import MAX_BYTES, Skipped
from metamorph.corpus.sources import find_sources, read_file, read_sources
from metamorph.corpus.surveys import Survey, survey
from metamorph.corpus.unread import Marks, Unread, is_as_marked

__all__ = [
    "MAX_BYTES",
    "Marks",
    "Skipped",
    "Survey",
    "Unread",
    "find_sources",
    "is_as_marked",
    "read_file",
    "read_sources",
    "sample_path",
    "survey",
]


def sample_path() -> Path:
    """The folder of the sample corpus that ships with the package."""
    return Path(str(files("metamorph.corpus.sample")))
