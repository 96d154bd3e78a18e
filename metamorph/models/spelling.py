"""How surprising the spelling of a name is that is in no vocabulary: letter by letter."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"
_OTHER = len(_LETTERS)
_END = _OTHER + 1
SYMBOLS = _END + 1
"""The letters of names, all other bytes as one, and what stands before the first and behind the
last."""

_SYMBOL_OF = bytes(_LETTERS.find(byte) if byte in _LETTERS else _OTHER for byte in range(256))

Table = npt.NDArray[np.float16]
"""The bits of a symbol (a column) after another (a row)."""


def table_of(names: Iterable[bytes]) -> Table:
    """How often each symbol follows another in these names, each seen once more than it was."""
    counts = np.ones(SYMBOLS * SYMBOLS, np.int64)
    for name in names:
        np.add.at(counts, _steps(name), 1)
    square = counts.reshape(SYMBOLS, SYMBOLS)
    bits: Table = -np.log2(square / square.sum(axis=1, keepdims=True)).astype(np.float16)
    return bits


def bits_of(table: Table, name: bytes) -> float:
    """The surprise of a spelling, its end included."""
    return float(table.ravel()[_steps(name)].sum(dtype=np.float64))


def _steps(name: bytes) -> npt.NDArray[np.int64]:
    """The place in the table of each symbol after the one before it."""
    inner = np.frombuffer(name.translate(_SYMBOL_OF), np.uint8).astype(np.int64)
    symbols = np.concatenate([[_END], inner, [_END]])
    steps: npt.NDArray[np.int64] = symbols[:-1] * SYMBOLS + symbols[1:]
    return steps
