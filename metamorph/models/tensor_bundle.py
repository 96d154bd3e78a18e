"""TensorFlow's checkpoint files (TensorBundle: an index and shards), read without TensorFlow.

`PREFIX.index` is a sorted string table as LevelDB writes it, whose values are protocol buffers;
`PREFIX.data-00000-of-00001` holds the tensors' bytes, one after the other.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.errors import UserError
from metamorph.models.crc32c import crc32c, masked
from metamorph.models.wire_format import Fields, fields_of, varint

_FOOTER = 48
_MAGIC = 0xDB4775248B80FB57
_TRAILER = 5
_STRING = 7
_MOST_SHARDS = 99999
_TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype("<f4"),
    2: np.dtype("<f8"),
    3: np.dtype("<i4"),
    4: np.dtype("u1"),
    5: np.dtype("<i2"),
    6: np.dtype("i1"),
    9: np.dtype("<i8"),
    10: np.dtype("?"),
    19: np.dtype("<f2"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a tensor lies: `size` bytes of shard `shard` from `offset` on; dtype as numbered."""

    dtype: int
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    checksum: int
    sliced: bool


@dataclass(frozen=True, slots=True)
class Bundle:
    """A checkpoint: its entries by tensor name, its shards mapped into memory."""

    prefix: Path
    entries: dict[str, Entry]
    shards: tuple[npt.NDArray[np.uint8], ...]

    def names(self) -> list[str]:
        """The tensors' names, sorted."""
        return sorted(self.entries)

    def shape(self, name: str) -> tuple[int, ...]:
        """A tensor's shape; UserError where the checkpoint has no such tensor."""
        return self._entry(name).shape

    def tensor(self, name: str) -> npt.NDArray[Any]:
        """A tensor as a read-only view of the mapped shard; UserError where that is impossible."""
        entry = self._entry(name)
        dtype = _TYPES.get(entry.dtype)
        if dtype is None or entry.sliced:
            what = "cut into slices" if entry.sliced else f"of TensorFlow's type {entry.dtype}"
            raise UserError(f"{self.prefix}: tensor {name} is {what}, which is not supported")
        if entry.size != prod(entry.shape) * dtype.itemsize:
            raise UserError(f"{self.prefix}: tensor {name} has {entry.size} bytes, not its shape's")
        return self._bytes(entry).view(np.ndarray).view(dtype).reshape(entry.shape)

    def verify(self) -> None:
        """Compare each tensor's bytes with their checksum; UserError where they differ."""
        for name, entry in self.entries.items():
            if entry.dtype == _STRING or entry.sliced:
                continue
            if masked(crc32c(self._bytes(entry))) != entry.checksum:
                raise UserError(f"{self.prefix}: tensor {name} is damaged: wrong checksum")

    def _entry(self, name: str) -> Entry:
        entry = self.entries.get(name)
        if entry is None:
            raise UserError(f"{self.prefix}: no tensor {name} in this checkpoint")
        return entry

    def _bytes(self, entry: Entry) -> npt.NDArray[np.uint8]:
        return self.shards[entry.shard][entry.offset : entry.offset + entry.size]


def index_of(prefix: Path) -> Path:
    """The index file of a checkpoint."""
    return prefix.with_name(f"{prefix.name}.index")


def read_bundle(prefix: Path) -> Bundle:
    """Open the checkpoint whose files begin with `prefix`; no tensor is read yet.

    Raises UserError where a file is missing, cut off or damaged.
    """
    path = index_of(prefix)
    try:
        table = dict(_table(path.read_bytes()))
        header = fields_of(table.pop(b""))
        entries = {key.decode(): _entry_of(fields_of(value)) for key, value in table.items()}
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, IndexError, struct.error) as error:
        fault = str(error) if type(error) is ValueError else "cut off or damaged"
        raise UserError(f"{path}: not a whole index of a TensorFlow checkpoint: {fault}") from None
    if not 0 < header.number(1) <= _MOST_SHARDS:
        raise UserError(f"{path}: tells of {header.number(1)} shards")
    if header.number(2):
        raise UserError(f"{path}: a big-endian checkpoint, which is not supported")
    shards = tuple(_shards(prefix, header.number(1), entries))
    return Bundle(prefix, entries, shards)


def _shards(prefix: Path, count: int, entries: dict[str, Entry]) -> Iterator[npt.NDArray[np.uint8]]:
    ends = [0] * count
    for name, entry in entries.items():
        if not 0 <= entry.shard < count:
            raise UserError(f"{prefix}: tensor {name} is in shard {entry.shard} of {count}")
        ends[entry.shard] = max(ends[entry.shard], entry.offset + entry.size)
    for number, end in enumerate(ends):
        path = prefix.with_name(f"{prefix.name}.data-{number:05}-of-{count:05}")
        if not path.is_file():
            raise UserError(f"{path}: this shard of the checkpoint is missing")
        size = path.stat().st_size
        if size < end:
            raise UserError(f"{path}: cut off: {size} bytes of {end}")
        yield np.memmap(path, np.uint8, "r") if size else np.zeros(0, np.uint8)


def _entry_of(fields: Fields) -> Entry:
    shape = tuple(fields_of(dim).number(1) for dim in fields_of(fields.bytes_of(2)).all_bytes(2))
    offset, size = fields.number(4), fields.number(5)
    if min(offset, size, *shape, 0) < 0:
        raise ValueError("negative sizes")
    return Entry(
        dtype=fields.number(1),
        shape=shape,
        shard=fields.number(3),
        offset=offset,
        size=size,
        checksum=fields.number(6),
        sliced=bool(fields.all_bytes(7)),
    )


def _table(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values of a sorted string table."""
    footer = data[-_FOOTER:]
    if len(footer) < _FOOTER or struct.unpack("<Q", footer[-8:])[0] != _MAGIC:
        raise ValueError("no footer at its end")
    _, at = _handle(footer, 0)
    index, _ = _handle(footer, at)
    for _, value in _block(data, *index):
        handle, _ = _handle(value, 0)
        yield from _block(data, *handle)


def _handle(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    """A block's place and size, and where the next value begins."""
    offset, at = varint(data, at)
    size, at = varint(data, at)
    return (offset, size), at


def _block(data: bytes, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """The entries of a block; each key tells only how it differs from the one before."""
    block = data[offset : offset + size + _TRAILER]
    if len(block) < size + _TRAILER:
        raise ValueError("cut off")
    kind, checksum = struct.unpack("<BI", block[size:])
    if masked(crc32c(block[: size + 1])) != checksum:
        raise ValueError("wrong checksum")
    if kind:
        raise ValueError(f"compressed (type {kind}), which is not supported")
    (restarts,) = struct.unpack("<I", block[size - 4 : size])
    at, end, key = 0, size - 4 - 4 * restarts, b""
    while at < end:
        shared, at = varint(block, at)
        added, at = varint(block, at)
        length, at = varint(block, at)
        key = key[:shared] + block[at : at + added]
        at += added
        yield key, block[at : at + length]
        at += length
