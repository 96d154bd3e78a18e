"""Java sources in JSONL files: one object a line, its code in a field."""

import gzip
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import BinaryIO, cast

from metamorph.corpus.addresses import shown
from metamorph.corpus.remote import opened
from metamorph.corpus.skips import (
    BAD_JSON,
    DAMAGED,
    MAX_BYTES,
    NO_CODE,
    TOO_LARGE,
    Skipped,
    within_limit,
)
from metamorph.errors import UserError
from metamorph.java.source import SourceFile

FIELDS = ("code", "func", "source", "original_string")
"""Where the code is looked for, first match."""

HALVES = ("prompt", "canonical_solution")
"""Where the code is looked for else: the beginning of a class, and its end."""

LABELS = ("label", "target", "docstring")
"""Where the right answer is looked for, first match that is text, a number, true or false."""

_NOT_KEPT = frozenset({*FIELDS, "code_tokens"})

PROJECTS = ("project", "repo")
"""Where the project is looked for, first match that is text."""

_NAMES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


def is_jsonl(path: str) -> bool:
    """Whether the name is that of a JSONL file, gzipped or not."""
    return path.lower().endswith(_NAMES)


def read_jsonl(path: str, *, zipped: bool) -> Iterator[SourceFile | Skipped]:
    """One source a line, named `FILE:LINE`; blank lines are passed over."""
    told = shown(path)
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(opened(path))
        except OSError as error:
            raise UserError(f"{told}: cannot be read ({error.strerror or error})") from error
        if zipped:
            stream = cast(BinaryIO, stack.enter_context(gzip.GzipFile(fileobj=stream)))
        try:
            for number, line in enumerate(lines_within(stream), 1):
                name = f"{told}:{number}"
                if line is None:
                    yield Skipped(name, TOO_LARGE)
                elif line.strip():
                    yield _source(name, line)
        except (OSError, EOFError):
            yield Skipped(told, DAMAGED)


def lines_within(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines; None for one beyond the limit, which is never held in memory whole."""
    while line := stream.readline(MAX_BYTES + 1):
        if len(line) <= MAX_BYTES:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(MAX_BYTES)
        yield None


def _source(name: str, line: bytes) -> SourceFile | Skipped:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Skipped(name, BAD_JSON)
    if not isinstance(row, dict):
        return Skipped(name, BAD_JSON)
    code = _code(row)
    if code is None:
        return Skipped(name, NO_CODE)
    project = next((row[f] for f in PROJECTS if isinstance(row.get(f), str)), "")
    about = json.dumps({field: row[field] for field in row if field not in _NOT_KEPT})
    return within_limit(name, code.encode("utf-8", "surrogatepass"), _gold(row), project, about)


def _code(row: dict[str, object]) -> str | None:
    """The code as one text."""
    for field in FIELDS:
        if isinstance(code := row.get(field), str):
            return code
    begin, end = (row.get(field) for field in HALVES)
    return begin + end if isinstance(begin, str) and isinstance(end, str) else None


def _gold(row: dict[str, object]) -> str | None:
    """The record's label as text; those of JSON's other scalars as JSON spells them."""
    for field in LABELS:
        value = row.get(field)
        if isinstance(value, str):
            return value
        if isinstance(value, int | float):
            return json.dumps(value)
    return None
