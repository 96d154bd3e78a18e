"""Beam search: a plain one over whole sequences finds the same, step by step."""

import math
import random

import numpy as np
import numpy.typing as npt
import pytest

from metamorph.models import beams

END = 0
WORDS = 7
Sequence = tuple[int, ...]


def steps(rng: random.Random, prefix: Sequence) -> npt.NDArray[np.float32]:
    """Log probabilities of the next word, which depend on the words before and nothing else."""
    own = random.Random(f"{rng.random()}{prefix}")
    values = np.array([own.gauss(0, 2) for _ in range(WORDS)], dtype=np.float32)
    found: npt.NDArray[np.float32] = values - np.log(np.exp(values).sum())
    return found


def searched(seed: int, width: int, most: int) -> beams.Search:
    """A search over one method's made-up words, carried on until all its beams have ended."""
    search = beams.begin(1, width, END)
    for _ in range(most):
        if search.finished.all():
            break
        logs = [steps(random.Random(seed), held(search, slot)) for slot in range(width)]
        search = beams.advance(search, np.array([logs]))
    return search


def held(search: beams.Search, slot: int) -> Sequence:
    """The words of the sequence in a slot after the last step."""
    words: list[int] = []
    for ids, parents in zip(reversed(search.ids), reversed(search.parents), strict=True):
        words.append(int(ids[0, slot]))
        slot = int(parents[0, slot])
    return tuple(reversed(words))


def plain(seed: int, width: int, most: int) -> list[tuple[float, Sequence]]:
    """The same with lists of (log probability, words): ended ones stay as they are."""
    kept: list[tuple[float, Sequence]] = [(0.0, ())]
    for _ in range(most):
        if all(END in words for _, words in kept):
            break
        grown: list[tuple[float, Sequence]] = []
        for total, words in kept:
            if END in words:
                grown.append((total, words))
                continue
            logs = steps(random.Random(seed), words).tolist()
            grown += [(total + log, (*words, word)) for word, log in enumerate(logs)]
        kept = sorted(grown, key=lambda one: -one[0])[:width]
    return kept


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_the_beams_are_those_of_a_plain_search(width: int) -> None:
    for seed in range(15):
        search = searched(seed, width, 7)
        expected = plain(seed, width, 7)
        ended = [words[: words.index(END) + 1] if END in words else words for _, words in expected]
        found = beams.sequences(search, 0)
        assert [beam.words for beam in found] == [
            tuple(word for word in words if word != END) for words in ended
        ]
        np.testing.assert_allclose(
            [beam.total for beam in found], [total for total, _ in expected], rtol=1e-5
        )


def test_each_slot_sums_its_own_totals() -> None:
    search = searched(3, 2, 7)
    for slot, beam in enumerate(beams.sequences(search, 0)):
        sums = math.fsum(float(scores[0, slot]) for scores in search.scores)
        assert beam.slot_total == pytest.approx(sums)


def test_some_methods_of_a_search_go_on_alone() -> None:
    rng = np.random.default_rng(1)
    logs = np.log(rng.dirichlet(np.ones(WORDS), size=(3, 2))).astype(np.float32)
    search = beams.advance(beams.begin(3, 2, END), logs)
    rows = np.array([2, 0])
    part = beams.advance(search.take(rows), logs[rows])
    whole = beams.advance(search, logs)
    for place, row in enumerate(rows):
        assert beams.sequences(part, place) == beams.sequences(whole, int(row))
