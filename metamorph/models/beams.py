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

    totals: the log probability of each beam; finished: whether it has ended; lengths: its
    subtokens, the end among them; ids, parents and scores: a column a step, for each slot the
    subtoken chosen, the slot that it continues, and the total then.
    """

    end: int
    totals: Floats
    finished: Flags
    lengths: Longs
    ids: tuple[Longs, ...] = ()
    parents: tuple[Longs, ...] = ()
    scores: tuple[Floats, ...] = ()

    def take(self, rows: Longs) -> "Search":
        """The same of some of the methods."""
        return Search(
            self.end,
            self.totals[rows],
            self.finished[rows],
            self.lengths[rows],
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
    return Search(end, totals, finished, np.zeros((methods, width), dtype=np.int64))


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
    lengths = np.take_along_axis(search.lengths, parents, axis=1) + ~before
    return Search(
        search.end,
        totals,
        before | (ids == search.end),
        lengths,
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
    """The beam of each slot, best first.

    They are traced back from the longest surviving beam's last step, as the decoder does: where
    a longer beam fell out of the search at the end, the slots are those of an earlier step.
    """
    last = min(len(search.ids), int(search.lengths[method].max())) - 1
    scores = np.array([step[method] for step in search.scores], dtype=np.float32)
    sums = np.add.reduce(scores, axis=0)
    return [
        Beam(_trace(search, method, last, slot), float(scores[last, slot]), float(sums[slot]))
        for slot in range(scores.shape[1])
    ]


def _trace(search: Search, method: int, last: int, slot: int) -> tuple[int, ...]:
    words: list[int] = []
    for step in range(last, -1, -1):
        words.append(int(search.ids[step][method, slot]))
        slot = int(search.parents[step][method, slot])
    words.reverse()
    return tuple(words[: words.index(search.end)] if search.end in words else words)
