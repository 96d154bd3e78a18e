"""The published tools' files: a duplication index `[[id, ...], ...]` and a log of pairs."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from metamorph.errors import UserError


def read_index(path: Path) -> list[list[str]]:
    """The clusters of a duplication index, gzipped or not; raises UserError."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as stream:
            rows = json.load(stream)
    except (OSError, EOFError, ValueError, RecursionError) as error:
        raise UserError(f"{path}: not a readable duplication index ({_told(error)})") from error
    if not isinstance(rows, list) or not all(_is_cluster(row) for row in rows):
        raise UserError(f"{path}: not a duplication index; it is a JSON list of lists of ids")
    seen: set[str] = set()
    for name in (name for row in rows for name in row):
        if name in seen:
            raise UserError(f"{path}: {name} is listed twice; an id belongs to one cluster")
        seen.add(name)
    return rows


def _is_cluster(row: object) -> bool:
    return isinstance(row, list) and all(isinstance(name, str) for name in row)


def _told(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error).partition("\n")[0]


def index(clusters: Iterable[Sequence[str]]) -> str:
    """The duplication index of clusters of ids, each sorted, in order of their first."""
    return json.dumps(sorted(sorted(cluster) for cluster in clusters)) + "\n"


def log(pairs: Iterable[tuple[str, str, float, float]]) -> Iterator[str]:
    """A line a pair: both ids, the similarity of the multisets, that of the sets."""
    for one, other, sets, bags in pairs:
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow((one, other, bags, sets))
        yield line.getvalue()
