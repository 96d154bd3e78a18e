"""What a transformation module offers."""

import random
import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from metamorph.java.methods import Method
from metamorph.java.sites import Refusal, Site

_VAR_N = re.compile(rb"\bvar(\d+)\b")


@dataclass(slots=True)
class Choices:
    """Where a transformation takes fresh names and random numbers from.

    Fresh names are `varN`, N the smallest that occurs nowhere in the file as a word. With
    `distinct` each call gives another one, for sites that are applied together. handler: what an
    inserted `catch` does, `rethrow` or `print`.
    """

    source: random.Random | Callable[[], random.Random]
    taken: Set[int]
    distinct: bool = False
    handler: str = "rethrow"
    _next: int = field(default=0, init=False)

    @classmethod
    def for_file(
        cls,
        data: bytes,
        source: random.Random | Callable[[], random.Random],
        *,
        distinct: bool = False,
        handler: str = "rethrow",
    ) -> "Choices":
        """Choices that avoid every `varN` of the file, in comments and strings too."""
        return cls(source, _taken(data), distinct, handler)

    @property
    def rng(self) -> random.Random:
        """The random numbers, made when they are first asked for: few methods need any."""
        if not isinstance(self.source, random.Random):
            self.source = self.source()
        return self.source

    def fresh(self, nth: int = 0) -> str:
        """A name that the file does not use; the nth of them, from 0, for one site's several."""
        n = self._next
        while n in self.taken or (nth and not self.distinct):
            nth -= n not in self.taken
            n += 1
        if self.distinct:
            self._next = n + 1
        return f"var{n}"


@lru_cache(maxsize=1)
def _taken(data: bytes) -> frozenset[int]:
    """Every N whose `varN` the file has as a word; kept for the file's next method."""
    return frozenset(int(n) for n in _VAR_N.findall(data))


class Transform(Protocol):
    """A module of this folder; it registers by being there.

    A module with `CONTROL = True` is a control: it should move no prediction, and is told apart.
    """

    CODE: str
    """The paper's abbreviation: VN."""
    NAME: str
    """The paper's name: variable renaming."""
    PLACES: tuple[str, ...]
    """Among single, all, random."""

    def sites(self, method: Method, choices: Choices) -> Iterator[Site | Refusal]:
        """Every candidate of the method in source order, as a site or a refusal."""
        ...
