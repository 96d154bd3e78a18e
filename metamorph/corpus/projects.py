"""Which project a source belongs to."""

from collections.abc import Sequence
from functools import lru_cache

from metamorph.corpus.addresses import shown
from metamorph.corpus.lists import is_list, read_list


def project_of(path: str, roots: Sequence[str]) -> str:
    """The project of a source that tells none itself, "" where that cannot be told.

    roots: the paths that the user named. Where these are several, each that is no single .java
    file is a project; below a single one, each of its folders is.
    """
    for root in roots:
        rest = below(path, root)
        if rest is None:
            continue
        if len(roots) > 1:
            return "" if root.endswith(".java") else shown(root)
        folder, slash, _ = rest.partition("/")
        return folder if slash else ""
    return ""


def below(path: str, root: str) -> str | None:
    """The path below a folder, an archive or what a list's paths share; None elsewhere."""
    if root.startswith("@") and is_list(root):
        return read_list(root).below(path)
    for start in _starts(root):
        if path.startswith(start):
            return path[len(start) :]
    return "" if path == shown(root) else None


@lru_cache(maxsize=64)
def _starts(root: str) -> tuple[str, ...]:
    """How the paths begin that lie below a folder or in an archive."""
    root = shown(root)
    return root + "!/", root.rstrip("/") + "/", root + ":"
