"""The layout of defect detection: a function and whether it is defective."""

import json
from pathlib import Path

from metamorph.suites.formats.files import Series
from metamorph.suites.formats.shapes import Each
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry, Record, about

NO_TARGET = "no-target"


class Defects:
    """defect-detection/SPLIT.jsonl; `idx` is a number, `id` the record's.

    The corpus' answer is about all the code of its record, which is what `func` holds.
    """

    def __init__(self, out: Path, counts: Counts) -> None:
        self._files = Series(lambda split: out / "defect-detection" / f"{split}.jsonl")
        self._counts = counts
        self._numbers: dict[str, int] = {}

    def add(self, shape: tuple[str, Record | None]) -> None:
        """Write the variant, if its corpus says whether it is defective."""
        split, row = shape
        if row is None:
            self._counts.unused[f"codexglue-defect {NO_TARGET}"] += 1
            return
        self._numbers[split] = row["idx"] = self._numbers.get(split, -1) + 1
        self._files.write(split, json.dumps(row, ensure_ascii=False))

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def _shape(entry: Entry) -> tuple[str, Record | None]:
    """The split and the row, whose number is still to come; None where there is no answer."""
    source = entry.program.method.file
    target = _target(source.gold)
    if target is None:
        return entry.split, None
    return entry.split, {
        "project": entry.record["project"],
        "commit_id": about(source).get("commit_id", ""),
        "target": target,
        "func": entry.variant.data.decode("utf-8", "replace"),
        "idx": None,
        "id": entry.record["id"],
        "original_id": entry.record["original_id"],
    }


def _target(gold: str | None) -> int | None:
    """0 or 1, however the corpus spells it."""
    return {"0": 0, "1": 1, "false": 0, "true": 1}.get(gold or "")


def shaper(name: str, recipe: Recipe, scratch: Path) -> Each:
    """Of rows."""
    return Each(_shape)


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> Defects:
    """The writer."""
    return Defects(out, counts)
