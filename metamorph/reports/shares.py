"""Shares, rates and their bounds, written out in per cent."""

from metamorph.oracles.bootstrap import Estimate, Interval
from metamorph.oracles.copied import CopyTally
from metamorph.oracles.rates import Rate
from metamorph.oracles.tallies import LengthTally, ProjectTally


def percent(share: float | None) -> str:
    """A share in per cent, `-` where there is none."""
    return "-" if share is None else f"{100 * share:.1f}%"


def interval(bounds: Interval | None) -> str:
    """Bounds in per cent; those of a difference may be negative."""
    if bounds is None:
        return "-"
    low, high = (100 * bound for bound in bounds)
    return f"{low:.1f} to {high:.1f}" if low < 0 else f"{low:.1f}-{high:.1f}"


def with_interval(of: Rate | Estimate) -> str:
    """A value in per cent and its bounds."""
    if of.value is None:
        return "-"
    return percent(of.value) + (f" ({interval(of.interval)})" if of.interval else "")


def part(row: LengthTally | ProjectTally | CopyTally) -> tuple[str, ...]:
    """The cells of how many changed, from originals to interval."""
    counts = (f"{count:,}" for count in (row.originals, row.judged, row.changed))
    return (*counts, percent(row.change_rate), interval(row.interval))
