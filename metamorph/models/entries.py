"""Answers of servers as predictions, and predictions as a server's answers; see docs/servers.md."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import isfinite

from metamorph.models.protocol import Prediction
from metamorph.models.records import BadAnswerError, Labels, prediction

_SHORT = 60
_KEPT = 2_000
_MOST_TOKENS = 10**9
"""More than any model reads or writes; sums of such counts can be stored."""


def prediction_of(entry: Mapping[str, object], id: str, labels: Labels) -> Prediction:
    """The prediction that an entry tells; an entry that is none has the error `bad-entry`.

    The official programs' names are known too: `predictions` with `name` and `probability`.
    """
    try:
        told = prediction(id, _in_our_words(entry), labels)
    except BadAnswerError as error:
        return Prediction(id, None, error="bad-entry", text=str(error))
    usage = entry.get("usage")
    told = replace(told, usage=usage_of(usage) if isinstance(usage, Mapping) else None)
    if len(told.error) > _SHORT:
        return replace(told, error="server-error", text=told.error)
    return told


def _in_our_words(entry: Mapping[str, object]) -> Mapping[str, object]:
    listed = entry.get("predictions")
    if "candidates" in entry or not isinstance(listed, list):
        return entry
    candidates = [
        {"label": words_of(each.get("name")), "score": each.get("probability")}
        if isinstance(each, Mapping)
        else each
        for each in listed
    ]
    return {**entry, "candidates": candidates}


def ranked(id: str, pairs: Iterable[tuple[str, float | None]], text: str = "") -> Prediction:
    """The prediction of (label, score) pairs: the highest score first, if all have one.

    Of pairs with the same label the first one counts.
    """
    best: dict[str, float | None] = {}
    for label, score in pairs:
        best.setdefault(label, score)
    scored = [(label, score) for label, score in best.items() if score is not None]
    if not best:
        return Prediction(id, None, error="empty-answer", text=text)
    if len(scored) < len(best):
        return Prediction(id, next(iter(best)), text=text)
    scored.sort(key=lambda pair: -pair[1])
    return Prediction(id, *scored[0], candidates=tuple(scored), text=text)


def entry_of(prediction: Prediction, most: int) -> dict[str, object]:
    """A prediction as an entry, with so many candidates at most."""
    entry: dict[str, object] = {"id": prediction.id}
    if prediction.label is None:
        entry["error"] = prediction.error or "no-answer"
    else:
        entry["label"] = prediction.label
        entry["score"] = _finite(prediction.score)
        entry["candidates"] = [
            {"label": label, "score": score}
            for label, score in prediction.candidates[:most]
            if isfinite(score)
        ]
    if prediction.truncated:
        entry["truncated"] = True
    if prediction.usage:
        read, written = prediction.usage
        entry["usage"] = {"prompt_tokens": read, "completion_tokens": written}
    return entry


def usage_of(usage: Mapping[str, object]) -> tuple[int, int] | None:
    """Tokens read and tokens written, from an OpenAI-like `usage` object."""
    counts = [usage.get("prompt_tokens"), usage.get("completion_tokens", 0)]
    whole = [n for n in counts if isinstance(n, int) and not isinstance(n, bool)]
    numbers = [n for n in whole if 0 <= n <= _MOST_TOKENS]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else None


def words_of(value: object) -> str:
    """A label as text: a list of subtokens is joined, a number or a truth value written out."""
    if isinstance(value, list):
        return "|".join(str(part) for part in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""


def score_of(value: object) -> float | None:
    """A score, if it is a number that can be compared."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return _finite(float(value))
    except OverflowError:
        return None


def kept(text: str) -> str:
    """As much of a server's text as is worth storing."""
    return text[:_KEPT]


def _finite(score: float | None) -> float | None:
    return score if score is not None and isfinite(score) else None
