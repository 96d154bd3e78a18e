"""Putting examples to a model, in batches that are made of one file alone."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from metamorph.models.protocol import Example, Model, Prediction

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
        answers = {answer.id: answer for answer in model.predict(batch)}
    except Exception as error:
        reason = f"model-raised-{type(error).__name__}"
        return {e.id: Prediction(e.id, None, error=reason) for e in batch}
    missing = (e.id for e in batch if e.id not in answers)
    return answers | {id: Prediction(id, None, error="missing-answer") for id in missing}


def ask_all(model: Model, examples: Iterable[Example]) -> dict[str, Prediction]:
    """The answers to a stream of examples, which is held a batch at a time."""
    answers: dict[str, Prediction] = {}
    for batch in batches(examples):
        answers |= ask(model, batch)
    return answers


def unstable(
    model: Model,
    examples: Sequence[Example],
    first: dict[str, Prediction],
    repeat: int,
    rng: random.Random,
) -> set[str]:
    """The ids whose answer varies when they are asked again, in shuffled batches."""
    varying: set[str] = set()
    for _ in range(repeat - 1):
        order = rng.sample(examples, len(examples))
        again = chain.from_iterable(ask(model, batch).values() for batch in batches(order))
        varying.update(answer.id for answer in again if answer.label != first[answer.id].label)
    return varying
