"""The outcomes of a run one by one, read from its folder, with the code that they are about."""

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from sys import intern
from typing import Any

from metamorph.oracles.listings import (
    RANKED,
    REFUSED,
    Answer,
    Candidates,
    Detail,
    Item,
    Listing,
    Program,
)
from metamorph.oracles.outcomes import CHANGED, CHANGES, SAME
from metamorph.runs import manifest as manifests
from metamorph.runs import store
from metamorph.runs.excerpts import Wanted, excerpts
from metamorph.runs.reading import reading
from metamorph.runs.repeating import source_of, words

LISTED = 100_000
"""The most items of a listing."""

DETAILED = 40_000
"""The most items whose code is looked up."""

STATEMENTS = 400_000
"""The most statements of their methods: of more a page has no room for the code."""

_LONGEST = 2_000
"""The most characters that are shown of what a model said instead of an answer."""

_UNCHANGED = ("CCP", "WWSP", SAME)
_WEIGHT = {"changed": 1, "unchanged": 6, "refused": 12}
"""Where not all can be listed: how much rarer than changes others are listed."""

# The product with a large prime scatters neighbours, so that a sample has items of all files.
_SPREAD = """
WITH items AS (
    SELECT 0 AS refused, file, method, variant AS number, transform, place,
           COALESCE(category, status) AS result, reason
    FROM variants
    UNION ALL
    SELECT 1, file, method, refusal, transform, '', :refused, reason FROM refusals
), numbered AS (
    SELECT *, ROW_NUMBER() OVER (
        PARTITION BY refused, transform, place, result, reason
        ORDER BY (file * 7919 + method * 104729 + number * 1299709) % 1000003,
                 file, method, number
    ) AS nth FROM items
)
SELECT refused, file, method, number, result, nth FROM numbered
ORDER BY nth * CASE WHEN refused THEN {refused} WHEN result IN {unchanged} THEN {same} ELSE 1 END,
         transform, place, result, reason
LIMIT :most
""".format(refused=_WEIGHT["refused"], same=_WEIGHT["unchanged"], unchanged=_UNCHANGED)

_VARIANT = """
SELECT transform, place, COALESCE(category, status), reason, line, label, score,
       names, edits, candidates, text, truncated
FROM variants WHERE file = ? AND method = ? AND variant = ?
"""
_REFUSAL = f"""
SELECT transform, '', '{REFUSED}', reason, line, NULL, NULL, '{{}}', '[]', NULL, NULL, NULL
FROM refusals WHERE file = ? AND method = ? AND refusal = ?
"""
_PROGRAM = """
SELECT f.path, f.project, m.owner, m.name, m.line, m.statements + :blocks * m.blocks,
       m.expected, m.label, m.score, f.sha256, m.candidates
FROM methods m JOIN files f USING (file) WHERE m.file = :file AND m.method = :method
"""


@dataclass(slots=True)
class _Chosen:
    """An item that is listed; rank: the smaller, the sooner its code is looked up."""

    key: tuple[int, int, int, int]
    rank: tuple[int, int]
    detailed: bool = False


def listing(
    folder: Path,
    listed: int = LISTED,
    detailed: int = DETAILED,
    statements: int = STATEMENTS,
    *,
    count_blocks: bool = False,
) -> Listing:
    """The items of a run, at most so many, and at most so many of them with their code.

    No more code is looked up once the methods have so many statements. Where there are more items
    they are a sample, spread over transformations, results and reasons, in which changes are more
    frequent than in the run. The order is that of looking up: changes first, then what was not
    answered, then the rest. count_blocks: whether blocks count as statements.
    """
    manifest = manifests.read(folder)
    with reading(folder) as connection:
        connection.execute("BEGIN")
        chosen = _chosen(connection, listed)
        chosen.sort(key=lambda one: one.rank)
        for one in chosen[:detailed]:
            one.detailed = True
        roots = manifest["settings"]["paths"]
        items, wanted = _items(connection, chosen, roots, statements, count_blocks)
        total = _total(connection)
    texts = excerpts(wanted, roots)
    for at, item in enumerate(items):
        items[at] = _placed(item, texts.offsets)
    return Listing(items, total, texts.found, str(folder), words(manifest))


