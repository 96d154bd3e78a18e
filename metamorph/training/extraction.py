"""From project folders to shards, each made once and kept on disk."""

import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from metamorph.java.methods import Method, methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.models.contexts import Style, extract
from metamorph.training.corpus import java_files
from metamorph.training.shards import Shard, ShardWriter

STYLES: tuple[Style, ...] = ("code2vec", "code2seq")
LARGEST_FILE = 400_000
"""Bytes; a larger file is generated, as a rule, and not learnt from."""


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
    """What became of the files of a project."""

    files: int = 0
    unparsable: int = 0
    too_large: int = 0

    def as_dict(self) -> dict[str, int]:
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
        read = _readable(path, counts)
        if read is None:
            continue
        found = list(methods(SourceFile(name, read[0]), read[1]))
        learnt += len(found) if part == "train" else 0
        for method in found:
            for style, writer in writers.items():
                if style == "code2vec" and _is_empty(method):
                    continue
                drawn = extract(read[1], method.node, style, settings.contexts)
                writer.add(name, drawn.name, drawn.contexts)
    return {style: writer.shard() for style, writer in writers.items()}, counts


def _ordered(folder: Path, settings: Extraction) -> Sequence[Path]:
    paths = java_files(folder)
    if settings.most_methods is None:
        return paths
    return random.Random(settings.seed).sample(paths, len(paths))


def _readable(path: Path, counts: Counts) -> tuple[bytes, Tree] | None:
    """The file and its tree, counted; None where it is too large or has a syntax error."""
    counts.files += 1
    data = path.read_bytes()
    if len(data) > LARGEST_FILE:
        counts.too_large += 1
        return None
    tree = parse(data)
    if tree.has_error:
        counts.unparsable += 1
        return None
    return data, tree


def _is_empty(method: Method) -> bool:
    """Whether the body holds nothing: code2vec's extractor drops such methods."""
    return next(method.tree.named_children(method.body), None) is None
