"""Safetensors files too large to copy: mapped when read, streamed when written."""

import json
import struct
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.durable import whole_bytes
from metamorph.errors import UserError

Tensors = Mapping[str, npt.NDArray[Any]]

_ALIGNED = 64
_LONGEST_HEADER = 100 << 20
_STEP = 1 << 16
_TYPES: dict[str, np.dtype[Any]] = {
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
    "U8": np.dtype("u1"),
    "U64": np.dtype("<u8"),
}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}


def map_tensors(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The tensors of a file as read-only views of it; UserError where it is no such file."""
    try:
        whole = np.memmap(path, np.uint8, "r").view(np.ndarray)
        (length,) = struct.unpack("<Q", whole[:8].tobytes())
        if length > min(len(whole) - 8, _LONGEST_HEADER):
            raise ValueError("cut off")
        header = json.loads(whole[8 : 8 + length].tobytes())
        data = whole[8 + length :]
        header.pop("__metadata__", None)
        return {name: _view(data, **described) for name, described in header.items()}
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise UserError(f"{path}: not a whole safetensors file ({error})") from None


def write_tensors(path: Path, tensors: Tensors, facts: Mapping[str, Any]) -> None:
    """Write a file a piece at a time; it appears when it is whole, with facts as other weights."""
    header: dict[str, Any] = {"__metadata__": {"facts": json.dumps(facts, sort_keys=True)}}
    # The format knows no gaps: the widest elements go first, so that each tensor is aligned.
    names = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    end = 0
    for name in names:
        array = tensors[name]
        start, end = end, end + array.nbytes
        described = {"dtype": _NAMES[array.dtype], "shape": array.shape}
        header[name] = {**described, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNED)
    try:
        with whole_bytes(path) as file:
            file.write(struct.pack("<Q", len(text)) + text)
            for name in names:
                flat = tensors[name].reshape(len(tensors[name]), -1)
                for first in range(0, len(flat), _STEP):
                    file.write(np.ascontiguousarray(flat[first : first + _STEP]).data)
    except OSError as error:
        raise UserError(f"{path}: cannot be written ({error.strerror})") from None


def halved(array: npt.NDArray[Any]) -> npt.NDArray[np.float16]:
    """In half precision; UserError where that cannot hold a number."""
    with np.errstate(over="ignore"):
        halves = array.astype(np.float16)
    if not np.isfinite(halves).all():
        raise UserError("a table has numbers too large for float16; keep --precision float32")
    return halves


def _view(
    data: npt.NDArray[np.uint8], dtype: str, shape: list[int], data_offsets: list[int]
) -> npt.NDArray[Any]:
    start, end = data_offsets
    kind = _TYPES[dtype]
    if not 0 <= start <= end <= len(data) or end - start != prod(shape) * kind.itemsize:
        raise ValueError("its tensors do not fit")
    found: npt.NDArray[Any] = data[start:end].view(kind).reshape(shape)
    return found
