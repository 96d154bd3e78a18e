"""What a test gives as its model: a name, an object with `predict`, or a function."""

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import cast

from metamorph.errors import UserError
from metamorph.models import load
from metamorph.models.options import Options
from metamorph.models.protocol import Example, Model, Prediction
from metamorph.tasks import Task
from metamorph.tasks import load as load_task


@dataclass(slots=True)
class Given:
    """A function, or the `predict` of an object, as a model; what it raises first is kept.

    A function answers one source; `predict` answers a list of them. None means no answer.
    """

    name: str
    function: Callable[..., object]
    batched: bool
    task: Task
    raised: Exception | None = field(default=None, init=False)

    @property
    def identity(self) -> Mapping[str, str]:
        """Its kind and name; what it does cannot be hashed."""
        return {"kind": "given", "callable": self.name}

    def label(self, method_name: str) -> str:
        """The right answer as the task spells it."""
        return self.task.label(method_name)

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        """Ask it, unless it has raised before: then all is lost, and the test fails."""
        if self.raised is None:
            try:
                return self._answers(batch)
            except Exception as error:
                self.raised = error
        reason = f"raised-{type(self.raised).__name__}"
        return [Prediction(example.id, None, error=reason) for example in batch]

    def _answers(self, batch: Sequence[Example]) -> list[Prediction]:
        codes = [self.task.code(example.tree, example.node) for example in batch]
        if not self.batched:
            return [self._read(e.id, self.function(c)) for e, c in zip(batch, codes, strict=True)]
        answers = list(cast("Sequence[object]", self.function(codes)))
        if len(answers) != len(codes):
            raise ValueError(f"{len(answers)} answers to {len(codes)} sources")
        return [self._read(e.id, answer) for e, answer in zip(batch, answers, strict=True)]

    def _read(self, id: str, answer: object) -> Prediction:
        if answer is None:
            return Prediction(id, None, error="no-answer")
        label = self.task.label(str(answer))
        return Prediction(id, label) if label else Prediction(id, None, error="empty-answer")


_PARTS = ("name", "identity", "label", "predict")


def model_of(given: object, options: Options) -> Model:
    """The model that the test means; raises UserError where it is none."""
    task = load_task(options.task, options.equality)
    if given is None:
        raise UserError(
            "no model: give one to the call, override the fixture metamorph_model, or set "
            "--metamorph-model"
        )
    if isinstance(given, str):
        return _loaded(given, options.task, options.equality)
    if all(hasattr(given, part) for part in _PARTS):
        return cast(Model, given)
    predict = getattr(given, "predict", None)
    if callable(predict):
        return Given(_name(given), predict, True, task)
    if callable(given):
        return Given(_name(given), given, _takes_list(given), task)
    raise UserError(
        f"model {given!r:.60}: neither a name, nor a function, nor an object with predict"
    )


_named: list[Model] = []


@cache
def _loaded(name: str, task: str, equality: str) -> Model:
    try:
        model = load(name, Options(task=task, equality=equality))
    except ValueError as error:
        raise UserError(str(error)) from error
    _named.append(model)
    return model


def _name(given: object) -> str:
    """The place of a function or class, the same in every process."""
    named = given if hasattr(given, "__qualname__") else type(given)
    return f"{named.__module__}.{named.__qualname__}"


def _takes_list(function: Callable[..., object]) -> bool:
    try:
        first = next(iter(inspect.signature(function).parameters.values()), None)
    except (TypeError, ValueError):
        return False
    spelt = "" if first is None else first.annotation
    return str(spelt).startswith(("list", "List", "Sequence", "collections.abc.Seq", "typing."))


def is_named(model: Model) -> bool:
    """Whether the model was given by its name, by which it can be loaded again."""
    return any(model is loaded for loaded in _named)


def raised(model: Model) -> Exception | None:
    """What the model raised, where it is one that was given as it is."""
    return model.raised if isinstance(model, Given) else None


def fingerprint(model: Model) -> str:
    """What tells the model from others, shortened."""
    told = repr(sorted(model.identity.items())).encode()
    return hashlib.sha256(told).hexdigest()[:16]
