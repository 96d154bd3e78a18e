"""Models by name; each adapter is a module with `load(rest, options)`, imported when needed."""

import importlib

from metamorph.models.options import Options
from metamorph.models.protocol import Example, Model, Prediction

__all__ = ["Example", "Model", "Options", "Prediction", "UnknownModelError", "adapters", "load"]

_ADAPTERS = {
    "code2seq": "metamorph.models.code2seq",
    "code2vec": "metamorph.models.code2vec",
    "python": "metamorph.models.python_callable",
}


class UnknownModelError(ValueError):
    """No model has that name; the message lists those that are known."""


def adapters() -> dict[str, str]:
    """Each kind of model, and in one line what it is."""
    modules = {kind: importlib.import_module(module) for kind, module in _ADAPTERS.items()}
    return {
        kind: (module.__doc__ or "").partition("\n")[0].rstrip(".")
        for kind, module in sorted(modules.items())
    }


def load(name: str, options: Options | None = None) -> Model:
    """The model of that name: `KIND` or `KIND:REST`."""
    kind, _, rest = name.partition(":")
    module = _ADAPTERS.get(kind)
    if module is None:
        known = ", ".join(sorted(_ADAPTERS))
        raise UnknownModelError(f"unknown model {name!r}: known are {known}")
    model: Model = importlib.import_module(module).load(rest, options or Options())
    return model
