"""Sources that are left out of a suite because another corpus has them, or near-copies of them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from metamorph.corpus import Skipped, read_sources
from metamorph.duplicates.bags import Bag, bag
from metamorph.duplicates.copies import CopyIndex
from metamorph.errors import UserError
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.suites.copies import below
from metamorph.suites.formats.files import Lines

LIST = "excluded.jsonl"
NEAR_DUPLICATE = "near-duplicate"

_SHOWN = 5


def index_of(corpora: Sequence[str]) -> CopyIndex:
    """All sources of the corpora, to be looked up; raises UserError where there are none."""
    bags: dict[str, Bag] = {}
    for source in read_sources(corpora):
        if isinstance(source, SourceFile):
            bags[below(source.path, corpora)] = bag(parse(source.data))
    if not bags:
        raise UserError(f"{', '.join(corpora)}: no Java there; name another CORPUS")
    return CopyIndex(bags)


def without_copies(
    sources: Iterable[SourceFile | Skipped], index: CopyIndex, paths: Sequence[str], out: Path
) -> Iterator[SourceFile | Skipped]:
    """The sources; near-copies become skipped ones, and are listed with what they are copies of."""
    listed = Lines(out / LIST)
    try:
        for source in sources:
            copies = index.copies(bag(parse(source.data))) if isinstance(source, SourceFile) else []
            if not copies:
                yield source
                continue
            row = {"path": below(source.path, paths), "copies": copies[:_SHOWN]}
            listed.write(json.dumps(row | {"number": len(copies)}))
            yield Skipped(source.path, NEAR_DUPLICATE)
    finally:
        listed.close()
