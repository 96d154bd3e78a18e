"""Which Java files of a project are its own code: not its tests, nor what builds leave behind."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

_PACKAGE = re.compile(rb"^\s*package\s+([^\s;]+)\s*;", re.MULTILINE)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_OUTPUT = frozenset({"target", "build", "out", "bin", "dist", "node_modules", "resources"})
_TESTS = frozenset({"test", "tests"})


def chosen(project: Path, named: Sequence[str]) -> dict[Path, list[Path]]:
    """Source root -> its Java files in order, of the named folders or of all main source roots."""
    folders = [project / name for name in named] or [project]
    found: dict[Path, list[Path]] = {}
    for path in sorted({path for folder in folders for path in _java(folder)}):
        root = _root(path)
        if named or _is_main(root.relative_to(project).parts):
            found.setdefault(root, []).append(path)
    return found


def _java(folder: Path) -> Iterator[Path]:
    return (p for p in folder.rglob("*.java") if p.is_file() and not p.is_symlink())


def _root(path: Path) -> Path:
    """The folder that the file's package begins in."""
    package = _PACKAGE.search(path.read_bytes())
    root = path.parent
    for name in reversed(package[1].split(b".") if package else []):
        if root.name.encode() != name:
            return path.parent
        root = root.parent
    return root


def _is_main(parts: Sequence[str]) -> bool:
    """Whether a source root, below the project, has code of the project's own.

    Below src/main all is, whatever the folders above are called for, as in `spring-test`.
    """
    if any(part in _OUTPUT or part.startswith(".") for part in parts):
        return False
    if ("src", "main") in pairwise(parts):
        return ("src", "it") not in pairwise(parts)
    words = {word.lower() for part in parts for word in _WORDS.findall(part)}
    return "it" not in parts and words.isdisjoint(_TESTS)
