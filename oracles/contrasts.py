"""Single place against all places on the same originals (section 6.2.1, figure 3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metamorph.oracles.bootstrap import Estimate, Resampling
from metamorph.oracles.clustering import by_clusters
from metamorph.oracles.comparisons import common
from metamorph.oracles.counts import Originals
from metamorph.oracles.rates import Rate, gap, rate


@dataclass(frozen=True, slots=True)
class SingleAll:
    """The change rates of one transformation in both places, over originals judged in both.

    all_less_single: the second less the first, paired: the same originals are drawn for both.
    """

    transform: str
    originals: int
    single: Rate
    all: Rate
    all_less_single: Estimate


def single_against_all(tables: Sequence[Originals], seed: int) -> Iterator[SingleAll]:
    """A contrast for each transformation that was applied in both places."""
    found = {(table.transform, table.place): table for table in tables}
    for (transform, place), single in found.items():
        together = found.get((transform, "all"))
        if place == "single" and together is not None:
            sides = common(single, together)
            yield _contrast(sides.one, sides.other, seed)


def _contrast(single: Originals, together: Originals, seed: int) -> SingleAll:
    draws = Resampling(by_clusters(single), seed)
    return SingleAll(
        single.transform,
        len(single),
        rate(draws, single.changed, single.judged),
        rate(draws, together.changed, together.judged),
        gap(draws, single.changed, single.judged, together.changed, together.judged),
    )
