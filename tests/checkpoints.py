"""A small writer of TensorFlow's checkpoint files, for tests of what may be wrong with them."""

import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.models.crc32c import crc32c, masked

_NUMBERS = {"float32": 1, "float64": 2, "int32": 3, "int64": 9, "float16": 19}


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value % (1 << 64))


def nested(field: int, message: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(message)) + message


def entry(array: npt.NDArray[Any], offset: int, shard: int = 0) -> bytes:
    shape = b"".join(nested(2, number(1, size)) for size in array.shape)
    head = number(1, _NUMBERS[array.dtype.name]) + nested(2, shape) + number(3, shard)
    checksum = masked(crc32c(array.tobytes()))
    place = number(4, offset) + number(5, array.nbytes)
    return head + place + varint(6 << 3 | 5) + struct.pack("<I", checksum)


def block(pairs: Iterable[tuple[bytes, bytes]], kind: int = 0) -> bytes:
    out, before = bytearray(), b""
    for key, value in pairs:
        shared = next(
            (i for i, (a, b) in enumerate(zip(before, key, strict=False)) if a != b),
            min(len(before), len(key)),
        )
        rest = key[shared:]
        out += varint(shared) + varint(len(rest)) + varint(len(value)) + rest + value
        before = key
    out += struct.pack("<II", 0, 1)
    return bytes(out) + struct.pack("<BI", kind, masked(crc32c(bytes(out) + bytes([kind]))))


def table(pairs: Mapping[bytes, bytes], per_block: int, kind: int = 0) -> bytes:
    keys = sorted(pairs)
    out, handles = b"", []
    for start in range(0, len(keys), per_block):
        part = keys[start : start + per_block]
        made = block([(key, pairs[key]) for key in part], kind)
        handles.append((part[-1], varint(len(out)) + varint(len(made) - 5)))
        out += made
    index = block(handles)
    footer = varint(0) + varint(0) + varint(len(out)) + varint(len(index) - 5)
    return out + index + footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def write_bundle(
    prefix: Path, tensors: Mapping[str, npt.NDArray[Any]], per_block: int = 3, shards: int = 1
) -> None:
    """Write a checkpoint, its tensors dealt out to the shards."""
    entries = {b"": number(1, shards) + number(2, 0) + nested(3, number(1, 1))}
    data = [b""] * shards
    for place, name in enumerate(sorted(tensors)):
        array, shard = np.asarray(tensors[name]), place % shards
        entries[name.encode()] = entry(array, len(data[shard]), shard)
        data[shard] += array.tobytes()
    for shard, written in enumerate(data):
        path = prefix.with_name(f"{prefix.name}.data-{shard:05}-of-{shards:05}")
        path.write_bytes(written)
    prefix.with_name(f"{prefix.name}.index").write_bytes(table(entries, per_block))
