"""Weights on disk: safetensors files with quantised tables and their vocabularies inside."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from metamorph.durable import write_bytes
from metamorph.errors import UserError
from metamorph.models.numerics import Floats

_LEVELS = 127


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of numbers, each as small integers times a scale of its own."""

    rows: npt.NDArray[np.int8]
    scales: Floats

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, ids: npt.NDArray[np.int64]) -> Floats:
        """The rows of these indices as numbers."""
        return self.rows[ids].astype(np.float32) * self.scales[ids][:, None]

    def whole(self) -> Floats:
        """All rows as numbers."""
        return self.rows.astype(np.float32) * self.scales[:, None]


@dataclass(frozen=True, slots=True)
class Weights:
    """A weights file: its tensors by name, its facts, and what tells it from others."""

    path: Path
    sha256: str
    tensors: Mapping[str, npt.NDArray[Any]]
    facts: Mapping[str, Any]

    def table(self, name: str) -> Table:
        """A quantised table."""
        return Table(self.tensors[name], self.tensors[f"{name}.scale"].astype(np.float32))

    def matrix(self, name: str) -> Floats:
        """A matrix as single-precision numbers."""
        return np.ascontiguousarray(self.tensors[name], dtype=np.float32)

    def strings(self, name: str) -> list[str]:
        """A vocabulary."""
        return self.tensors[name].tobytes().decode("utf-8", "surrogateescape").split("\n")[:-1]


def shipped(kind: str) -> Path:
    """Where the package keeps the default weights of that kind."""
    return Path(str(files("metamorph.models") / "weights" / f"{kind}.safetensors"))


def read_weights(kind: str, rest: str) -> Weights:
    """The default weights, or those of the file that `rest` names.

    Raises UserError where there is no such file or it holds no model of that kind.
    """
    path = Path(rest) if rest else shipped(kind)
    if not path.is_file():
        fault = "no such weights file"
        way_out = "give one with" if rest else "this copy ships none; give one with"
        raise UserError(f"{path}: {fault}; {way_out} --model {kind}:FILE")
    try:
        with safe_open(path, framework="numpy") as opened:
            facts = facts_of(opened.metadata())
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, ValueError) as error:
        raise UserError(f"{path}: not a weights file of metamorph ({error})") from None
    if facts.get("kind") != kind:
        raise UserError(f"{path}: holds a {facts.get('kind')} model, not {kind}")
    return Weights(path, hash_of(path), tensors, facts)


def read_facts(path: Path) -> dict[str, Any]:
    """The facts of a weights file, without its tensors."""
    with safe_open(path, framework="numpy") as opened:
        return facts_of(opened.metadata())


def write_weights(
    path: Path, tensors: Mapping[str, npt.NDArray[Any]], facts: Mapping[str, Any]
) -> None:
    """Write a weights file; the same input gives the same bytes."""
    kept = {name: np.ascontiguousarray(tensors[name]) for name in sorted(tensors)}
    write_bytes(path, save(kept, {"facts": json.dumps(facts, sort_keys=True)}))


def facts_of(metadata: Mapping[str, str] | None) -> dict[str, Any]:
    """The facts that `write_weights` was given."""
    facts: dict[str, Any] = json.loads((metadata or {}).get("facts", "{}"))
    return facts


def quantised(name: str, weights: Floats) -> dict[str, npt.NDArray[Any]]:
    """A table's two tensors: rows in 8 bits, and a scale a row."""
    scales = np.abs(weights).max(axis=1, initial=0) / _LEVELS
    scales[scales == 0] = 1
    rows = np.rint(weights / scales[:, None]).astype(np.int8)
    return {name: rows, f"{name}.scale": scales.astype(np.float32)}


def packed(strings: Sequence[str]) -> npt.NDArray[np.uint8]:
    """A vocabulary's tensor: its words, none of which holds a line feed, a line each."""
    text = "".join(f"{string}\n" for string in strings)
    return np.frombuffer(text.encode("utf-8", "surrogateescape"), dtype=np.uint8)


def hash_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
