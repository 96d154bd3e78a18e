"""The transformations: one module each, found by their `CODE`; see `_protocol`."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import cast

from metamorph.transforms._protocol import Transform


class UnknownTransformError(ValueError):
    """A name that is no transformation's code; the message is for the user."""


def codes() -> list[str]:
    """The codes of all transformations, sorted."""
    return sorted(_modules())


def load(code: str) -> Transform:
    """The transformation of that code; raises UnknownTransformError."""
    found = _modules().get(code.upper())
    if found is None:
        known = ", ".join(codes())
        raise UnknownTransformError(
            f"unknown transformation {code!r}: choose among {known}, joined by commas, or all"
        )
    return cast(Transform, found)


def parse_codes(text: str) -> list[str]:
    """`VN,PS` -> its codes, each once, in the order given; `all` -> all of them.

    Raises UnknownTransformError.
    """
    if text.strip().lower() == "all":
        return codes()
    return list(dict.fromkeys(load(word.strip()).CODE for word in text.split(",")))


@cache
def _modules() -> dict[str, ModuleType]:
    """Code -> module, for every module of this folder whose name begins with a letter."""
    names = [info.name for info in iter_modules(__path__) if not info.name.startswith("_")]
    modules = [import_module(f"{__name__}.{name}") for name in names]
    return {module.CODE: module for module in modules}
