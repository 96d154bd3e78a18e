"""Arithmetic whose result for a row does not depend on the rows beside it, to the bit.

Predictions are compared before and after a change of one method, and a batch's company varies
with the number of workers; so matrix products run in blocks of one shape, and sums over the
contexts of a method never cross into another's.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]

_BLOCK = 64
_PARTS = 256


def product(rows: Floats, matrix: Floats) -> Floats:
    """rows @ matrix, always multiplied in blocks of the same number of rows."""
    count = len(rows)
    padded = np.zeros((-(-count // _BLOCK) * _BLOCK, rows.shape[1]), dtype=np.float32)
    padded[:count] = rows
    result = np.empty((len(padded), matrix.shape[1]), dtype=np.float32)
    for start in range(0, len(padded), _BLOCK):
        np.matmul(padded[start : start + _BLOCK], matrix, out=result[start : start + _BLOCK])
    return result[:count]


def dot(rows: Floats, others: Floats) -> Floats:
    """The dot product of each row with its counterpart, or with the one other."""
    sums: Floats = np.add.reduce(rows * others, axis=1)
    return sums


def sigmoid(values: Floats) -> Floats:
    """The logistic function."""
    half = np.float32(0.5)
    result: Floats = np.tanh(values * half) * half + half
    return result


def attend(
    scores: Floats, rows: Floats, starts: Longs, lengths: Longs, empty: Longs | None = None
) -> Floats:
    """Each group's mean of its rows, weighted by the softmax of their scores.

    Group g owns `lengths[g]` rows, one at least, from `starts[g]` on, and `empty[g]` more that
    are all zeros, their scores too.
    """
    highest = np.maximum.reduceat(scores, starts)
    if empty is not None:
        highest = np.where(empty > 0, np.maximum(highest, np.float32(0)), highest)
    weights = np.exp(scores - np.repeat(highest, lengths))
    totals = np.add.reduceat(weights, starts)
    if empty is not None:
        totals += empty.astype(np.float32) * np.exp(-np.maximum(highest, np.float32(0)))
    weights /= np.repeat(totals, lengths)
    result = np.empty((len(starts), rows.shape[1]), dtype=np.float32)
    for group, (begin, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        part = slice(begin, begin + length)
        np.einsum("i,ij->j", weights[part], rows[part], out=result[group])
    return result


def attend_to(scores: Floats, rows: Floats, groups: Sequence[Longs]) -> Floats:
    """The same of groups that are places among rows, and have their scores."""
    result = np.empty((len(groups), rows.shape[1]), dtype=np.float32)
    for number, places in enumerate(groups):
        powers = scores[places]
        powers = np.exp(powers - powers.max())
        np.einsum("i,ij->j", powers / np.add.reduce(powers), rows[places], out=result[number])
    return result


def softmax(logits: Floats) -> Floats:
    """Along the last axis."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares: Floats = powers / np.add.reduce(powers, axis=1, keepdims=True)
    return shares


def log_softmax(logits: Floats) -> Floats:
    """The logarithms of `softmax`."""
    shifted: Floats = logits - logits.max(axis=1, keepdims=True)
    shifted -= np.log(np.add.reduce(np.exp(shifted), axis=1, keepdims=True))
    return shifted


def highest(values: Floats, count: int) -> Longs:
    """The places of the `count` highest of a row, descending; of equal ones the first is first."""
    tops = np.maximum.reduceat(values, np.arange(0, len(values), -(-len(values) // _PARTS)))
    least = np.partition(tops, -count)[-count] if len(tops) >= count else -np.inf
    # What is not a number is taken too, so that it is seen.
    likely: Longs = np.flatnonzero(~(values < least))
    return likely[np.argsort(-values[likely], kind="stable")][:count]


def cell_step(gates: Floats, cell: Floats) -> tuple[Floats, Floats]:
    """An LSTM's hidden state and cell; gates in the order input, new, forget (+ 1), output."""
    let_in, new, forget, output = np.split(gates, 4, axis=1)
    cell = sigmoid(forget + np.float32(1)) * cell + sigmoid(let_in) * np.tanh(new)
    return sigmoid(output) * np.tanh(cell), cell
