"""Records as JSON lines, a file a split."""

import json
from pathlib import Path

from metamorph.suites.formats.files import Series
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry

FOLDER = "data"


class JsonLines:
    """data/SPLIT.jsonl, or data/SPLIT.jsonl.gz."""

    def __init__(self, out: Path, recipe: Recipe) -> None:
        ending = ".jsonl.gz" if recipe.gzip else ".jsonl"
        self._files = Series(lambda split: out / FOLDER / f"{split}{ending}")

    def add(self, entry: Entry) -> None:
        """Write the record."""
        self._files.write(entry.split, json.dumps(entry.record, ensure_ascii=False))

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> JsonLines:
    """The writer."""
    return JsonLines(out, recipe)
