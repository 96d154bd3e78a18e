"""What writers are told of a variant: made where the variant is, which may be another process."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from metamorph.suites.records import Entry


class Shaper(Protocol):
    """Makes of entries what a layout's writer takes: plain values, without trees."""

    def add(self, entry: Entry) -> Iterable[Any]:
        """What there is to write once this entry is known."""
        ...

    def end(self) -> Iterable[Any]:
        """What there is to write once all entries of a method are known."""
        ...


@dataclass(frozen=True, slots=True)
class Each:
    """Makes one value of each entry."""

    shape: Callable[[Entry], Any]

    def add(self, entry: Entry) -> tuple[Any]:
        """Of this one."""
        return (self.shape(entry),)

    def end(self) -> tuple[()]:
        """Nothing is left."""
        return ()
