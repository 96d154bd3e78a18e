"""How the kit's tables write numbers."""

from metamorph.oracles.bootstrap import Interval

NONE = "-"
"""In the place of a number that there is none of."""


def count(value: float | None) -> str:
    """A whole number."""
    return NONE if value is None else f"{round(value):,}"


def percent(value: float | None) -> str:
    """A number of percent, with as many places as the paper's."""
    return NONE if value is None else f"{value:.2f}"


def bounds(interval: Interval | None) -> str:
    """The bounds of a rate, in percent."""
    return NONE if interval is None else f"{100 * interval[0]:.1f}-{100 * interval[1]:.1f}"


def signed(value: float | None, places: int = 2) -> str:
    """A difference."""
    if value is None:
        return NONE
    return f"{value:+,.{places}f}".replace("-", "−")


def hundredfold(rate: float | None) -> float | None:
    """A rate in percent."""
    return None if rate is None else 100 * rate


def less(one: float | None, other: float | None) -> float | None:
    """The difference of two numbers, None where either is not there."""
    return None if one is None or other is None else one - other


def exact(value: float | None) -> float | None:
    """A number for CSV, without the noise of binary fractions."""
    return None if value is None else round(value, 6)
