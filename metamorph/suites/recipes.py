"""What a suite of records is made by: together with its sources, this gives every byte of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from metamorph.errors import UserError
from metamorph.runs.settings import Settings

FORMATS = {
    "jsonl": "data/SPLIT.jsonl, an object a record; it is always written",
    "parquet": "data/SPLIT.parquet",
    "hf": "README.md: a dataset card, by which `datasets` loads the records",
    "java": "java/: each variant's whole file",
    "c2v": "code2vec/: .c2v files with histograms and .dict.c2v",
    "c2s": "code2seq/: .c2s files with histograms and .dict.c2s",
    "codexglue-text": "code-to-text/java/SPLIT.jsonl",
    "codexglue-search": "code-search/java/TRANSFORM/SPLIT.jsonl, one variant a method",
    "codexglue-defect": "defect-detection/SPLIT.jsonl",
    "codexglue-clone": "clone-detection/data.jsonl and SPLIT.txt",
}
"""What `--format` takes, and what each adds to the suite."""

_SPLIT = re.compile(r"[a-z][a-z0-9_-]*")
_KEPT = ("formats", "gzip", "splits", "per_transform", "license")

Splits = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The settings of the variants, and how they are written.

    splits: names and shares; per_transform: at most so many variants of each transformation;
    license: the SPDX identifier of sources that tell none themselves.
    """

    settings: Settings
    formats: tuple[str, ...] = ("jsonl",)
    gzip: bool = False
    splits: Splits = (("test", 1.0),)
    per_transform: int | None = None
    license: str = ""

    @property
    def kept(self) -> dict[str, object]:
        """What a manifest tells beside the settings."""
        return {
            "formats": list(self.formats),
            "gzip": self.gzip,
            "splits": [list(split) for split in self.splits],
            "per_transform": self.per_transform,
            "license": self.license,
        }


def recipe_of(settings: Settings, kept: Mapping[str, Any]) -> Recipe:
    """The recipe that a manifest tells."""
    told = {name: kept[name] for name in _KEPT}
    told["formats"] = tuple(told["formats"])
    told["splits"] = tuple((str(name), float(share)) for name, share in told["splits"])
    return Recipe(settings, **told)


def parse_formats(text: str) -> tuple[str, ...]:
    """`c2v,hf` -> its formats, JSON lines being always among them; raises UserError."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in FORMATS:
            raise UserError(f"--format {word}: unknown; choose among {', '.join(FORMATS)}")
    return tuple(dict.fromkeys(["jsonl", *words]))


def parse_splits(text: str) -> Splits:
    """`train:0.8,test:0.2` -> names and shares, which are scaled to 1; raises UserError."""
    shares: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = part.strip().partition(":")
        if not _SPLIT.fullmatch(name) or name in shares:
            raise UserError(f"--splits {text}: {name!r} is no new name of a split")
        shares[name] = _share(text, share or "1")
    total = sum(shares.values())
    return tuple((name, share / total) for name, share in shares.items())


def _share(text: str, share: str) -> float:
    try:
        number = float(share)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise UserError(f"--splits {text}: {share!r} is no share; give as train:0.8,test:0.2")
    return number
