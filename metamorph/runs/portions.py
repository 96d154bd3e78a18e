"""Sources in portions, each a task for a worker."""

from collections.abc import Iterable, Iterator

from metamorph.corpus import Unread
from metamorph.runs.sightings import Item

_FILES = 16
"""Of a portion. To hand one out costs its parent less than a millisecond: nothing for so many."""

_BYTES = 250_000
"""Of Java: a portion of fewer files has more, which is seconds of work."""

_WINDOW_FILES = 4_096
_WINDOW_BYTES = 32_000_000
"""Of sources that are held meanwhile, out of archives or lists."""


def portions(items: Iterable[Item], *, in_order: bool) -> Iterator[list[Item]]:
    """The sources in portions; unless `in_order` the largest first, as far as one sees ahead.

    Else a large file among the last would keep one worker busy while the others have nothing left.
    """
    if in_order:
        yield from _cut(items)
        return
    for window in _windows(items):
        yield from _cut(sorted(window, key=lambda item: -item.size))


def _windows(items: Iterable[Item]) -> Iterator[list[Item]]:
    window: list[Item] = []
    held = 0
    for item in items:
        window.append(item)
        held += 0 if isinstance(item.source, Unread) else item.size
        if len(window) >= _WINDOW_FILES or held >= _WINDOW_BYTES:
            yield window
            window, held = [], 0
    yield window


def _cut(items: Iterable[Item]) -> Iterator[list[Item]]:
    portion: list[Item] = []
    size = 0
    for item in items:
        portion.append(item)
        size += item.size
        if len(portion) >= _FILES or size >= _BYTES:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion
