"""Which variants a suite takes where it takes a number of each transformation."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from pathlib import Path

from metamorph.oracles.lengths import length_bin
from metamorph.suites.formats.shapes import Each, Shaper
from metamorph.suites.records import Entry, Serial

Stratum = tuple[str, str, str]
"""Place, project, and the bin of the method's length."""


Candidate = tuple[str, Stratum, Serial]
"""A variant that may be chosen, after its transformation and stratum."""


@dataclass(slots=True)
class Candidates:
    """The variants that there are, by transformation and stratum."""

    found: dict[str, dict[Stratum, list[Serial]]] = field(default_factory=dict)

    def add(self, shape: Candidate) -> None:
        """Note a variant."""
        transform, stratum, serial = shape
        self.found.setdefault(transform, defaultdict(list))[stratum].append(serial)

    def choose(self, most: int, seed: int) -> tuple[set[Serial], dict[str, int]]:
        """At most so many of each transformation; how many each lacks that has fewer.

        Each stratum gives as many as any other, as long as it has some; within it each method
        gives one before any gives a second.
        """
        chosen: set[Serial] = set()
        lacking: dict[str, int] = {}
        for transform, strata in sorted(self.found.items()):
            rng = random.Random(f"{seed} {transform}")
            queues = [_by_method(strata[stratum], rng) for stratum in sorted(strata)]
            rng.shuffle(queues)
            drawn = _in_turn(queues)[:most]
            chosen.update(drawn)
            if len(drawn) < most:
                lacking[transform] = most - len(drawn)
        return chosen, lacking


def shapers(scratch: Path) -> list[Shaper]:
    """That of candidates."""
    return [Each(_candidate)]


def _candidate(entry: Entry) -> Candidate:
    record = entry.record
    stratum = (record["place"], record["project"], length_bin(record["statements"]))
    return record["transform"], stratum, entry.serial


def _in_turn(queues: Iterable[list[Serial]]) -> list[Serial]:
    """The first of each, then the second of each, and so on."""
    rounds = zip_longest(*queues)
    return [serial for serial in chain.from_iterable(rounds) if serial is not None]


def _by_method(serials: list[Serial], rng: random.Random) -> list[Serial]:
    """By chance, but first one of each method, then another one of each, and so on."""
    shuffled = rng.sample(serials, len(serials))
    before: Counter[tuple[int, int]] = Counter()
    ranked = []
    for serial in shuffled:
        ranked.append((before[serial[:2]], serial))
        before[serial[:2]] += 1
    return [serial for _, serial in sorted(ranked, key=lambda each: each[0])]
