"""The layout of code search: a docstring is the query, and one method of all its answer."""

import json
from pathlib import Path
from random import Random

from metamorph.suites.formats.code_to_text import NO_DOCSTRING, documented
from metamorph.suites.formats.files import Series
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry

OTHER_VARIANT = "other-variant-chosen"


class CodeSearch:
    """code-search/java/TRANSFORM-PLACE/SPLIT.jsonl.

    A second variant of the same method would be a second right answer, so that one of each method
    is taken, by chance. The variants of a method come one after another.
    """

    def __init__(self, out: Path, recipe: Recipe, counts: Counts) -> None:
        self._files = Series(lambda name: out / "code-search" / "java" / f"{name}.jsonl")
        self._seed = recipe.settings.seed
        self._counts = counts
        self._waiting: dict[str, list[Entry]] = {}
        self._numbers: dict[str, int] = {}
        self._original = ""

    def add(self, entry: Entry) -> None:
        """Keep the variant until all those of its method are known."""
        if entry.program.id != self._original:
            self._flush()
            self._original = entry.program.id
        name = f"{entry.record['transform']}-{entry.record['place']}"
        self._waiting.setdefault(name, []).append(entry)

    def close(self) -> None:
        """Write the last method's, and close the files."""
        self._flush()
        self._files.close()

    def _flush(self) -> None:
        for name, entries in self._waiting.items():
            chosen = Random(f"{self._seed} {self._original} {name}").choice(entries)
            row = documented(chosen)
            if row is None:
                self._counts.unused[f"codexglue-search {NO_DOCSTRING}"] += len(entries)
                continue
            self._counts.unused[f"codexglue-search {OTHER_VARIANT}"] += len(entries) - 1
            file = f"{name}/{chosen.split}"
            self._numbers[file] = number = self._numbers.get(file, -1) + 1
            self._files.write(file, json.dumps(row | {"idx": number}, ensure_ascii=False))
        self._waiting.clear()


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> CodeSearch:
    """The writer."""
    return CodeSearch(out, recipe, counts)
