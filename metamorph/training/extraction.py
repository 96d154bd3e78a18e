"""From project folders to shards, each made once and kept on disk."""

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from metamorph.java.methods import Method, methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.limits import Guard, Limits, within
from metamorph.models.contexts import MethodContexts, Style, extract
from metamorph.training.corpus import java_files
from metamorph.training.shards import Shard, ShardWriter

STYLES: tuple[Style, ...] = ("code2vec", "code2seq")
LARGEST_FILE = 400_000
"""Bytes; a larger file is generated, as a rule, and not learnt from."""

_Drawn = dict[Style, MethodContexts]
"""A method's contexts in each style that has it."""


def _all_train(name: str) -> str | None:
    return "train"


@dataclass(frozen=True, slots=True)
class Extraction:
    """How a project is read.

    contexts: the first so many of each method; most_methods: None for every file of the project,
    else files are read in a seeded random order until those of the part `train` have given so
    many, and files of no part are passed over; part: of a file, by its path below the project.
    """

    contexts: int = 200
    most_methods: int | None = None
    seed: int = 0
    part: Callable[[str], str | None] = _all_train


@dataclass(slots=True)
class Counts:
    """What became of the files of a project; over_limit: those left out, each with its reason."""

    files: int = 0
    unparsable: int = 0
    too_large: int = 0
    over_limit: dict[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """The counts by name."""
        return asdict(self)


def extract_project(folder: Path, settings: Extraction) -> tuple[dict[Style, Shard], Counts]:
    """The shards of a project, one a style, and the count of its files."""
    writers = {style: ShardWriter(folder.name, style) for style in STYLES}
    counts = Counts()
    learnt = 0
    for path in _ordered(folder, settings):
        name = path.relative_to(folder).as_posix()
        part = settings.part(name)
        if settings.most_methods is not None and (
            part is None or (part == "train" and learnt >= settings.most_methods)
        ):
            continue
        found = _found(path, name, settings.contexts, counts)
        learnt += len(found) if part == "train" else 0
        for style, drawn in (pair for each in found for pair in each.items()):
            writers[style].add(name, drawn.name, drawn.contexts)
    return {style: writer.shard() for style, writer in writers.items()}, counts


def _ordered(folder: Path, settings: Extraction) -> Sequence[Path]:
    paths = java_files(folder)
    if settings.most_methods is None:
        return paths
    return random.Random(settings.seed).sample(paths, len(paths))


def _found(path: Path, name: str, contexts: int, counts: Counts) -> list[_Drawn]:
    """The methods of a file, which is counted; none where it is left out."""
    counts.files += 1
    data = path.read_bytes()
    if len(data) > LARGEST_FILE:
        counts.too_large += 1
        return []
    found = within(Guard(Limits()), partial(_drawn, SourceFile(name, data), contexts))
    if isinstance(found, str):
        counts.over_limit[name] = found
        return []
    if found is None:
        counts.unparsable += 1
    return found or []


def _drawn(source: SourceFile, contexts: int) -> list[_Drawn] | None:
    """The methods of a file; None where it has a syntax error."""
    tree = parse(source.data)
    if tree.has_error:
        return None
    return [
        {
            style: extract(tree, method.node, style, contexts)
            for style in STYLES
            if style != "code2vec" or not _is_empty(method)
        }
        for method in methods(source, tree)
    ]


def _is_empty(method: Method) -> bool:
    """Whether the body holds nothing: code2vec's extractor drops such methods."""
    return next(method.tree.named_children(method.body), None) is None
