"""Which transformation is applied in which places."""

from collections.abc import Sequence

from metamorph.errors import UserError
from metamorph.oracles.controls import CONTROLS
from metamorph.runs.settings import PLACES
from metamorph.transforms import load

Plan = tuple[tuple[str, str], ...]


def plan(codes: Sequence[str], place: str) -> tuple[Plan, list[str]]:
    """The (transformation, place) pairs, and a note for each pair that is not offered.

    A control has one variant a method, whatever the place: it is applied once. Raises UserError
    if nothing is left.
    """
    pairs: list[tuple[str, str]] = []
    notes: list[str] = []
    for code in dict.fromkeys(codes):
        offered = load(code).PLACES
        places = PLACES[place][:1] if code in CONTROLS else PLACES[place]
        for wanted in places:
            if wanted in offered:
                pairs.append((code, wanted))
            else:
                notes.append(f"{code} has no place {wanted!r}: left out there")
    if not pairs:
        raise UserError(
            f"--place {place}: {', '.join(codes)} cannot be applied there; see metamorph transforms"
        )
    return tuple(pairs), notes
