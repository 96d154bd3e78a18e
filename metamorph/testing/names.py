"""Names of variants: readable, and the same from run to run: `StringUtils.indexOf[VN-2]`."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from metamorph.java.methods import Method, methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse

Key = tuple[int, int]
"""The number of a file, and of a method in it."""


@dataclass(frozen=True, slots=True)
class Named:
    """A method by name; start, end: its bytes in the file."""

    name: str
    start: int
    end: int


def named(sources: Sequence[SourceFile]) -> dict[Key, Named]:
    """The methods of all sources by names that are unique.

    A title that several have gets their parameters, then their paths, then numbers. Names hold no
    parentheses, commas or spaces, which `pytest -k` does not take.
    """
    spelt: dict[Key, tuple[str, str, str]] = {}
    places: dict[Key, tuple[int, int]] = {}
    for number, source in enumerate(sources):
        for method in methods(source, parse(source.data)):
            key = (number, method.index)
            places[key] = (method.start, method.end)
            spelt[key] = _spellings(method)
    names = _unique(spelt)
    return {key: Named(names[key], *places[key]) for key in spelt}


def label(name: str, transform: str, place: str, sites: Sequence[int]) -> str:
    """The name of a variant: of single sites it has the number, from 0 as in run folders."""
    where = str(sites[0]) if place == "single" and len(sites) == 1 else place
    return f"{name}[{transform}-{where}]"


def _spellings(method: Method) -> tuple[str, str, str]:
    title = method.title.replace("<anonymous>", "anonymous")
    signature = "-".join((title, *_types(method))) if _types(method) else f"{title}-"
    return title, signature, f"{_plain(method.file.path)}:{signature}"


def _unique(spelt: dict[Key, tuple[str, str, str]]) -> dict[Key, str]:
    names: dict[Key, str] = {}
    left = dict(spelt)
    for level in range(3):
        counts = Counter(spellings[level] for spellings in left.values())
        single: Callable[[Key], bool] = lambda key: counts[left[key][level]] == 1  # noqa: B023, E731
        done = {key: left[key][level] for key in left if single(key)}
        names |= done
        left = {key: spellings for key, spellings in left.items() if key not in done}
    seen: Counter[str] = Counter()
    for key, spellings in left.items():
        seen[spellings[2]] += 1
        names[key] = f"{spellings[2]}.{seen[spellings[2]]}"
    return names


_ANNOTATION = re.compile(r"@[\w.]+(?:\([^()]*\))?\s*")


def _types(method: Method) -> list[str]:
    """The types of the parameters, without their arguments and packages."""
    tree = method.tree
    around = tree.child(method.node, "parameters")
    found = []
    for node in tree.named_children(around) if around >= 0 else ():
        if tree.kind[node] not in ("formal_parameter", "spread_parameter"):
            continue
        parts = [tree.text(child) for child in tree.named_children(node)]
        of_type = tree.child(node, "type")
        text = tree.text(of_type) if of_type >= 0 else next(iter(parts[-2:]), "")
        dots = "..." if tree.kind[node] == "spread_parameter" else ""
        dimensions = tree.child(node, "dimensions")
        tail = tree.text(dimensions) if dimensions >= 0 else ""
        found.append(_bare(text) + _bare(tail) + dots)
    return found


def _bare(type: str) -> str:
    text = re.sub(r"\s+", "", _ANNOTATION.sub("", type))
    while (plain := re.sub(r"<[^<>]*>", "", text)) != text:
        text = plain
    return text.rpartition(".")[2]


def _plain(path: str) -> str:
    """A path without signs that `pytest -k` does not take."""
    return re.sub(r"[^\w./:+-]", "-", path)
