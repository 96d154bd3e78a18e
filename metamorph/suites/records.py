"""The records of a suite: every variant of its sources, with all that is known of it."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib.metadata import version
from typing import Any

from metamorph.corpus import Skipped
from metamorph.java.methods import Method
from metamorph.java.source import SourceFile, line_starts
from metamorph.java.tree import Tree
from metamorph.java.variants import Variant, reparse
from metamorph.limits import Guard
from metamorph.oracles.lengths import statement_count
from metamorph.runs.checks import is_sound, lack
from metamorph.runs.limited import Reading, all_steps, read, refused_whole
from metamorph.runs.pipeline import gold_of
from metamorph.runs.rows import PARSED, MethodRow
from metamorph.runs.sightings import Item
from metamorph.runs.variations import Variation, variations
from metamorph.suites.copies import FOLDER
from metamorph.suites.lexemes import lexemes
from metamorph.suites.licences import licence_of
from metamorph.suites.recipes import Recipe
from metamorph.suites.splits import split_of, with_groups
from metamorph.tasks import Task
from metamorph.tasks import load as load_task
from metamorph.transforms import origin
from metamorph.version import VERSION

SCHEMA = 1
GRAMMAR = "tree-sitter-java-orchard"
NOT_UTF_8 = "not-utf-8"
"""The reason for which a variant is left out whose text no JSON could hold byte for byte."""

Record = dict[str, Any]
Serial = tuple[int, int, int]
"""A variant's place: its file's, its method's in the file, its own among the method's."""


@dataclass(frozen=True, slots=True)
class Program:
    """A method of the corpus and what all its records share; gold: the task's right answer."""

    method: Method
    file: str
    id: str
    group: str
    gold: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A variant, its own tree (node 0 is its declaration), and its record."""

    program: Program
    variant: Variant
    tree: Tree
    record: Record
    split: str
    serial: Serial


@dataclass(slots=True)
class Counts:
    """What came of the sources; left: files without methods, by reason; faults: of variants."""

    files: int = 0
    methods: int = 0
    records: int = 0
    by_transform: Counter[str] = field(default_factory=Counter)
    by_split: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    refusals: dict[str, Counter[str]] = field(default_factory=dict)
    faults: dict[str, Counter[str]] = field(default_factory=dict)
    unused: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Counts") -> None:
        """Count what was counted of a method."""
        self.methods += other.methods
        self.records += other.records
        self.by_transform.update(other.by_transform)
        self.by_split.update(other.by_split)
        for all, its in ((self.refusals, other.refusals), (self.faults, other.faults)):
            for transform, reasons in its.items():
                all.setdefault(transform, Counter()).update(reasons)

    @property
    def told(self) -> dict[str, Any]:
        """As plain values, sorted, the same whatever the order of counting."""
        names = ("by_transform", "by_split", "left", "unused")
        nested = ("refusals", "faults")
        return (
            {"files": self.files, "methods": self.methods, "records": self.records}
            | {name: dict(sorted(getattr(self, name).items())) for name in names}
            | {
                name: {k: dict(sorted(v.items())) for k, v in sorted(getattr(self, name).items())}
                for name in nested
            }
        )


OfMethod = tuple[Counts, Iterator[Entry]]
"""The entries of a method, and what is counted of it as they are taken."""


@dataclass(frozen=True, slots=True)
class Listed(Item):
    """A source of a suite; name: that of its copy there; chosen: of its variants these alone."""

    name: str = ""
    chosen: frozenset[Serial] | None = None


def entries(item: Listed, recipe: Recipe) -> tuple[str, Iterator[OfMethod]]:
    """What is made of each method of a source; or none, and the reason for it.

    A variant that fails its check, or is no UTF-8, is counted and left out.
    """
    source = item.as_read()
    if isinstance(source, Skipped):
        return source.reason, iter(())
    reading = read(source, recipe.settings.limits)
    if reading.status != PARSED:
        return reading.status, iter(())
    return "", _methods(item, source, reading, recipe)


def _methods(
    item: Listed, source: SourceFile, reading: Reading, recipe: Recipe
) -> Iterator[OfMethod]:
    task = load_task(recipe.settings.options.task, recipe.settings.options.equality)
    for program in _programs(item.name, source, reading, task):
        counts = Counts(methods=1)
        yield counts, _of_method(program, reading.guard, item, recipe, task, counts)


def _programs(name: str, source: SourceFile, reading: Reading, task: Task) -> Iterator[Program]:
    """The methods of a file."""
    gold = gold_of(source, reading.methods)
    below = name.removeprefix(f"{FOLDER}/")
    for method, group in with_groups(reading.methods):
        id = f"{below}#{method.title}@{method.index}"
        told = task.gold(method.name, gold if method.index == 0 else None)
        yield Program(method, name, id, group, told)


def _of_method(
    program: Program,
    guard: Guard,
    item: Listed,
    recipe: Recipe,
    task: Task,
    counts: Counts,
) -> Iterator[Entry]:
    method = program.method
    row = MethodRow(method.index, method.name, method.owner, method.line, 0, None)
    wanted = partial(_wanted, program, row, item, recipe)
    for serial, variation in all_steps(guard, wanted, partial(refused_whole, row, recipe.settings)):
        entry = _entry(program, variation, serial, recipe, task)
        if isinstance(entry, Entry):
            counts.records += 1
            counts.by_transform[entry.record["transform"]] += 1
            counts.by_split[entry.split] += 1
            yield entry
        else:
            counts.faults.setdefault(variation.row.transform, Counter())[entry] += 1
    for refused in row.refusals:
        counts.refusals.setdefault(refused.transform, Counter())[refused.reason] += 1


def _wanted(
    program: Program, row: MethodRow, item: Listed, recipe: Recipe
) -> Iterator[tuple[Serial, Variation]]:
    """The variations of a method that are wanted, checked."""
    method, settings = program.method, recipe.settings
    starts = line_starts(method.file.data)
    for nth, variation in enumerate(variations(method, row, starts, settings)):
        serial = (item.ordinal, method.index, nth)
        if variation.variant is not None:
            if item.chosen is not None and serial not in item.chosen:
                continue
            is_sound(variation, settings)
        yield serial, variation


def _entry(
    program: Program, variation: Variation, serial: Serial, recipe: Recipe, task: Task
) -> Entry | str:
    """The entry, or the reason for which there is none."""
    variant = variation.variant
    if variant is None or variation.row.status:
        return variation.row.reason
    tree = reparse(variant, check=False)
    split = split_of(program.group, recipe.splits, recipe.settings.seed)
    try:
        record = _record(program, variation, variant, recipe, task) | {"split": split}
    except UnicodeDecodeError:
        return NOT_UTF_8
    return Entry(program, variant, tree, record, split, serial)


def _record(
    program: Program, variation: Variation, variant: Variant, recipe: Recipe, task: Task
) -> Record:
    row = variation.row
    which = row.place if row.place == "all" else str(row.sites[0])
    which = f"random-{which}" if row.place == "random" else which
    names = row.names
    after = None if program.gold is None else task.follow(program.gold, names)
    notes = sorted({site.note for site in variant.sites if site.note})
    return (
        {"id": f"{program.id}[{row.transform}-{which}]"}
        | _of_original(program, recipe.license)
        | {
            "transform": row.transform,
            "transform_version": origin(row.transform) or f"metamorph {VERSION}",
            "place": row.place,
            "sites": list(row.sites),
            "seed": recipe.settings.seed,
            "code": variant.text.decode("utf-8"),
            "code_sha256": _sha256(variant.text),
            "file_sha256": _sha256(variant.data),
            "edits": [
                {"start": e.start, "end": e.end, "text": e.text.decode("utf-8")}
                for e in variant.edits
            ],
            "line_map": [list(run) for run in variant.line_map],
            "name_map": [{"old": old, "new": new} for old, new in sorted(names.items())],
            "task": task.name,
            "label": program.gold,
            "label_after": after,
            "strength": "modulo-exceptions" if notes else "exact",
            "changes": notes,
            "checks": _checks(recipe),
            "tool": "metamorph",
            "tool_version": VERSION,
            "grammar": GRAMMAR,
            "grammar_version": _grammar_version(),
            "schema_version": SCHEMA,
        }
    )


@lru_cache(maxsize=1)
def _grammar_version() -> str:
    """That of the package; to look for it takes half as long as all else that a record takes."""
    return version(GRAMMAR)


@lru_cache(maxsize=1)
def _of_original(program: Program, given: str) -> Record:
    """What the records of one method share."""
    method = program.method
    source, text = method.file, method.file.data[method.start : method.end]
    licence, told_by = licence_of(source, given)
    return {
        "original_id": program.id,
        "group_id": program.group,
        "project": source.project,
        "path": source.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        "file": program.file,
        "method": method.title,
        "line": method.line,
        "start": method.start,
        "end": method.end,
        "license": licence,
        "license_source": told_by,
        "code_before": text.decode("utf-8"),
        "code_before_sha256": _sha256(text),
        "file_before_sha256": _sha256(source.data),
        "statements": statement_count(method.tree, method.body),
        "tokens": sum(1 for _ in lexemes(method.tree, method.node)),
        "source_record": source.about,
    }


def _checks(recipe: Recipe) -> dict[str, str]:
    """What was tried with the variant; each of its records has passed what was."""
    settings = recipe.settings
    compiled = settings.check == "javac" and not lack(settings)
    return {
        "parses": "not-run" if settings.check == "none" else "pass",
        "compiles": "no-new-error" if compiled else "not-run",
        "tests": "not-run",
    }


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def about(source: SourceFile) -> dict[str, Any]:
    """What the corpus' record of a source says, beside its code."""
    told: dict[str, Any] = json.loads(source.about) if source.about else {}
    return told
