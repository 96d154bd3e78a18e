"""Sources that are left out of a suite because another corpus has them, or near-copies of them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from metamorph.corpus import Skipped
from metamorph.duplicates.audits import origins_of
from metamorph.duplicates.clusters import find
from metamorph.duplicates.collections import Settings, collect, combined
from metamorph.duplicates.thresholds import Thresholds
from metamorph.errors import UserError
from metamorph.java.source import SourceFile
from metamorph.suites.copies import below
from metamorph.suites.formats.files import Lines

LIST = "excluded.jsonl"
NEAR_DUPLICATE = "near-duplicate"

_SHOWN = 5

Copied = Mapping[str, tuple[list[str], int]]
"""The path of each near-copy, what it is a copy of (the first few), and how many these are."""


def copied(corpora: Sequence[str], paths: Sequence[str]) -> Copied:
    """The sources of the paths that are near-copies of a file of the corpora."""
    known, sources = collect(corpora, Settings()), collect(paths, Settings())
    if not known.units:
        raise UserError(f"{', '.join(corpora)}: no Java there; name another CORPUS")
    both = combined(known, sources)
    found = find(both.bags, Thresholds())
    copies: dict[str, tuple[list[str], int]] = {}
    for units, origins in origins_of(found, np.arange(len(both.units)) < len(known.units)):
        names = sorted(below(both.units[number].path, corpora) for number in origins)
        copies |= {both.units[number].path: (names[:_SHOWN], len(names)) for number in units}
    return copies


def without_copies(
    sources: Iterable[SourceFile | Skipped], copies: Copied, paths: Sequence[str], out: Path
) -> Iterator[SourceFile | Skipped]:
    """The sources; near-copies become skipped ones, and are listed with what they are copies of."""
    listed = Lines(out / LIST)
    try:
        for source in sources:
            if source.path not in copies or isinstance(source, Skipped):
                yield source
                continue
            names, number = copies[source.path]
            row = {"path": below(source.path, paths), "copies": names, "number": number}
            listed.write(json.dumps(row))
            yield Skipped(source.path, NEAR_DUPLICATE)
    finally:
        listed.close()
