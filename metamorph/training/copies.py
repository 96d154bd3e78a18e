"""Which training files are copies that a training leaves out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np

from metamorph.duplicates.audits import copies_of
from metamorph.duplicates.clusters import Found, find
from metamorph.duplicates.collections import Settings, collect
from metamorph.duplicates.thresholds import Thresholds
from metamorph.training.corpus import Split, part_of_file, projects_of

Duplicates = Literal["keep", "held-out", "remove"]
"""keep: every copy; held-out: none of a file held out; remove: nor two of one cluster."""


def left_out(corpus: Path, split: Split, duplicates: Duplicates) -> frozenset[str]:
    """The training files to leave out, as `PROJECT/PATH`: near-copies of other files.

    With `held-out` those of files held out for validation or test; with `remove` also whatever
    a chain of copies links with such a file, and all but the first of each cluster.
    """
    if duplicates == "keep":
        return frozenset()
    folders = [str(corpus / project) for project in projects_of(split)]
    collection = collect(folders, Settings())
    names = [Path(unit.path).relative_to(corpus).as_posix() for unit in collection.units]
    parts = [part_of_file(split, name) for name in names]
    used = np.array([n for n, part in enumerate(parts) if part is not None], np.int64)
    found = find(collection.bags.chosen(used), Thresholds())
    held = np.array([parts[n] != "train" for n in used.tolist()], np.bool_)
    if duplicates == "held-out":
        dropped = np.flatnonzero(copies_of(found, held)).tolist()
    else:
        dropped = list(_repeated(found, held.tolist()))
    return frozenset(names[used[number]] for number in dropped)


def _repeated(found: Found, held: list[bool]) -> Iterator[int]:
    """The training files of clusters: all but the first, or all where another is held out."""
    for cluster in found.clusters:
        trained = [number for number in cluster.members if not held[number]]
        yield from trained if len(trained) < len(cluster.members) else trained[1:]
