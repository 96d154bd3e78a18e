"""Encodings of paths by code2seq's two LSTMs, remembered from batch to batch."""

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from metamorph.models.numerics import Floats, Longs, cell_step, product
from metamorph.models.weights import Weights

_PAD, _UNKNOWN = 0, 1
_DIRECTIONS = ("forward", "backward")
Nodes = npt.NDArray[np.int64]


class PathEncoder:
    """Paths to vectors, already projected by the layer above.

    Weights without a backward LSTM give those of the forward one alone.
    The same paths come again and again, in variants of a method above all, so the last
    `capacity` paths are kept; the oldest go first.
    """

    def __init__(self, weights: Weights, capacity: int = 60_000) -> None:
        self._nodes = {node: row for row, node in enumerate(weights.strings("node_list"), 2)}
        nodes = weights.matrix("nodes")
        directions = [name for name in _DIRECTIONS if f"{name}_input" in weights.tensors]
        self._inputs = {
            name: product(nodes, weights.matrix(f"{name}_input")) + weights.matrix(f"{name}_bias")
            for name in directions
        }
        self._hidden = {name: weights.matrix(f"{name}_hidden") for name in directions}
        self._path = weights.matrix("path")
        self._capacity = capacity
        self._kept: dict[str, Floats] = {}

    def encode(self, paths: Iterable[str]) -> Floats:
        """One row a path."""
        paths = list(paths)
        kept = self._kept
        new = [path for path in dict.fromkeys(paths) if path not in kept]
        if new:
            kept.update(zip(new, self._encode(new), strict=True))
        rows = np.array([kept[path] for path in paths], dtype=np.float32)
        for path in list(islice(kept, max(0, len(kept) - self._capacity))):
            del kept[path]
        return rows

    def _encode(self, paths: Sequence[str]) -> Floats:
        rows = [[self._nodes.get(node, _UNKNOWN) for node in path.split("|")] for path in paths]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        shape = (len(rows), int(lengths.max()))
        ways = {name: np.full(shape, _PAD, dtype=np.int64) for name in self._hidden}
        for name, nodes in ways.items():
            order = 1 if name == "forward" else -1
            for place, row in enumerate(rows):
                nodes[place, : len(row)] = row[::order]
        states = [self._lstm(name, nodes, lengths) for name, nodes in ways.items()]
        return product(np.concatenate(states, axis=1), self._path)

    def _lstm(self, name: str, nodes: Nodes, lengths: Longs) -> Floats:
        """The last state over each row; what rows share from their beginning is computed once."""
        inputs, weights = self._inputs[name], self._hidden[name]
        before = np.zeros(len(nodes), dtype=np.int64)
        last = np.zeros((len(nodes), len(weights)), dtype=np.float32)
        hidden = cell = np.zeros((1, len(weights)), dtype=np.float32)
        for step in range(nodes.shape[1]):
            live = np.flatnonzero(lengths > step)
            keys, where = np.unique(
                before[live] * len(inputs) + nodes[live, step], return_inverse=True
            )
            above = keys // len(inputs)
            gates = inputs[keys % len(inputs)] + product(hidden, weights)[above]
            hidden, cell = cell_step(gates, cell[above])
            before[live] = where
            ended = np.flatnonzero(lengths == step + 1)
            last[ended] = hidden[before[ended]]
        return last
