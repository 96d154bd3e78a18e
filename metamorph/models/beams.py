"""Beam search over subtokens, step for step as TensorFlow's contrib decoder carries it out."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metamorph.models.numerics import Floats, Longs, highest

_LEAST = np.finfo(np.float32).min
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Search:
    """The beams of several methods after some steps; every array is methods x beams.

    totals: the log probability of each beam; finished: whether it has ended; ids, parents and
    scores: for each step the word that each slot chose, the slot that it continues, and the total.
    """

    end: int
    totals: Floats
    finished: Flags
    ids: tuple[Longs, ...] = ()
    parents: tuple[Longs, ...] = ()
    scores: tuple[Floats, ...] = ()

    def take(self, rows: Longs) -> "Search":
        """The same of some of the methods."""
        return Search(
            self.end,
            self.totals[rows],
            self.finished[rows],
            tuple(step[rows] for step in self.ids),
            tuple(step[rows] for step in self.parents),
            tuple(step[rows] for step in self.scores),
        )


def begin(methods: int, width: int, end: int) -> Search:
    """Only the first of the beams counts at first: the others would repeat it."""
    totals = np.full((methods, width), -np.inf, dtype=np.float32)
    totals[:, 0] = 0
    finished = np.ones((methods, width), dtype=np.bool_)
    finished[:, 0] = False
    return Search(end, totals, finished)


def advance(search: Search, logs: Floats) -> Search:
    """The search after one more step, given log probabilities of methods x beams x words.

    A finished beam goes on with nothing but its end, at no cost.
    """
    methods, width, words = logs.shape
    logs = logs.copy()
    logs[search.finished] = _LEAST
    logs[search.finished, search.end] = 0
    logs += search.totals[:, :, None]
    flat = logs.reshape(methods, width * words)
    picks = np.array([highest(row, width) for row in flat], dtype=np.int64)
    totals = np.take_along_axis(flat, picks, axis=1)
    parents, ids = picks // words, picks % words
    before = np.take_along_axis(search.finished, parents, axis=1)
    return Search(
        search.end,
        totals,
        before | (ids == search.end),
        (*search.ids, ids),
        (*search.parents, parents),
        (*search.scores, totals),
    )


@dataclass(frozen=True, slots=True)
class Beam:
    """A sequence of words up to its end; total: its log probability.

    slot_total: the sum of the totals that its slot had after each step, which is what the official
    program makes its score of, whichever sequences the slot held meanwhile.
    """

    words: tuple[int, ...]
    total: float
    slot_total: float


def sequences(search: Search, method: int) -> list[Beam]:
    """The beam of each slot after the last step, best first."""
    scores = np.array([step[method] for step in search.scores], dtype=np.float32)
    sums = np.add.reduce(scores, axis=0)
    return [
        Beam(_trace(search, method, slot), float(scores[-1, slot]), float(sums[slot]))
        for slot in range(scores.shape[1])
    ]


def _trace(search: Search, method: int, slot: int) -> tuple[int, ...]:
    words: list[int] = []
    for ids, parents in zip(reversed(search.ids), reversed(search.parents), strict=True):
        words.append(int(ids[method, slot]))
        slot = int(parents[method, slot])
    words.reverse()
    return tuple(words[: words.index(search.end)] if search.end in words else words)
