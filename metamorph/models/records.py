"""Answers as JSON objects, in the form that programs, files and servers give them."""

import math
from collections.abc import Mapping
from typing import Protocol

from metamorph.models.protocol import Prediction
from metamorph.tasks.number import Number

Candidates = tuple[tuple[str, float], ...]


class Labels(Protocol):
    """What puts answers into the form in which they are compared, such as a task."""

    def label(self, answer: str) -> str:
        """The answer in that form; "" where it says nothing."""
        ...


class BadAnswerError(ValueError):
    """An object that is no answer; the message says why."""


def prediction(id: str, record: Mapping[str, object], task: Labels) -> Prediction:
    """The answer to the example `id` in an object.

    `error` tells why there is none; else `candidates`, objects with `label` and `score` in any
    order, or `label` alone, with `score` if there is one; where the task asks for a number, the
    label may be one, or the score alone. Raises BadAnswerError.
    """
    truncated = record.get("truncated") is True
    error = record.get("error")
    if error:
        if not isinstance(error, str):
            raise BadAnswerError("error is no text")
        return Prediction(id, None, error=" ".join(error.split())[:200], truncated=truncated)
    found = _candidates(record, task)
    label, score = _label(record, task, found)
    if label is None:
        return Prediction(id, None, error="no-answer", truncated=truncated)
    if not label:
        return Prediction(id, None, error="empty-answer", truncated=truncated)
    return Prediction(id, label, score, found, truncated=truncated)


def _label(
    record: Mapping[str, object], task: Labels, candidates: Candidates
) -> tuple[str | None, float | None]:
    """The answer itself: the one that is told, or else the best candidate."""
    told = record.get("label")
    if isinstance(task, Number):
        told = _spelt_number(told if told is not None else record.get("score"))
    if told is None:
        return candidates[0] if candidates else (None, None)
    if not isinstance(told, str):
        raise BadAnswerError("label is no text")
    label = task.label(told)
    score = record.get("score")
    if score is not None:
        return label, _number(score)
    return label, next((score for other, score in candidates if other == label), None)


def _spelt_number(told: object) -> object:
    """A number that is no text as text; anything else as it is."""
    return repr(told) if isinstance(told, int | float) and not isinstance(told, bool) else told


def _candidates(record: Mapping[str, object], task: Labels) -> Candidates:
    """The candidates, best first; those that are equal to the task are one."""
    given = record.get("candidates") or []
    if not isinstance(given, list):
        raise BadAnswerError("candidates are no list")
    pairs = [_candidate(each) for each in given]
    ordered = sorted(pairs, key=lambda pair: -pair[1])
    best: dict[str, float] = {}
    for text, score in ordered:
        best.setdefault(task.label(text), score)
    return tuple((label, score) for label, score in best.items() if label)


def _candidate(given: object) -> tuple[str, float]:
    if not isinstance(given, dict) or not isinstance(given.get("label"), str):
        raise BadAnswerError("a candidate has no label")
    return given["label"], _number(given.get("score"))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadAnswerError("a score is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise BadAnswerError("a score is no finite number")
    return number
