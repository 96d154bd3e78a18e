"""Outcomes by name: `3:12:0`, `StringUtils.indexOf[VN-all]`, `StringUtils.java:120`."""

import difflib
import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from metamorph.errors import UserError
from metamorph.oracles.outcomes import CHANGED, CHANGES

_NUMBERS = re.compile(r"(\d+):(\d+)(?::(\d+))?")
_NAMED = re.compile(r"(?P<name>[^\[\]]+?)(?:\[(?P<code>[^\[\]\-]+)(?:-(?P<place>\w+))?\])?")
_PLACED = re.compile(r"(?P<path>.+\.java):(?P<line>\d+)")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Stored:
    """A variant as the run stored it, with what is needed to make it again.

    before, after: the labels of the original and of the variant; result: a category, or the
    status of one that was not judged; edits: (start, end, text).
    """

    file: int
    method: int
    variant: int
    path: str
    sha256: str
    title: str
    line: int
    expected: str | None
    before: str | None
    transform: str
    place: str
    sites: tuple[int, ...]
    edits: tuple[tuple[int, int, str], ...]
    result: str
    after: str | None

    @property
    def id(self) -> str:
        """Its number in the store, `FILE:METHOD:VARIANT`."""
        return f"{self.file}:{self.method}:{self.variant}"

    @property
    def changed(self) -> bool:
        """Whether the prediction changed."""
        return self.result in CHANGES or self.result == CHANGED

    def __str__(self) -> str:
        return f"{self.id} {self.title}[{self.transform}-{self.place}] {self.result}"


_SELECT = """
SELECT v.file, v.method, v.variant, f.path, f.sha256, m.owner, m.name, m.line, m.expected, m.label,
       v.transform, v.place, v.sites, v.edits, COALESCE(v.category, v.status), v.label
FROM variants v JOIN methods m USING (file, method) JOIN files f USING (file)
"""


def find(connection: sqlite3.Connection, words: str, *, of_method: bool = False) -> Stored:
    """The outcome of that name; of several the one that changed the prediction, if it is one.

    of_method: any variant of the method will do. Raises UserError with what may have been meant.
    """
    found = _numbered(connection, words) if _NUMBERS.fullmatch(words) else _named(connection, words)
    if of_method and len({(row.file, row.method) for row in found}) == 1:
        return found[0]
    changed = [row for row in found if row.changed]
    if len(found) > 1 and len(changed) == 1:
        return changed[0]
    if len(found) == 1:
        return found[0]
    shown = "; ".join(str(row) for row in (changed or found)[:_SHOWN])
    more = ", among them" if len(changed or found) > _SHOWN else ""
    raise UserError(
        f"{words}: {len(found):,} outcomes, {len(changed):,} of them changed{more}: {shown}; "
        "give the number of one"
    )


def _numbered(connection: sqlite3.Connection, words: str) -> list[Stored]:
    match = _NUMBERS.fullmatch(words)
    assert match
    numbers = [int(number) for number in match.groups() if number is not None]
    # A number beyond what SQLite holds is none of its keys.
    if max(numbers) < 2**63:
        terms = ("v.file = ?", "v.method = ?", "v.variant = ?")[: len(numbers)]
        if found := _rows(connection, " AND ".join(terms), numbers):
            return found
    raise UserError(f"{words}: no such outcome; {_range(connection, numbers)}")


def _range(connection: sqlite3.Connection, numbers: Sequence[int]) -> str:
    """The outcomes that there are, nearest to the numbers."""
    for depth in (2, 1, 0):
        terms = ("file = ?", "method = ?")[:depth]
        where = f"WHERE {' AND '.join(terms)}" if terms else ""
        query = (
            f"SELECT MIN(printf('%09d:%09d:%09d', file, method, variant)), "
            f"MAX(printf('%09d:%09d:%09d', file, method, variant)) FROM variants {where}"
        )
        if max(numbers) >= 2**63 and depth:
            continue
        first, last = connection.execute(query, numbers[:depth]).fetchone()
        if first is not None:
            what = ("the run", "that file", "that method")[depth]
            return f"{what} has {_plain(first)} to {_plain(last)}"
    return "the run has none"


def _plain(padded: str) -> str:
    return ":".join(str(int(part)) for part in padded.split(":"))


def _named(connection: sqlite3.Connection, words: str) -> list[Stored]:
    match = _NAMED.fullmatch(words)
    if match is None:
        raise UserError(f"{words}: not an outcome; write 3:12:0, A.name or A.name[VN-all]")
    terms, values = _where(match["name"])
    for column, value in (("transform", match["code"]), ("place", match["place"])):
        if value:
            terms += f" AND v.{column} = ?"
            values.append(value)
    if found := _rows(connection, terms, values):
        return found
    raise UserError(f"{words}: no such outcome; {_near(connection, match['name'])}")


_TITLE = "(CASE WHEN m.owner = '' THEN m.name ELSE m.owner || '.' || m.name END)"


def _where(name: str) -> tuple[str, list[object]]:
    """Methods by the end of their title, or by the end of their path and their line."""
    if placed := _PLACED.fullmatch(name):
        terms, values = _ends("'/' || f.path", f"/{placed['path']}")
        return f"{terms} AND ? IN (m.line, v.line)", [*values, int(placed["line"])]
    return _ends(f"'.' || {_TITLE}", f".{name}")


def _ends(column: str, text: str) -> tuple[str, list[object]]:
    return f"substr({column}, -length(?)) = ?", [text, text]


def _near(connection: sqlite3.Connection, name: str) -> str:
    query = f"SELECT DISTINCT {_TITLE} FROM variants v JOIN methods m USING (file, method)"
    titles = [title for (title,) in connection.execute(query)]
    by_name = {title.rpartition(".")[2]: title for title in reversed(titles)}
    near = difflib.get_close_matches(name, titles, _SHOWN, 0.5)
    near += [by_name[n] for n in difflib.get_close_matches(name, by_name, _SHOWN, 0.6)]
    if not near:
        return "see the report for those that there are"
    return f"did you mean {', '.join(dict.fromkeys(near))}?"


def _rows(connection: sqlite3.Connection, where: str, values: Sequence[object]) -> list[Stored]:
    order = "ORDER BY v.file, v.method, v.variant"
    rows = connection.execute(f"{_SELECT} WHERE {where} {order}", values)
    return [_stored(*row) for row in rows]


def _stored(
    file: int,
    method: int,
    variant: int,
    path: str,
    sha256: str,
    owner: str,
    name: str,
    line: int,
    expected: str | None,
    before: str | None,
    transform: str,
    place: str,
    sites: str,
    edits: str,
    result: str,
    after: str | None,
) -> Stored:
    return Stored(
        file,
        method,
        variant,
        path,
        sha256,
        f"{owner}.{name}" if owner else name,
        line,
        expected,
        before,
        transform,
        place,
        tuple(json.loads(sites)),
        tuple((start, end, text) for start, end, text in json.loads(edits)),
        result,
        after,
    )
