"""The lines that an inserted line may replace, each with its features."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from metamorph.codrep.features import (
    Text,
    closeness,
    pair_features,
    place_features,
    word_counts,
)
from metamorph.codrep.reading import LONGEST, Question

_TEXTS = 20
_TWINS = 30


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line of the program, counted from 1, and what speaks for it."""

    line: int
    features: dict[str, float]


def candidates(question: Question) -> list[Candidate]:
    """The lines closest to the inserted one in the program's order; never that one itself."""
    texts = [line.decode("utf-8", "surrogateescape").strip() for line in question.lines]
    whole = question.inserted.decode("utf-8", "surrogateescape").strip()
    inserted = Text(whole[:LONGEST])
    places: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        places.setdefault(text, []).append(number)
    already = places.pop(whole, [])
    places.pop("", None)
    ranked = heapq.nlargest(
        _TEXTS,
        ((Text(text[:LONGEST]), twins) for text, twins in places.items()),
        key=lambda pair: (closeness(pair[0], inserted), pair[0].text),
    )
    counts = word_counts(texts)
    found: list[Candidate] = []
    for line, twins in ranked:
        pair = pair_features(line, inserted, counts)
        for number in twins[:_TWINS]:
            place = place_features(number, texts, inserted, len(twins), already)
            found.append(Candidate(number + 1, pair | place))
    return list(_ranked(sorted(found, key=lambda candidate: candidate.line)))


def _ranked(found: list[Candidate]) -> Iterator[Candidate]:
    """With how far each stays behind the best by three measures."""
    for key in ("characters", "tokens", "pairs"):
        best = max((each.features[key] for each in found), default=0.0)
        for each in found:
            each.features[f"{key}-behind"] = best - each.features[key]
            each.features[f"{key}-best"] = float(each.features[key] == best)
    yield from found
