"""The layout of clone detection: functions by index, and pairs of them, clones or not."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

from metamorph.corpus.suites import listing
from metamorph.errors import UserError
from metamorph.java.source import SourceFile
from metamorph.suites.formats.files import Series
from metamorph.suites.formats.shapes import Each
from metamorph.suites.pairs import FOLDER as PAIRS
from metamorph.suites.pairs import SPLITS, Pair, read_pairs
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry, Program, about

UNCHANGED = "pair-without-variant"
ELSEWHERE = "pair-of-another-split"
LEFT_OUT = "function-not-in-suite"

_DATA = "data.jsonl"


class Clones:
    """clone-detection/data.jsonl and a SPLIT.txt of pairs for each split.

    Where the corpus has pairs, one function of each pair becomes a variant. Where it has none, an
    original and its variant are clones, and the variant and another method, drawn by chance from
    the same split, are taken for none.
    """

    def __init__(self, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> None:
        self._sources = sources
        self._files = Series(lambda name: out / "clone-detection" / name)
        self._seed = recipe.settings.seed
        self._counts = counts
        self._given = (sources / PAIRS).is_dir()
        self._there = {index for index, _ in _by_index(sources)} if self._given else set[str]()
        self._files_of: dict[str, str] = {}
        self._indices: dict[str, str] = {}
        self._groups: dict[str, str] = {}
        self._splits: dict[str, str] = {}
        self._variants: dict[str, list[str]] = {}

    def add(self, shape: "Function") -> None:
        """Write the variant, and before it its original."""
        index = self._original(shape)
        variants = self._variants.setdefault(index, [])
        names = (f"{index}.{number}" for number in count(len(variants)))
        variants.append(next(n for n in names if n not in self._there and n not in variants))
        self._write(shape.after, variants[-1], shape.id)

    def close(self) -> None:
        """Write the pairs."""
        if self._given:
            self._write_given_pairs()
        else:
            self._write_own_pairs()
        self._files.close()

    def _original(self, shape: "Function") -> str:
        """The index of what a variant is made of; it is written at first sight."""
        told = shape.idx if self._given else None
        key = shape.original if told is None else told
        if key not in self._indices:
            index = str(len(self._indices)) if told is None else key
            self._indices[key], self._files_of[key] = index, shape.file
            self._groups[index], self._splits[index] = shape.group, shape.split
            self._write(shape.before, index, shape.original)
        if self._files_of[key] != shape.file:
            raise UserError(f"{key}: the idx of two functions; give each its own")
        return self._indices[key]

    def _write(self, code: str, index: str, id: str) -> None:
        row = {"func": code, "idx": index, "id": id}
        self._files.write(_DATA, json.dumps(row, ensure_ascii=False))

    def _write_own_pairs(self) -> None:
        for index, variants in self._variants.items():
            split, group = self._splits[index], self._groups[index]
            rng = Random(f"{self._seed} {index}")
            for variant in variants:
                self._files.write(f"{split}.txt", f"{index}\t{variant}\t1")
                if other := self._other(split, group, rng):
                    self._files.write(f"{split}.txt", f"{other}\t{variant}\t0")

    def _other(self, split: str, group: str, rng: Random) -> str:
        """An original of the split that is of another group; "" where none is met."""
        among = self._by_split().get(split, [])
        for _ in range(min(len(among), 50)):
            found = rng.choice(among)
            if self._groups[found] != group:
                return found
        return ""

    def _by_split(self) -> dict[str, list[str]]:
        if not hasattr(self, "_among"):
            self._among: dict[str, list[str]] = {}
            for index, split in self._splits.items():
                self._among.setdefault(split, []).append(index)
        return self._among

    def _write_given_pairs(self) -> None:
        """A variant for the first function of each pair, or else for the second."""
        owner: dict[str, str] = {}
        lacking: set[str] = set()
        for split in SPLITS:
            for pair in read_pairs(self._sources, split):
                changed = (
                    self._changed(pair, split, owner) if self._there.issuperset(pair[:2]) else None
                )
                if changed is None:
                    self._counts.unused[f"codexglue-clone {self._reason(pair)}"] += 1
                else:
                    self._files.write(f"{split}.txt", "\t".join(changed))
                    lacking.update(each for each in changed[:2] if each in pair[:2])
        self._write_partners(lacking - self._groups.keys())
        if not any(name != _DATA for name in self._files.names()):
            reasons = ", ".join(f"{name} {n}" for name, n in self._counts.unused.items())
            raise UserError(f"--format codexglue-clone: none of the pairs can be used ({reasons})")

    def _reason(self, pair: Pair) -> str:
        """Why a pair is left out."""
        if not self._there.issuperset(pair[:2]):
            return LEFT_OUT
        return ELSEWHERE if any(index in self._variants for index in pair[:2]) else UNCHANGED

    def _changed(self, pair: Pair, split: str, owner: dict[str, str]) -> Pair | None:
        """The pair with a variant; the variants of a method are used in one split alone."""
        first, second, label = pair
        rng = Random(f"{self._seed} {first} {second}")
        for index in (first, second):
            if index not in self._variants:
                continue
            if owner.setdefault(self._groups[index], split) != split:
                continue
            variant = rng.choice(self._variants[index])
            return (variant, second, label) if index == first else (first, variant, label)
        return None

    def _write_partners(self, indices: set[str]) -> None:
        """The functions that pairs name and that have no variant."""
        for index, source in _by_index(self._sources):
            if index in indices:
                indices.discard(index)
                self._write(source.data.decode("utf-8", "replace"), index, "")


class Function(NamedTuple):
    """A variant as one function, and its original as another.

    idx: that of the corpus' record, None where it has none; original, id: of the program and of the
    record.
    """

    idx: str | None
    original: str
    file: str
    group: str
    split: str
    before: str
    after: str
    id: str


def _shape(entry: Entry) -> Function:
    program = entry.program
    idx = about(program.method.file).get("idx")
    return Function(
        None if idx is None else f"{idx}",
        program.id,
        program.file,
        program.group,
        entry.split,
        _text(program, None),
        _text(program, entry),
        entry.record["id"],
    )


def _by_index(sources: Path) -> Iterator[tuple[str, SourceFile]]:
    for _, source in listing(str(sources)):
        if isinstance(source, SourceFile):
            yield str(about(source).get("idx", "")), source


def _text(program: Program, entry: Entry | None) -> str:
    """What stands for a function: the method, or all the code of a record that has an idx."""
    method, variant = program.method, entry and entry.variant
    if "idx" in about(method.file):
        data = variant.data if variant else method.file.data
    else:
        data = variant.text if variant else method.file.data[method.start : method.end]
    return data.decode("utf-8", "replace")


def shaper(name: str, recipe: Recipe, scratch: Path) -> Each:
    """Of functions."""
    return Each(_shape)


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> Clones:
    """The writer."""
    return Clones(sources, out, recipe, counts)
