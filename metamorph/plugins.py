"""Plugins: models and transformations of other distributions, found by their entry points."""

import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from multiprocessing import parent_process

from metamorph.errors import UserError

MODELS = "metamorph.models"
TRANSFORMS = "metamorph.transforms"


class BrokenPluginError(UserError, ValueError):
    """A plugin that cannot be used; the message is for the user."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A name that a distribution offers; nothing of it is imported before `load`."""

    name: str
    entry: EntryPoint

    @property
    def origin(self) -> str:
        """The distribution and its version: `acme-metamorph 1.2`."""
        distribution = self.entry.dist
        return f"{distribution.name} {distribution.version}" if distribution else "unknown"

    def load(self) -> object:
        """What the entry point names; raises BrokenPluginError."""
        try:
            return self.entry.load()
        except (Exception, SystemExit) as error:
            raise self.broken(f"{type(error).__name__}: {error}") from error

    def broken(self, fault: str) -> BrokenPluginError:
        """The error that tells this fault of the plugin."""
        line = fault.splitlines()[0] if fault else ""
        return BrokenPluginError(f"plugin {self.name} of {self.origin}: {line}")


def found(group: str, taken: Collection[str]) -> dict[str, Plugin]:
    """The plugins of a group by name; a name that is taken is refused with a line on stderr."""
    return _found(group, frozenset(taken))


@cache
def _found(group: str, taken: frozenset[str]) -> dict[str, Plugin]:
    plugins: dict[str, Plugin] = {}
    for plugin in _declared(group):
        if plugin.name in taken:
            warn(f"{plugin.broken('the name is built in')}; the built-in one stays")
        elif plugin.name in plugins:
            other = plugins[plugin.name].origin
            warn(f"{plugin.broken(f'{other} has that name too')}; that one is taken")
        else:
            plugins[plugin.name] = plugin
    return plugins


def _declared(group: str) -> Iterator[Plugin]:
    entries = [Plugin(_spelt(group, entry.name), entry) for entry in entry_points(group=group)]
    yield from sorted(entries, key=lambda plugin: (plugin.name, plugin.origin))


def _spelt(group: str, name: str) -> str:
    """Transformations are known by their codes, which are upper case."""
    return name.upper() if group == TRANSFORMS else name


def warn(fault: object) -> None:
    """A line on stderr, by the main process alone: its workers see the same plugins."""
    if parent_process() is None:
        print(f"metamorph: warning: {fault}", file=sys.stderr)
