"""Putting examples to a model in batches, and asking again."""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from metamorph.errors import fault_of
from metamorph.limits import Guard, OverLimitError
from metamorph.models.protocol import Embedded, Example, Model, Prediction
from metamorph.runs.guards import paused
from metamorph.runs.rows import VARIES, VARIES_BY_CHANCE, VARIES_WITH_BATCH

BATCH = 256
"""The most examples of a batch."""

WEIGHT = 64_000_000
"""The most bytes, roughly, that the trees and files of a batch may hold."""

_NODE_BYTES = 100


def batches(examples: Iterable[Example]) -> Iterator[list[Example]]:
    """Examples in batches, bounded by number and by the memory that they hold."""
    batch: list[Example] = []
    weight = 0
    for example in examples:
        batch.append(example)
        weight += len(example.tree) * _NODE_BYTES + len(example.tree.data)
        if len(batch) >= BATCH or weight >= WEIGHT:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def ask(model: Model, batch: Sequence[Example]) -> dict[str, Prediction]:
    """The model's answers by id; a fault of the model is an answer with an error."""
    try:
        with paused():
            answers = {answer.id: answer for answer in model.predict(batch)}
    except Exception as error:
        reason = f"model-raised-{fault_of(error)}"
        return {e.id: Prediction(e.id, None, error=reason) for e in batch}
    missing = (e.id for e in batch if e.id not in answers)
    return answers | {id: Prediction(id, None, error="missing-answer") for id in missing}


def ask_within(model: Model, batch: Sequence[Example], guard: Guard) -> dict[str, Prediction]:
    """The same; a model that is this program's own has the guard's limits, and is charged to it.

    Where a batch goes over them its examples are asked one by one, and those that do so alone
    have no answer.
    """
    if not isinstance(model, Embedded):
        return ask(model, batch)
    began = time.thread_time()
    try:
        with Guard(guard.limits):
            return ask(model, batch)
    except OverLimitError as over:
        if len(batch) == 1:
            return {batch[0].id: Prediction(batch[0].id, None, error=over.reason)}
    finally:
        guard.charge(time.thread_time() - began)
    return {id: one for e in batch for id, one in ask_within(model, [e], guard).items()}


def asked_again(
    model: Model, examples: Sequence[Example], repeat: int, rng: random.Random
) -> Iterator[Prediction]:
    """The answers to further askings up to the `repeat`-th, the last in shuffled batches.

    Those between the first and the last are asked in the same batches each time.
    """
    for number in range(1, repeat):
        order = rng.sample(examples, len(examples)) if number == repeat - 1 else examples
        for batch in batches(replace(example, repeat=number) for example in order):
            yield from ask(model, batch).values()


def varies(labels: Sequence[str | None], same: Callable[[str, str], bool]) -> str | None:
    """How the answers to one question vary: a word of `rows`, or "" where they do not.

    labels: of all askings in their order, None where there was no answer; a missing answer says
    nothing. None where fewer than two came.
    """
    answered = [label for label in labels if label is not None]
    if len(answered) < 2:
        return None
    if _agree(answered, same):
        return ""
    alike = [label for label in labels[1:-1] if label is not None]
    if not _agree(alike, same):
        return VARIES_BY_CHANCE
    return VARIES_WITH_BATCH if len(alike) > 1 else VARIES


def _agree(labels: Sequence[str], same: Callable[[str, str], bool]) -> bool:
    return all(same(labels[0], label) for label in labels[1:])
