"""The card of a dataset: README.md with the header by which `datasets` loads the records."""

import json
from collections.abc import Iterator
from pathlib import Path

from metamorph.runs.plans import Plan
from metamorph.suites.formats.fields import FIELDS, Type
from metamorph.suites.formats.json_lines import FOLDER
from metamorph.suites.formats.shapes import Each
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry
from metamorph.version import VERSION

_CATEGORIES = {"label": "text-classification", "text": "summarization"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


class Card:
    """README.md."""

    def __init__(self, out: Path, recipe: Recipe, counts: Counts) -> None:
        self._place = out / "README.md"
        self._recipe = recipe
        self._counts = counts
        self._licences: set[str] = set()

    def add(self, licence: str) -> None:
        """Note a record's licence."""
        self._licences.add(licence)

    def close(self) -> None:
        """Write the card."""
        header = _header(self._recipe, self._counts, self._licences)
        body = _body(self._recipe, self._counts, self._licences)
        with open(self._place, "x", encoding="utf-8", newline="\n") as card:
            card.write("\n".join([*header, "", *body]) + "\n")


def _header(recipe: Recipe, counts: Counts, licences: set[str]) -> Iterator[str]:
    """YAML; all texts in it are quoted as JSON quotes them, which YAML takes."""
    task = recipe.settings.options.task.partition(":")[0]
    size = next((name for below, name in _SIZES if counts.records < below), "n>1M")
    ending = "parquet" if "parquet" in recipe.formats else "jsonl.gz" if recipe.gzip else "jsonl"
    yield "---"
    yield f"license: {json.dumps(_licence(licences))}"
    yield f"task_categories: [{_CATEGORIES.get(task, 'text-generation')}]"
    yield f"size_categories: [{json.dumps(size)}]"
    yield "tags: [code, java, metamorphic-testing, robustness]"
    yield from ("configs:", "- config_name: default", "  data_files:")
    for split in (name for name, _ in recipe.splits if counts.by_split[name]):
        yield f"  - split: {json.dumps(split)}"
        yield f"    path: {json.dumps(f'{FOLDER}/{split}.{ending}')}"
    yield from ("dataset_info:", "  features:")
    for name, told in FIELDS.items():
        yield from _feature(name, told, "  ")
    yield "---"


def _licence(licences: set[str]) -> str:
    """In the hub's spelling, which knows but one licence."""
    if licences == {""}:
        return "unknown"
    return licences.copy().pop().lower() if licences in ({"Apache-2.0"}, {"MIT"}) else "other"


def _feature(name: str, told: Type, indent: str) -> Iterator[str]:
    yield f"{indent}- name: {name}"
    yield from _typed(told, f"{indent}  ")


def _typed(told: Type, indent: str) -> Iterator[str]:
    """The lines that give a type."""
    if isinstance(told, str):
        yield f"{indent}dtype: {told}"
    elif isinstance(told, list) and isinstance(told[0], str):
        yield f"{indent}list: {told[0]}"
    else:
        yield f"{indent}{'list' if isinstance(told, list) else 'struct'}:"
        inner = told[0] if isinstance(told, list) else told
        if isinstance(inner, list):
            yield from _typed(inner, f"{indent}  ")
        else:
            for name, each in inner.items():
                yield from _feature(name, each, indent)


def _body(recipe: Recipe, counts: Counts, licences: set[str]) -> Iterator[str]:
    settings = recipe.settings
    yield "# Java methods before and after semantics-preserving transformations"
    yield ""
    yield (
        f"{counts.records:,} variants of methods from {counts.files:,} files, made by metamorph "
        f"{VERSION} with seed {settings.seed}. Each record holds a method before and after, the "
        "edits that lead from the one to the other, and what is known of both."
    )
    yield ""
    yield from ("| transformation | places | variants |", "|---|---|---|")
    for code, number in sorted(counts.by_transform.items()):
        yield f"| {code} | {_places(code, settings.plan)} | {number:,} |"
    yield ""
    yield f"Licences of the sources: {', '.join(sorted(licences - {''})) or 'not known'}"
    yield (
        "(`license` and `license_source` of each record). Variants of one original, and of copies "
        "of it, are all in one split."
    )
    yield ""
    yield "The sources are in `sources/`. `metamorph suite verify` makes all records anew from"
    yield "them and compares every byte."


def _places(code: str, plan: Plan) -> str:
    return ", ".join(place for each, place in plan if each == code)


def _licence_of(entry: Entry) -> str:
    licence: str = entry.record["license"]
    return licence


def shaper(name: str, recipe: Recipe, scratch: Path) -> Each:
    """Of licences."""
    return Each(_licence_of)


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> Card:
    """The writer."""
    return Card(out, recipe, counts)
