"""What a test gives as its source: text, a path, a folder, a suite."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from metamorph.corpus import Skipped, read_sources
from metamorph.errors import UserError
from metamorph.java.source import SourceFile, line_of, line_starts
from metamorph.java.tree import parse

TEXT = "<text>"
"""The path of a source that is given as text."""

_SIGNS_OF_CODE = frozenset("{};\n")

Source = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources that can be studied; paths: where they were read, none where they were text.

    skipped: path -> why it is not studied, of all others.
    """

    files: tuple[SourceFile, ...]
    skipped: dict[str, str]
    paths: tuple[str, ...]


def read(given: Sequence[Source], folders: Sequence[Path]) -> Sources:
    """The sources, paths being looked for in these folders in turn; raises UserError.

    They are named from the last of the folders, so that their names are the same wherever tests
    are started. It is the user's fault if none of them parses.
    """
    files: list[SourceFile] = []
    skipped: dict[str, str] = {}
    paths = [_found(one, folders) for one in given if not _is_text(one)]
    texts = [SourceFile(TEXT, str(one).encode()) for one in given if _is_text(one)]
    for source in [*texts, *(read_sources(paths) if paths else ())]:
        source = replace(source, path=_from(folders[-1], source.path))
        fault = source.reason if isinstance(source, Skipped) else _syntax_error(source)
        if isinstance(source, Skipped) or fault:
            skipped[source.path] = fault
        else:
            files.append(source)
    if not files:
        raise UserError(_nothing(given, skipped))
    return Sources(tuple(files), skipped, tuple(_from(folders[-1], path) for path in paths))


def _is_text(given: Source) -> bool:
    return isinstance(given, str) and not _SIGNS_OF_CODE.isdisjoint(given)


def _found(path: Source, folders: Sequence[Path]) -> str:
    name = os.fspath(path)
    if not name:
        raise UserError("the source is empty; give Java, a path, a folder or a suite")
    for folder in folders:
        if (folder / name).exists():
            return str(folder / name)
    looked = " nor in ".join(dict.fromkeys(str(folder) for folder in folders))
    raise UserError(f"{name}: neither Java nor a path that exists in {looked}")


def _from(root: Path, path: str) -> str:
    """The path from that folder, if it lies below it."""
    below = os.path.relpath(path, root) if os.path.isabs(path) else path
    return path if below.startswith("..") else below.replace(os.sep, "/")


def _syntax_error(source: SourceFile) -> str:
    """Where the first error is, or ""."""
    tree = parse(source.data)
    if not tree.has_error:
        return ""
    starts = line_starts(source.data)
    cursor = tree.syntax.walk()
    line = 1
    while cursor.node is not None and cursor.node.has_error:
        line = line_of(starts, cursor.node.start_byte)
        if not cursor.goto_first_child():
            break
        while cursor.node is not None and not cursor.node.has_error:
            if not cursor.goto_next_sibling():
                return f"syntax error in line {line}"
    return f"syntax error in line {line}"


def _nothing(given: Sequence[Source], skipped: dict[str, str]) -> str:
    if not skipped:
        return f"{', '.join(str(one) for one in given)}: no Java there"
    path, fault = next(iter(skipped.items()))
    more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
    return f"{path}: {fault}{more}; metamorph studies only what parses"
