"""The published tools' input: JSON lines of a file name and its tokens, gzipped or not."""

import gzip
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO, cast

from metamorph.corpus.jsonl import is_jsonl, lines_within
from metamorph.corpus.skips import BAD_JSON, DAMAGED, TOO_LARGE, Skipped
from metamorph.errors import UserError

NULL, NO_TOKENS = "null-line", "no-tokens-or-id"
_LOOKED_AT = 100


@dataclass(frozen=True, slots=True)
class Fields:
    """Where the tokens are, and which fields make the id, joined by a colon."""

    tokens: str = "tokens"
    id: tuple[str, ...] = ("filename",)


@dataclass(frozen=True, slots=True)
class TokenList:
    """A file that somebody else has tokenised."""

    id: str
    tokens: list[str]
    project: str = ""


def is_token_list(path: str, fields: Fields) -> bool:
    """Whether the first object of its first lines has tokens; a file of null lines is one too."""
    if not is_jsonl(path):
        return False
    has_null = False
    with suppress(OSError, EOFError), _opened(path) as stream:
        for line in islice(lines_within(stream), _LOOKED_AT):
            if line is not None and line.strip():
                row = _row(line)
                if isinstance(row, dict):
                    return fields.tokens in row
                has_null |= row is None
    return has_null


def read_token_list(path: str, fields: Fields) -> Iterator[TokenList | Skipped]:
    """The lists in order; a line that holds none is skipped by name."""
    with _opened(path) as stream:
        try:
            for number, line in enumerate(lines_within(stream), 1):
                name = f"{path}:{number}"
                if line is None:
                    yield Skipped(name, TOO_LARGE)
                elif line.strip():
                    yield _listed(name, _row(line), fields)
        except (OSError, EOFError):
            yield Skipped(path, DAMAGED)


def _opened(path: str) -> BinaryIO:
    try:
        opened = gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb")  # noqa: SIM115
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from error
    return cast(BinaryIO, opened)


def _row(line: bytes) -> object:
    """What the line holds; its own bytes where that is no JSON."""
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return row


def _listed(name: str, row: object, fields: Fields) -> TokenList | Skipped:
    if row is None:
        return Skipped(name, NULL)
    if not isinstance(row, dict):
        return Skipped(name, BAD_JSON)
    tokens, parts = row.get(fields.tokens), [row.get(part) for part in fields.id]
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        return Skipped(name, NO_TOKENS)
    if any(not isinstance(part, str | int) for part in parts):
        return Skipped(name, NO_TOKENS)
    project = row.get("project")
    id = ":".join(str(part) for part in parts)
    return TokenList(id, tokens, project if isinstance(project, str) else "")
