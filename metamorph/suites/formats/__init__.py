"""The layouts in which a suite's records are written, each by a writer of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry


class Writer(Protocol):
    """Takes entries one by one, and may hold nothing but what its layout asks for."""

    def add(self, entry: Entry) -> None:
        """Write an entry; what cannot be is counted as unused."""
        ...

    def close(self) -> None:
        """Write what needs all entries, and close all files."""
        ...


Opened = Callable[[Path, Path, Recipe, Counts], Writer]
"""Opens a writer: the sources' folder, the folder to write into, the recipe, the counts."""

_MODULES = {
    "jsonl": "json_lines",
    "parquet": "parquet",
    "hf": "card",
    "java": "java_files",
    "c2v": "path_contexts",
    "c2s": "path_contexts",
    "codexglue-text": "code_to_text",
    "codexglue-search": "code_search",
    "codexglue-defect": "defects",
    "codexglue-clone": "clones",
}


@contextmanager
def writers(sources: Path, out: Path, recipe: Recipe, counts: Counts) -> Iterator[list[Writer]]:
    """The writers of a recipe's formats, closed at the end."""
    with ExitStack() as stack:
        opened = []
        for name in recipe.formats:
            module: Any = import_module(f"{__name__}.{_MODULES[name]}")
            writer: Writer = module.opened(name, sources, out, recipe, counts)
            stack.callback(writer.close)
            opened.append(writer)
        yield opened
