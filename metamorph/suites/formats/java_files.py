"""Each variant's whole file, as a compiler takes it."""

import json
from pathlib import Path

from metamorph.suites.formats.files import Series
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry

FOLDER = "java"
INDEX = "index.jsonl"


class JavaFiles:
    """java/TRANSFORM/NUMBER/NAME.java, and java/index.jsonl that tells which is which."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._index = Series(lambda name: out / FOLDER / name)
        self._number = 0

    def add(self, entry: Entry) -> None:
        """Write the variant's file."""
        self._number += 1
        name = entry.program.file.rpartition("/")[2]
        place = f"{FOLDER}/{entry.record['transform']}/{self._number}/{name}"
        (self._out / place).parent.mkdir(parents=True)
        (self._out / place).write_bytes(entry.variant.data)
        self._index.write(INDEX, json.dumps({"file": place, "id": entry.record["id"]}))

    def close(self) -> None:
        """Close the index."""
        self._index.close()


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> JavaFiles:
    """The writer."""
    return JavaFiles(out)
