"""From project folders to shards, each made once and kept on disk."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from metamorph.duplicates.bags import Bag, bag
from metamorph.duplicates.copies import CopyIndex
from metamorph.java.methods import Method, methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.models.contexts import Style, extract
from metamorph.training.corpus import Split, java_files, part_of
from metamorph.training.shards import Shard, ShardWriter

STYLES: tuple[Style, ...] = ("code2vec", "code2seq")
_LARGEST_FILE = 400_000


@dataclass(frozen=True, slots=True)
class Extraction:
    """How a project is read.

    contexts: the first so many of each method; most_methods: files are read in a seeded random
    order until a project has given so many, None for all; known: files whose near-copies are
    passed over.
    """

    contexts: int = 200
    most_methods: int | None = None
    seed: int = 0
    known: CopyIndex | None = None


@dataclass(slots=True)
class Counts:
    """What became of the files of a project."""

    files: int = 0
    unparsable: int = 0
    too_large: int = 0
    near_copies: int = 0

    def as_dict(self) -> dict[str, int]:
        """The counts by name."""
        return asdict(self)


def extract_project(folder: Path, settings: Extraction) -> tuple[dict[Style, Shard], Counts]:
    """The shards of a project, one a style, and the count of its files."""
    writers = {style: ShardWriter(folder.name, style) for style in STYLES}
    counts = Counts()
    read = 0
    for name, data, tree in _files(folder, settings, counts):
        for method in methods(SourceFile(name, data), tree):
            read += 1
            for style, writer in writers.items():
                if style == "code2vec" and _is_empty(method):
                    continue
                found = extract(tree, method.node, style, settings.contexts)
                writer.add(name, found.name, found.contexts)
        if settings.most_methods is not None and read >= settings.most_methods:
            break
    return {style: writer.shard() for style, writer in writers.items()}, counts


def held_out_files(corpus: Path, split: Split) -> CopyIndex:
    """The index of every file of the projects held out for validation and test."""
    bags: dict[str, Bag] = {}
    for project in [*part_of(split, "valid"), *part_of(split, "test")]:
        for path in java_files(corpus / project):
            tree = parse(path.read_bytes())
            bags[str(path.relative_to(corpus))] = bag(tree)
    return CopyIndex(bags)


def _files(folder: Path, settings: Extraction, counts: Counts) -> Iterator[tuple[str, bytes, Tree]]:
    """The readable files that are worth it, in the order of reading."""
    paths: Sequence[Path] = java_files(folder)
    if settings.most_methods is not None:
        paths = random.Random(settings.seed).sample(paths, len(paths))
    for path in paths:
        counts.files += 1
        data = path.read_bytes()
        if len(data) > _LARGEST_FILE:
            counts.too_large += 1
            continue
        tree = parse(data)
        if tree.has_error:
            counts.unparsable += 1
            continue
        name = path.relative_to(folder).as_posix()
        if settings.known is not None and settings.known.copies(bag(tree)):
            counts.near_copies += 1
            continue
        yield name, data, tree


def _is_empty(method: Method) -> bool:
    """Whether the body holds nothing: code2vec's extractor drops such methods."""
    return next(method.tree.named_children(method.body), None) is None
