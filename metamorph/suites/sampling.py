"""Which variants a suite takes where it takes a number of each transformation."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from metamorph.oracles.lengths import length_bin
from metamorph.suites.records import Entry, Serial

Stratum = tuple[str, str, str]
"""Place, project, and the bin of the method's length."""


@dataclass(slots=True)
class Candidates:
    """The variants that there are, by transformation and stratum."""

    found: dict[str, dict[Stratum, list[Serial]]] = field(default_factory=dict)

    def add(self, entry: Entry) -> None:
        """Note a variant."""
        record = entry.record
        stratum = (record["place"], record["project"], length_bin(record["statements"]))
        strata = self.found.setdefault(record["transform"], defaultdict(list))
        strata[stratum].append(entry.serial)

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
