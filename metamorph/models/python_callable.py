"""Any Python callable as a model: `python:MODULE:CALLABLE`."""

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from metamorph.errors import UserError, fault_of
from metamorph.models.options import Options, only
from metamorph.models.protocol import Example, Prediction
from metamorph.tasks import Task
from metamorph.tasks import load as load_task

_LISTS = ("list", "List", "Sequence", "Iterable", "collections.abc.", "typing.")


@dataclass(frozen=True, slots=True)
class PythonCallable:
    """A callable that names methods; it gets the source with the declared name masked.

    As in the official pipelines of code2vec and code2seq, calls to the method keep its name.
    A callable whose first parameter is annotated as a list gets a whole batch and returns as
    many answers; any other gets one source and returns one answer. None means no answer.
    """

    name: str
    function: Callable[..., object]
    batched: bool
    task: Task

    @property
    def identity(self) -> Mapping[str, str]:
        """The callable's place; what it does cannot be hashed."""
        return {"kind": "python", "callable": self.name}

    def label(self, method_name: str) -> str:
        """Lower-case subtokens joined by `|`."""
        return self.task.label(method_name)

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        """Ask the callable; what it raises is the error of the examples concerned."""
        if self.batched:
            return self._predict_all(batch)
        return [self._predict_one(example) for example in batch]

    def _predict_one(self, example: Example) -> Prediction:
        try:
            return self._prediction(example.id, self.function(self._code(example)))
        except Exception as error:
            return Prediction(example.id, None, error=f"raised-{fault_of(error)}")

    def _predict_all(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        try:
            answers = list(self.function([self._code(example) for example in batch]))  # type: ignore[call-overload]
        except Exception as error:
            reason = f"raised-{fault_of(error)}"
            return [Prediction(example.id, None, error=reason) for example in batch]
        if len(answers) != len(batch):
            return [Prediction(example.id, None, error="wrong-answer-count") for example in batch]
        return [self._prediction(e.id, answer) for e, answer in zip(batch, answers, strict=True)]

    def _code(self, example: Example) -> str:
        return self.task.code(example.tree, example.node)

    def _prediction(self, id: str, answer: object) -> Prediction:
        if answer is None:
            return Prediction(id, None, error="no-answer")
        label = self.label(str(answer))
        return Prediction(id, label) if label else Prediction(id, None, error="empty-answer")


def load(spec: str, options: Options) -> PythonCallable:
    """The model `MODULE:CALLABLE`; the current folder is searched first, as python itself does."""
    module_name, colon, attribute = spec.partition(":")
    if not (module_name and colon and attribute):
        raise UserError(f"model python:{spec}: not of the form python:MODULE:CALLABLE")
    only(options, "python")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        fault = f"{type(error).__name__}: {error}".splitlines()[0]
        raise UserError(f"model python:{spec}: cannot import {module_name} ({fault})") from error
    function = getattr(module, attribute, None)
    if not callable(function):
        raise UserError(f"model python:{spec}: {module_name} has no callable {attribute!r}")
    task = load_task(options.task)
    return PythonCallable(f"python:{spec}", function, _takes_list(function), task)


def _takes_list(function: Callable[..., object]) -> bool:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    if not parameters or parameters[0].annotation is inspect.Parameter.empty:
        return False
    annotation = parameters[0].annotation
    return (annotation if isinstance(annotation, str) else repr(annotation)).startswith(
        (*_LISTS, "<class 'list'>")
    )
