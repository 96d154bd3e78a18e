"""Which transformation is applied in which places."""

from collections.abc import Sequence

from metamorph.errors import UserError
from metamorph.runs.settings import PLACES
from metamorph.transforms import load

Plan = tuple[tuple[str, str], ...]


def plan(codes: Sequence[str], place: str) -> tuple[Plan, list[str]]:
    """The (transformation, place) pairs, and a note for each pair that is not offered.

    Raises UserError if nothing is left.
    """
    pairs: list[tuple[str, str]] = []
    notes: list[str] = []
    for code in dict.fromkeys(codes):
        offered = load(code).PLACES
        for wanted in PLACES[place]:
            if wanted in offered:
                pairs.append((code, wanted))
            else:
                notes.append(f"{code} has no place {wanted!r}: left out there")
    if not pairs:
        raise UserError(
            f"--place {place}: {', '.join(codes)} cannot be applied there; see metamorph transforms"
        )
    return tuple(pairs), notes
