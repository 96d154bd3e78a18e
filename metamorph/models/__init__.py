"""Models by name; each adapter is a module with `load(rest, options)`, imported when needed.

Other distributions add theirs by entry points of the group `metamorph.models`: the name, and a
module or object that has such a `load`.
"""

import difflib
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from metamorph.errors import UserError
from metamorph.models.options import Options
from metamorph.models.protocol import Example, Model, Prediction
from metamorph.plugins import MODELS, BrokenPluginError, Plugin, found

__all__ = [
    "Adapter",
    "Example",
    "Model",
    "Options",
    "Prediction",
    "UnknownModelError",
    "adapters",
    "load",
    "origin",
    "plugins",
]


@dataclass(frozen=True, slots=True)
class Adapter:
    """A kind of model: how it is written, its module, and the packages of the extra it needs."""

    usage: str
    module: str
    extra: str = ""
    packages: tuple[str, ...] = ()


_ADAPTERS = {
    "code2seq": Adapter("code2seq[:FILE]", "metamorph.models.code2seq"),
    "code2vec": Adapter("code2vec[:FILE]", "metamorph.models.code2vec"),
    "command": Adapter("command:CMD...", "metamorph.models.command"),
    "hf": Adapter(
        "hf:FOLDER|NAME", "metamorph.models.hugging_face", "hf", ("torch", "transformers")
    ),
    "http": Adapter("http:URL", "metamorph.models.http"),
    "nearest": Adapter("nearest:CORPUS", "metamorph.models.nearest"),
    "nlm": Adapter("nlm[:FILE]", "metamorph.models.nlm"),
    "openai": Adapter("openai:NAME", "metamorph.models.openai"),
    "python": Adapter("python:MODULE:CALLABLE", "metamorph.models.python_callable"),
    "recorded": Adapter("recorded:FILE", "metamorph.models.recorded"),
}


_PARTS = ("name", "identity", "label", "predict")


class UnknownModelError(ValueError):
    """No model has that name; the message lists those that are known."""


def adapters() -> dict[str, Adapter]:
    """Each built-in kind of model, sorted."""
    return dict(sorted(_ADAPTERS.items()))


def plugins() -> dict[str, Plugin]:
    """The kinds of models that other distributions offer; none is loaded."""
    return found(MODELS, _ADAPTERS.keys())


def origin(name: str) -> str:
    """The distribution and version of a plugin's model, "" of any other."""
    kind = name.partition(":")[0]
    plugin = None if kind in _ADAPTERS else plugins().get(kind)
    return plugin.origin if plugin else ""


def load(name: str, options: Options | None = None) -> Model:
    """The model of that name: `KIND` or `KIND:REST`.

    Raises UnknownModelError, BrokenPluginError for a plugin that cannot be used, and UserError
    where the adapter finds a fault.
    """
    kind, _, rest = name.partition(":")
    offered = plugins()
    options = options or Options()
    if kind in _ADAPTERS:
        module = importlib.import_module(_ADAPTERS[kind].module)
        return cast(Model, module.load(rest, options))
    if kind in offered:
        return _plugged(offered[kind], rest, options)
    known = sorted([*_ADAPTERS, *offered])
    near = difflib.get_close_matches(kind, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UnknownModelError(f"unknown model {name!r}: {hint}known are {', '.join(known)}")


def _plugged(plugin: Plugin, rest: str, options: Options) -> Model:
    make = cast("Callable[[str, Options], Model] | None", getattr(plugin.load(), "load", None))
    if not callable(make):
        raise plugin.broken("it has no function load")
    try:
        model = make(rest, options)
    except (UserError, BrokenPluginError):
        raise
    except Exception as error:
        raise plugin.broken(f"load failed with {type(error).__name__}: {error}") from error
    missing = [part for part in _PARTS if not hasattr(model, part)]
    if missing:
        raise plugin.broken(f"its model has no {', '.join(missing)}")
    return model
