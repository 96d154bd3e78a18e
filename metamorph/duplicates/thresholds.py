"""When two files or methods are near-copies of each other."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When two files are near-copies: both similarities reach their least value.

    least_tokens: files with fewer tokens, repeats counted, are too small to tell; strict: the
    similarities must be above the least values.
    """

    keys: float = 0.8
    bags: float = 0.7
    least_tokens: int = 20
    strict: bool = False
