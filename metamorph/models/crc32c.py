"""CRC-32C (Castagnoli), the checksum in TensorFlow's files, fast on large arrays by numpy alone.

The register is linear over GF(2): data are cut into lanes that advance side by side, and the
lanes' registers are joined pairwise. Zeros in front of the data leave a register of zero as it is,
so that the first lane may be padded there.
"""

from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78
_LANES = 4096
_MOST_STEPS = 1024
_MASK = 0xFFFFFFFF


def crc32c(data: bytes | memoryview | npt.NDArray[np.uint8]) -> int:
    """The checksum of the bytes."""
    flat = np.frombuffer(data, dtype=np.uint8)
    register = _MASK
    for start in range(0, len(flat), 4 * _LANES * _MOST_STEPS):
        part = flat[start : start + 4 * _LANES * _MOST_STEPS]
        register = int(_shifted(np.array([register], np.uint32), len(part))[0]) ^ _register(part)
    return register ^ _MASK


def masked(checksum: int) -> int:
    """A checksum as the files store it: turned, and moved by a constant."""
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & _MASK


def _register(data: npt.NDArray[np.uint8]) -> int:
    """The register after the data, which are few enough for one round, from zero."""
    steps = -(-len(data) // (4 * _LANES))
    padded = np.zeros(4 * _LANES * steps, np.uint8)
    padded[len(padded) - len(data) :] = data
    rows = np.ascontiguousarray(padded.view("<u4").reshape(_LANES, steps).T)
    low, high = _tables()
    lanes = np.zeros(_LANES, np.uint32)
    for row in rows:
        lanes ^= row
        lanes = low[lanes & 0xFFFF] ^ high[lanes >> 16]
    length = 4 * steps
    while len(lanes) > 1:
        lanes = _shifted(lanes[::2], length) ^ lanes[1::2]
        length *= 2
    return int(lanes[0])


@cache
def _tables() -> tuple[Words, Words]:
    """The register after four bytes, by their lower and by their upper half."""
    halves = np.arange(1 << 16, dtype=np.uint32)
    return _after_bits(halves, 32), _after_bits(halves << np.uint32(16), 32)


def _after_bits(registers: Words, bits: int) -> Words:
    for _ in range(bits):
        odd = registers & np.uint32(1)
        registers = (registers >> np.uint32(1)) ^ odd * np.uint32(_POLYNOMIAL)
    return registers


def _shifted(registers: Words, length: int) -> Words:
    """Registers after `length` further bytes of zeros."""
    return _applied(_operator(length), registers)


@lru_cache(maxsize=1 << 12)
def _operator(length: int) -> Words:
    """What `length` bytes of zeros make of each of the register's 32 bits."""
    bits = np.uint32(1) << np.arange(32, dtype=np.uint32)
    if length <= 1:
        return _after_bits(bits, 8 * length)
    half = _operator(length // 2)
    whole = _applied(half, half)
    return _applied(_operator(1), whole) if length % 2 else whole


def _applied(operator: Words, registers: Words) -> Words:
    found = np.zeros_like(registers)
    for bit, image in enumerate(operator):
        found ^= (registers >> np.uint32(bit) & np.uint32(1)) * image
    return found