def _total(connection: sqlite3.Connection) -> int:
    counts = store.counts(connection)
    return counts["variants"] + counts["refusals"]


def _chosen(connection: sqlite3.Connection, most: int) -> list[_Chosen]:
    rows = connection.execute(_SPREAD, {"refused": REFUSED, "most": most})
    return [
        _Chosen((refused, file, method, number), (_order(result), nth))
        for refused, file, method, number, result, nth in rows
    ]


def _order(result: str) -> int:
    if result in CHANGES or result == CHANGED:
        return 0
    if result == REFUSED:
        return 3
    return 2 if result in _UNCHANGED else 1


def _items(
    connection: sqlite3.Connection,
    chosen: Sequence[_Chosen],
    roots: Sequence[str],
    statements: int,
    count_blocks: bool,
) -> tuple[list[Item], Wanted]:
    """The items, and what is wanted of the sources."""
    programs: dict[tuple[int, int], Program] = {}
    wanted = Wanted()
    items = []
    for one in chosen:
        refused, *place = one.key
        file, method, number = place
        key = (file, method)
        detailed = one.detailed and statements > 0
        about = connection.execute(_REFUSAL if refused else _VARIANT, place).fetchone()
        if key not in programs or (detailed and key not in wanted.programs):
            about_program = {"file": file, "method": method, "blocks": count_blocks}
            row = connection.execute(_PROGRAM, about_program).fetchone()
            programs.setdefault(key, _program(key, row, roots))
            if detailed:
                wanted.add(key, row[-2], _candidates(row[-1]))
                statements -= programs[key].statements
        item = _item(programs[key], number, about, detailed=detailed)
        if item.detail:
            wanted.cover(key, item.detail.edits)
        items.append(item)
    return items, wanted


def _program(key: tuple[int, int], row: Sequence[Any], roots: Sequence[str]) -> Program:
    path, project, owner, name, line, statements, expected, label, score, *_ = row
    return Program(
        *key,
        path=intern(path),
        source=intern(source_of(path, roots)),
        project=intern(project),
        title=f"{owner}.{name}" if owner else name,
        line=line,
        statements=statements,
        expected=expected,
        answer=Answer(label, score),
    )


def _item(program: Program, number: int, row: Sequence[Any], *, detailed: bool) -> Item:
    transform, place, result, reason = map(intern, row[:4])
    line, label, score, *more = row[4:]
    detail = None
    if detailed:
        names, edits, candidates, text, truncated = more
        made = tuple((start, end, fresh) for start, end, fresh in json.loads(edits))
        said = (text or "")[:_LONGEST] if label is None else ""
        ranked = _candidates(candidates)
        detail = Detail(made, json.loads(names), ranked, said, bool(truncated))
    answer = Answer(label, score)
    return Item(program, number, transform, place, result, reason, line, answer, detail)


def _candidates(stored: str | None) -> Candidates:
    """The first of a ranking; tens of thousands of rankings are of the same few thousand names."""
    return tuple((intern(name), score) for name, score in json.loads(stored or "[]")[:RANKED])


def _placed(item: Item, offsets: dict[tuple[int, int], dict[int, int]]) -> Item:
    """The item with its edits counted in its excerpt's units instead of the file's bytes."""
    places = offsets.get((item.program.file, item.program.method))
    if item.detail is None:
        return item
    if places is None:
        return replace(item, detail=replace(item.detail, edits=()))
    edits = tuple((places[start], places[end], text) for start, end, text in item.detail.edits)
    return replace(item, detail=replace(item.detail, edits=edits))
