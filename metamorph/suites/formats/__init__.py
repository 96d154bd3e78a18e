"""The layouts in which a suite's records are written, each by a writer of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from metamorph.suites.formats.shapes import Shaper
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts


class Writer(Protocol):
    """Takes what the layout's shaper makes, and may hold nothing but what its layout asks for."""

    def add(self, shape: Any) -> None:
        """Write it; what cannot be is counted as unused."""
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


def shapers(recipe: Recipe, scratch: Path) -> list[Shaper]:
    """The shapers of a recipe's formats; scratch: a folder for what they write."""
    return [_module(name).shaper(name, recipe, scratch) for name in recipe.formats]


@contextmanager
def writers(sources: Path, out: Path, recipe: Recipe, counts: Counts) -> Iterator[list[Writer]]:
    """The writers of a recipe's formats, closed at the end."""
    with ExitStack() as stack:
        opened = []
        for name in recipe.formats:
            writer: Writer = _module(name).opened(name, sources, out, recipe, counts)
            stack.callback(writer.close)
            opened.append(writer)
        yield opened


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{_MODULES[name]}")
