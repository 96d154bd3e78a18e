"""The transformations: one module each, found by their `CODE`; see `_protocol`.

Other distributions add theirs by entry points of the group `metamorph.transforms`: the code, and
the module.
"""

import re
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import cast

from metamorph.errors import UserError
from metamorph.limits import aside
from metamorph.plugins import TRANSFORMS, BrokenPluginError, Plugin, found, warn
from metamorph.transforms._protocol import Transform

_CODE = re.compile(r"[A-Z][A-Z0-9_-]*")
_PLACES = frozenset({"single", "all", "random"})


class UnknownTransformError(UserError, ValueError):
    """A name that is no transformation's code; the message is for the user."""


def codes() -> list[str]:
    """The codes of all built-in transformations, sorted; controls are none."""
    return sorted(module.CODE for module in _modules().values() if not _is_control(module))


def controls() -> list[str]:
    """The codes of the controls, sorted: changes that should move no prediction."""
    return sorted(module.CODE for module in _modules().values() if _is_control(module))


def _is_control(module: ModuleType) -> bool:
    return getattr(module, "CONTROL", False) is True


def installed() -> list[Transform]:
    """Every transformation by its code, controls, plugins; a broken plugin costs a warning."""
    working = [load(code) for code in (*codes(), *controls())]
    for plugin in _plugins().values():
        try:
            working.append(_loaded(plugin))
        except BrokenPluginError as error:
            warn(error)
    return working


def load(code: str) -> Transform:
    """The transformation of that code, built in or a plugin.

    Raises UnknownTransformError, and BrokenPluginError for a plugin that cannot be used.
    """
    built_in = _modules().get(code.upper())
    if built_in is not None:
        return cast(Transform, built_in)
    plugin = _plugins().get(code.upper())
    if plugin is None:
        known = ", ".join([*codes(), *_plugins()])
        raise UnknownTransformError(
            f"unknown transformation {code!r}: choose among {known}, joined by commas, or all; "
            f"as controls {', '.join(controls())}"
        )
    return _loaded(plugin)


def parse_codes(text: str) -> list[str]:
    """`VN,PS` -> its codes, each once, in the order given; `all` -> all built-in ones.

    Plugins and controls are taken by their code alone, so that `all` means the same everywhere.
    Raises UnknownTransformError or BrokenPluginError.
    """
    _plugins()
    if text.strip().lower() == "all":
        return codes()
    return list(dict.fromkeys(load(word.strip()).CODE for word in text.split(",")))


def origin(code: str) -> str:
    """The distribution and version of a plugin, "" of anything else."""
    plugin = None if code.upper() in _modules() else _plugins().get(code)
    return plugin.origin if plugin else ""


def _plugins() -> dict[str, Plugin]:
    return found(TRANSFORMS, _modules().keys() | {"ALL"})


@cache
def _loaded(plugin: Plugin) -> Transform:
    with aside():
        module = plugin.load()
    fault = _fault(module, plugin.name)
    if fault:
        raise plugin.broken(fault)
    return cast(Transform, module)


def _fault(module: object, name: str) -> str:
    """What keeps it from being a transformation of that code, in words, or ""."""
    if not _CODE.fullmatch(name):
        return "the name is no code: letters, digits, - and _"
    if getattr(module, "CODE", None) != name:
        return f"its CODE is {getattr(module, 'CODE', None)!r}, not {name!r}"
    if not isinstance(getattr(module, "NAME", None), str):
        return "it has no NAME"
    places = getattr(module, "PLACES", ())
    if not (isinstance(places, tuple) and places and _PLACES.issuperset(places)):
        return "its PLACES are not among single, all, random"
    return "" if callable(getattr(module, "sites", None)) else "it has no function sites"


@cache
def _modules() -> dict[str, ModuleType]:
    """Upper-case code -> module, for every module here whose name begins with a letter."""
    names = [info.name for info in iter_modules(__path__) if not info.name.startswith("_")]
    with aside():
        modules = [import_module(f"{__name__}.{name}") for name in names]
    return {module.CODE.upper(): module for module in modules}
