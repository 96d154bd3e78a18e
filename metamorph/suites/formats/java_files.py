"""Each variant's whole file, as a compiler takes it."""

import json
import os
from itertools import count
from pathlib import Path
from typing import NamedTuple

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

    def add(self, shape: "Written") -> None:
        """Put the variant's file where it belongs."""
        self._number += 1
        folder = f"{FOLDER}/{shape.transform}/{self._number}"
        (self._out / folder).parent.mkdir(parents=True, exist_ok=True)
        os.rename(shape.folder, self._out / folder)
        self._index.write(INDEX, json.dumps({"file": f"{folder}/{shape.name}", "id": shape.id}))

    def close(self) -> None:
        """Close the index."""
        self._index.close()


class Written(NamedTuple):
    """A variant's file in a folder of its own, not yet in its place; id: the record's."""

    transform: str
    folder: Path
    name: str
    id: str


class Writing:
    """Writes the files of variants."""

    def __init__(self, scratch: Path) -> None:
        self._folders = (scratch / f"{FOLDER}-{number}" for number in count())

    def add(self, entry: Entry) -> tuple[Written]:
        """Of this one."""
        folder = next(self._folders)
        folder.mkdir()
        name = entry.program.file.rpartition("/")[2]
        (folder / name).write_bytes(entry.variant.data)
        record = entry.record
        return (Written(record["transform"], folder, name, record["id"]),)

    def end(self) -> tuple[()]:
        """Nothing is left."""
        return ()


def shaper(name: str, recipe: Recipe, scratch: Path) -> Writing:
    """Of files."""
    return Writing(scratch)


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> JavaFiles:
    """The writer."""
    return JavaFiles(out)
