"""The outcomes as data inside the page: packed columns, and blocks of code opened on demand."""

import base64
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from metamorph.oracles.lengths import BINS, length_bin
from metamorph.oracles.listings import Detail, Excerpt, Item, Listing, Program
from metamorph.oracles.outcomes import CHANGED, CHANGES

MOST_BYTES = 12_000_000
"""The most that the blocks take in the page."""

_BLOCK = 250_000
"""About so many characters are packed together: what is unpacked to open one outcome."""

KINDS = {
    "CIP": "was right, now wrong",
    "WCP": "was wrong, now right",
    "WWDP": "wrong, another wrong answer",
    "changed": "another answer",
    "CCP": "right, and stays right",
    "WWSP": "wrong, the same answer",
    "same": "the same answer",
    "no_answer": "no answer",
    "inconclusive": "the answer to the original varies by itself",
    "broken": "a faulty variant, not put to the model",
    "refused": "a place left alone",
}
"""The results in words, changes first."""

_RANKS = {result: rank for rank, result in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Embedded:
    """Base64 texts, of gzipped JSON each; shown: how many items can be opened with their code."""

    index: str
    blocks: list[str]
    shown: int
    without_source: int


def embed(listing: Listing, most_bytes: int = MOST_BYTES) -> Embedded:
    """The items of a listing, and the code of as many of them as fit."""
    items = _in_reading_order(listing.items)
    opened = _affordable(listing, most_bytes)
    numbers = {_key(item): number for number, item in enumerate(items)}
    groups = list(_groups([item for item in items if _key(item) in opened], listing.excerpts))
    block_of = {_key(item): at for at, group in enumerate(groups) for item in group}
    blocks = [_packed(_block(group, numbers, listing.excerpts)) for group in groups]
    index = _index(items, [block_of.get(_key(item), -1) for item in items])
    index |= {"command": listing.command, "run": listing.run}
    faults = sum(
        bool(listing.excerpts[_program_key(item.program)].fault) for item in opened.values()
    )
    return Embedded(_packed(index), blocks, len(opened), faults)


_Key = tuple[int, int, int, bool]


def _key(item: Item) -> _Key:
    return item.program.file, item.program.method, item.number, item.result == "refused"


def _program_key(program: Program) -> tuple[int, int]:
    return program.file, program.method


def _in_reading_order(items: Iterable[Item]) -> list[Item]:
    """Changes first, a right answer lost before others; the transformations take turns, the
    shortest code of each first.
    """
    turns: Counter[tuple[str, str, str]] = Counter()
    placed = []
    for item in sorted(items, key=lambda item: (item.program.statements, _key(item))):
        group = (item.result, item.transform, item.place)
        turns[group] += 1
        placed.append(
            (_RANKS.get(item.result, len(_RANKS)), item.result, turns[group], group, item)
        )
    placed.sort(key=lambda one: one[:4])
    return [item for *_, item in placed]


def _affordable(listing: Listing, most_bytes: int) -> dict[_Key, Item]:
    """The first items of the listing whose code fits; packed together they take less still."""
    left = 3 * most_bytes // 4
    opened: dict[_Key, Item] = {}
    paid: set[tuple[int, int]] = set()
    for item in listing.items:
        program = _program_key(item.program)
        if item.detail is None or program not in listing.excerpts:
            continue
        left -= _size(_shown_item(item.detail))
        if program not in paid:
            left -= _size(_shown_program(listing.excerpts[program]))
            paid.add(program)
        if left < 0:
            break
        opened[_key(item)] = item
    return opened


def _size(value: object) -> int:
    return len(zlib.compress(_json(value).encode(), 1))


def _groups(
    items: Iterable[Item], excerpts: dict[tuple[int, int], Excerpt]
) -> Iterator[list[Item]]:
    """The items in groups of about a block's size, those of a program together."""
    group: list[Item] = []
    size = 0
    by_program = sorted(items, key=_key)
    for program, several in groupby(by_program, lambda item: _program_key(item.program)):
        for item in several:
            group.append(item)
            assert item.detail is not None
            size += 400 + sum(len(text) for *_, text in item.detail.edits)
        size += len(excerpts[program].text)
        if size > _BLOCK:
            yield group
            group, size = [], 0
    if group:
        yield group


def _block(
    group: Sequence[Item], numbers: dict[_Key, int], excerpts: dict[tuple[int, int], Excerpt]
) -> dict[str, Any]:
    programs = {_program_key(item.program) for item in group}
    return {
        "programs": {f"{f}:{m}": _shown_program(excerpts[f, m]) for f, m in sorted(programs)},
        "items": {numbers[_key(item)]: _shown_item(item.detail) for item in group if item.detail},
    }


def _shown_program(excerpt: Excerpt) -> dict[str, Any]:
    return {
        "text": excerpt.text,
        "line": excerpt.line,
        "fault": excerpt.fault,
        "candidates": _candidates(excerpt.candidates),
    }


def _shown_item(detail: Detail) -> dict[str, Any]:
    shown: dict[str, Any] = {"edits": detail.edits, "candidates": _candidates(detail.candidates)}
    rare = {"names": detail.names, "said": detail.said, "truncated": detail.truncated}
    return shown | {name: value for name, value in rare.items() if value}


def _candidates(ranked: Iterable[tuple[str, float | None]]) -> list[tuple[str, float | None]]:
    return [(name, _rounded(score)) for name, score in ranked]


def _rounded(score: float | None) -> float | None:
    return None if score is None else float(f"{score:.4g}")


def _index(items: Sequence[Item], blocks: Sequence[int]) -> dict[str, Any]:
    """The columns; texts are numbers of a sorted table, so that sorting them compares numbers."""
    programs = list({_program_key(item.program): item.program for item in items}.values())
    strings = _Strings(_texts(items, programs))
    at = {_program_key(program): number for number, program in enumerate(programs)}
    return {
        "strings": strings.table,
        "bins": BINS,
        "kinds": KINDS,
        "changing": sorted({*CHANGES, CHANGED}),
        "programs": _program_columns(programs, strings),
        "items": _item_columns(items, strings)
        | {
            "program": [at[_program_key(item.program)] for item in items],
            "block": blocks,
        },
    }


def _program_columns(programs: Sequence[Program], strings: "_Strings") -> dict[str, list[Any]]:
    return {
        "file": [p.file for p in programs],
        "method": [p.method for p in programs],
        "line": [p.line for p in programs],
        "statements": [p.statements for p in programs],
        "bin": [BINS.index(length_bin(p.statements)) for p in programs],
        "score": [_rounded(p.answer.score) for p in programs],
        "path": [strings[p.path] for p in programs],
        "source": [strings[p.source] for p in programs],
        "project": [strings[p.project] for p in programs],
        "title": [strings[p.title] for p in programs],
        "expected": [strings[p.expected] for p in programs],
        "label": [strings[p.answer.label] for p in programs],
    }


def _item_columns(items: Sequence[Item], strings: "_Strings") -> dict[str, list[Any]]:
    return {
        "number": [item.number for item in items],
        "line": [item.line for item in items],
        "score": [_rounded(item.answer.score) for item in items],
        "transform": [strings[item.transform] for item in items],
        "place": [strings[item.place] for item in items],
        "result": [strings[item.result] for item in items],
        "reason": [strings[item.reason] for item in items],
        "label": [strings[item.answer.label] for item in items],
    }


def _texts(items: Iterable[Item], programs: Iterable[Program]) -> Iterator[str | None]:
    for item in items:
        yield from (item.transform, item.place, item.result, item.reason, item.answer.label)
    for p in programs:
        yield from (p.path, p.source, p.project, p.title, p.expected, p.answer.label)


class _Strings:
    """Text -> its number in a table that is sorted as people sort; -1 for none."""

    def __init__(self, texts: Iterable[str | None]) -> None:
        known = {text for text in texts if text is not None}
        self.table = sorted(known, key=lambda text: (text.casefold(), text))
        self._numbers = {text: number for number, text in enumerate(self.table)}

    def __getitem__(self, text: str | None) -> int:
        return -1 if text is None else self._numbers[text]


def _packed(value: object) -> str:
    data = gzip.compress(_json(value).encode(), 9, mtime=0)
    return base64.b64encode(data).decode("ascii")


def _json(value: object) -> str:
    """JSON of ASCII alone: halves of characters and bytes that were no UTF-8 are spelt out."""
    return json.dumps(value, separators=(",", ":"))
