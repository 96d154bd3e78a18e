"""Pairs of functions that are clones or not, as clone detection has them beside its functions."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from metamorph.corpus.jsonl import is_jsonl
from metamorph.errors import UserError

FOLDER = "sources-pairs"
SPLITS = ("test", "valid", "train")
"""In this order methods are given to splits, so that tests lose none to training."""

Pair = tuple[str, str, str]


def copy_pairs(paths: Sequence[str], out: Path) -> None:
    """Copy the SPLIT.txt files that lie beside a corpus of JSON lines into the suite."""
    for path in paths:
        beside = Path(path).parent
        found = [split for split in SPLITS if (beside / f"{split}.txt").is_file()]
        if not is_jsonl(path) or not found:
            continue
        (out / FOLDER).mkdir(exist_ok=True)
        for split in found:
            with (
                open(out / FOLDER / f"{split}.txt", "ab") as copy,
                open(beside / f"{split}.txt", "rb") as pairs,
            ):
                shutil.copyfileobj(pairs, copy)


def read_pairs(folder: Path, split: str) -> Iterator[Pair]:
    """The pairs of a split, none where it has no file; raises UserError for a line that is none."""
    place = folder / FOLDER / f"{split}.txt"
    if not place.exists():
        return
    with open(place, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            parts = line.split()
            if len(parts) != 3 or parts[2] not in ("0", "1"):
                raise UserError(
                    f"{split}.txt:{number}: no pair; two idx and 0 or 1 stand in a line"
                )
            yield parts[0], parts[1], parts[2]
