"""Files and methods under the limits on time and memory: each is done whole, or refused whole."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from metamorph.java.methods import Method, methods
from metamorph.java.source import SourceFile, line_of, line_starts
from metamorph.java.tree import Tree, parse
from metamorph.limits import OVER, Guard, Limits, reason_of, within
from metamorph.runs.rows import PARSED, MethodRow, Refused, unparsable
from metamorph.runs.settings import Settings

_Step = TypeVar("_Step")


@dataclass(frozen=True, slots=True)
class Reading:
    """A file that was read, or was not.

    tree: None unless status is `parsed`, with all methods; line: that of the first syntax error.
    """

    guard: Guard
    status: str
    tree: Tree | None = None
    methods: tuple[Method, ...] = ()
    line: int = 0


def read(source: SourceFile, limits: Limits) -> Reading:
    """Parse a file and find its methods, within the limits."""
    guard = Guard(limits)
    found = within(guard, partial(_read, source, guard))
    return Reading(guard, found) if isinstance(found, str) else found


def _read(source: SourceFile, guard: Guard) -> Reading:
    tree = parse(source.data)
    if tree.has_error:
        return Reading(guard, unparsable(source.data), line=_error_line(tree))
    return Reading(guard, PARSED, tree, tuple(methods(source, tree)))


def each_step(
    guard: Guard, steps: Iterator[_Step], refuse: Callable[[str], None]
) -> Iterator[_Step]:
    """The steps of one method; where they go over a limit they end, and `refuse` is told why."""
    guard.begin_method()
    try:
        yield from guard.each(steps)
    except OVER as error:
        refuse(reason_of(error))


def all_steps(
    guard: Guard, steps: Callable[[], Iterator[_Step]], refuse: Callable[[str], object]
) -> list[_Step]:
    """All steps of one method; none where they go over a limit, and `refuse` is told why."""
    found = within(guard, lambda: list(steps()))
    if not isinstance(found, str):
        return found
    refuse(found)
    return []


def refused_whole(row: MethodRow, settings: Settings, reason: str) -> None:
    """Leave a method alone, whatever was made of it already."""
    row.variants.clear()
    codes = dict.fromkeys(code for code, _ in settings.plan)
    row.refusals[:] = [Refused(code, reason, row.line) for code in codes]


def _error_line(tree: Tree) -> int:
    """The line of the first ERROR or MISSING node."""
    starts = line_starts(tree.data)
    cursor = tree.syntax.walk()
    while True:
        node = cursor.node
        assert node is not None
        if node.is_error or node.is_missing:
            return line_of(starts, node.start_byte)
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return 1
