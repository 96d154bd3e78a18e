"""The layout of code search: a docstring is the query, and one method of all its answer."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from metamorph.suites.formats.code_to_text import NO_DOCSTRING, documented
from metamorph.suites.formats.files import Series
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry

OTHER_VARIANT = "other-variant-chosen"


class Query(NamedTuple):
    """A method's query; line: an object without its number, "" where there is no docstring.

    others: the variants that might have stood in its place.
    """

    file: str
    line: str
    others: int


class CodeSearch:
    """code-search/java/TRANSFORM-PLACE/SPLIT.jsonl."""

    def __init__(self, out: Path, counts: Counts) -> None:
        self._files = Series(lambda name: out / "code-search" / "java" / f"{name}.jsonl")
        self._counts = counts
        self._numbers: dict[str, int] = {}

    def add(self, query: Query) -> None:
        """Write the query, if there is one."""
        file, line, others = query
        if not line:
            self._counts.unused[f"codexglue-search {NO_DOCSTRING}"] += others + 1
            return
        self._counts.unused[f"codexglue-search {OTHER_VARIANT}"] += others
        self._numbers[file] = number = self._numbers.get(file, -1) + 1
        self._files.write(file, f'{line[:-1]}, "idx": {number}}}')

    def close(self) -> None:
        """Close the files."""
        self._files.close()


class Choosing:
    """Chooses a variant of each method.

    A second variant of the same method would be a second right answer, so that one of each method
    is taken, by chance.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._waiting: dict[str, list[Entry]] = {}

    def add(self, entry: Entry) -> tuple[()]:
        """Keep the variant until all those of its method are known."""
        name = f"{entry.record['transform']}-{entry.record['place']}"
        self._waiting.setdefault(name, []).append(entry)
        return ()

    def end(self) -> Iterator[Query]:
        """The method's queries."""
        for name, entries in self._waiting.items():
            key = f"{self._seed} {entries[0].program.id} {name}"
            chosen = Random(key).choice(entries)
            row = documented(chosen)
            line = json.dumps(row, ensure_ascii=False) if row else ""
            yield Query(f"{name}/{chosen.split}", line, len(entries) - 1)
        self._waiting.clear()


def shaper(name: str, recipe: Recipe, scratch: Path) -> Choosing:
    """Of queries."""
    return Choosing(recipe.settings.seed)


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> CodeSearch:
    """The writer."""
    return CodeSearch(out, counts)
