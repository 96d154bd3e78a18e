"""The layout of code summarisation: documented methods, a JSON object a line."""

import json
from pathlib import Path

from metamorph.suites.formats.files import Series
from metamorph.suites.formats.javadoc import docstring, docstring_tokens
from metamorph.suites.formats.shapes import Each
from metamorph.suites.lexemes import lexemes
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry, Record, about

NO_DOCSTRING = "no-docstring"


def documented(entry: Entry) -> Record | None:
    """The object of a variant; None where its method has no documentation."""
    method = entry.program.method
    text = docstring(method)
    if not text:
        return None
    told = about(method.file)
    record = entry.record
    return {
        "repo": told.get("repo", record["project"]),
        "path": told.get("path", record["path"]),
        "func_name": told.get("func_name", record["method"]),
        "original_string": record["code"],
        "language": "java",
        "code": record["code"],
        "code_tokens": list(lexemes(entry.tree, 0)),
        "docstring": text,
        "docstring_tokens": docstring_tokens(method, text),
        "sha": told.get("sha", ""),
        "url": told.get("url", ""),
        "partition": entry.split,
        "id": record["id"],
        "original_id": record["original_id"],
    }


class CodeToText:
    """code-to-text/java/SPLIT.jsonl."""

    def __init__(self, out: Path, counts: Counts) -> None:
        self._files = Series(lambda split: out / "code-to-text" / "java" / f"{split}.jsonl")
        self._counts = counts

    def add(self, shape: tuple[str, str]) -> None:
        """Write the variant, if it is documented."""
        split, line = shape
        if line:
            self._files.write(split, line)
        else:
            self._counts.unused[f"codexglue-text {NO_DOCSTRING}"] += 1

    def close(self) -> None:
        """Close the files."""
        self._files.close()


def _shape(entry: Entry) -> tuple[str, str]:
    """The split and the line, "" where there is none."""
    row = documented(entry)
    return entry.split, json.dumps(row, ensure_ascii=False) if row else ""


def shaper(name: str, recipe: Recipe, scratch: Path) -> Each:
    """Of lines."""
    return Each(_shape)


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> CodeToText:
    """The writer."""
    return CodeToText(out, counts)
