"""Records as JSON lines, a file a split."""

import json
from pathlib import Path

from metamorph.suites.formats.files import Series
from metamorph.suites.formats.shapes import Each
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry

FOLDER = "data"


class JsonLines:
    """data/SPLIT.jsonl, or data/SPLIT.jsonl.gz."""

    def __init__(self, out: Path, recipe: Recipe) -> None:
        ending = ".jsonl.gz" if recipe.gzip else ".jsonl"
        self._files = Series(lambda split: out / FOLDER / f"{split}{ending}")

    def add(self, shape: tuple[str, str]) -> None:
        """Write the record."""
        self._files.write(*shape)

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def _shape(entry: Entry) -> tuple[str, str]:
    """The split, and the record as a line."""
    return entry.split, json.dumps(entry.record, ensure_ascii=False)


def shaper(name: str, recipe: Recipe, scratch: Path) -> Each:
    """Of records."""
    return Each(_shape)


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> JsonLines:
    """The writer."""
    return JsonLines(out, recipe)
