"""The layout of defect detection: a function and whether it is defective."""

import json
from pathlib import Path

from metamorph.suites.formats.files import Series
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry, about

NO_TARGET = "no-target"


class Defects:
    """defect-detection/SPLIT.jsonl; `idx` is a number, `id` the record's.

    The corpus' answer is about all the code of its record, which is what `func` holds.
    """

    def __init__(self, out: Path, counts: Counts) -> None:
        self._files = Series(lambda split: out / "defect-detection" / f"{split}.jsonl")
        self._counts = counts
        self._numbers: dict[str, int] = {}

    def add(self, entry: Entry) -> None:
        """Write the variant, if its corpus says whether it is defective."""
        source = entry.program.method.file
        target = _target(source.gold)
        if target is None:
            self._counts.unused[f"codexglue-defect {NO_TARGET}"] += 1
            return
        self._numbers[entry.split] = number = self._numbers.get(entry.split, -1) + 1
        row = {
            "project": entry.record["project"],
            "commit_id": about(source).get("commit_id", ""),
            "target": target,
            "func": entry.variant.data.decode("utf-8", "replace"),
            "idx": number,
            "id": entry.record["id"],
            "original_id": entry.record["original_id"],
        }
        self._files.write(entry.split, json.dumps(row, ensure_ascii=False))

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def _target(gold: str | None) -> int | None:
    """0 or 1, however the corpus spells it."""
    return {"0": 0, "1": 1, "false": 0, "true": 1}.get(gold or "")


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> Defects:
    """The writer."""
    return Defects(out, counts)
