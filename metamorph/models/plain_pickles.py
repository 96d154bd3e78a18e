"""Pickled vocabularies, read by an unpickler that makes plain values only.

A pickle may name any function and have it called. This reader knows a handful of names, each of
which makes a container or a bare record; any other ends the reading. The memory that it may take
is bounded by the file's size, so that a small file cannot claim a large machine's; a hostile file
can still waste time.
"""

import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from metamorph.errors import UserError

_FLOOR = 256 << 20
_PER_BYTE = 64


def _empty_counting(_: object = int) -> dict[Any, Any]:
    """What a defaultdict starts as; no reader looks up a key that is missing."""
    return {}


_KNOWN: dict[str, Callable[..., Any]] = {
    "__builtin__.frozenset": frozenset,
    "__builtin__.int": int,
    "__builtin__.set": set,
    "builtins.frozenset": frozenset,
    "builtins.int": int,
    "builtins.set": set,
    "collections.Counter": dict,
    "collections.OrderedDict": dict,
    "collections.defaultdict": _empty_counting,
    "config.Config": SimpleNamespace,
}
_DAMAGE = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    ImportError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)


def read_pickles(path: Path, count: int) -> Iterator[Any]:
    """The first `count` pickles of a file, each read when it is asked for.

    Counters, ordered and default dictionaries come as dicts, code2seq's Config as a namespace.
    Raises UserError where a pickle is missing, damaged, or asks for anything but plain values.
    """
    try:
        with path.open("rb") as file:
            for number in range(1, count + 1):
                yield _load(file, path, f"pickle {number} of {count}")
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None


def _load(file: BufferedReader, path: Path, what: str) -> Any:
    try:
        with _bounded(path.stat().st_size):
            return _PlainUnpickler(file, path).load()
    except _DAMAGE as error:
        fault = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise UserError(f"{path}: {what} cannot be read ({fault})") from None


class _PlainUnpickler(pickle.Unpickler):
    def __init__(self, file: BufferedReader, path: Path) -> None:
        super().__init__(file)
        self._path = path

    def find_class(self, module: str, name: str) -> Callable[..., Any]:
        """What stands for a global; refuses all but the known."""
        known = _KNOWN.get(f"{module}.{name}")
        if known is None:
            fault = f"refused: its pickle wants {module}.{name}, which no vocabulary needs"
            raise UserError(f"{self._path}: {fault}")
        return known


@contextmanager
def _bounded(size: int) -> Iterator[None]:
    """Bound what the process may allocate meanwhile, where the system can."""
    if sys.platform != "linux":
        yield
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + _FLOOR + _PER_BYTE * size
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        most = min(most, soft)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
