"""Hypothesis strategies: Java methods, and methods beside their transformed selves."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

try:
    from hypothesis import reject
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError("the strategies need hypothesis: pip install 'metamorph-java[pytest]'") from (
        error
    )

from metamorph.errors import UserError
from metamorph.java.edits import OverlapError
from metamorph.java.methods import Method, methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.java.variants import BrokenVariantError, Variant, make_variant, reparse
from metamorph.reports.diffs import diff
from metamorph.runs.settings import Settings
from metamorph.runs.variations import found
from metamorph.tasks import load as load_task
from metamorph.testing.parameters import Parameters
from metamorph.testing.programs import java_methods
from metamorph.testing.sources import TEXT, Source, read
from metamorph.transforms import load

__all__ = ["Pair", "java_methods", "transformed"]


class _Printer(Protocol):
    """What Hypothesis prints with."""

    def text(self, text: str) -> None:
        """Print this."""
        ...


@dataclass(frozen=True, slots=True)
class Pair:
    """A method and its variant, both as a model of the task sees them.

    sites: the numbers of the sites that are applied, from 0; diff: the edit.
    """

    before: str
    after: str
    transform: str
    sites: tuple[int, ...]
    diff: str

    def __repr__(self) -> str:
        where = ", ".join(map(str, self.sites))
        return f"<{self.transform} at {where}>\n{self.diff}"

    def _repr_pretty_(self, printer: _Printer, cycle: bool) -> None:
        """How Hypothesis shows it."""
        printer.text(repr(self))


@dataclass(frozen=True, slots=True)
class _Choice:
    """A method, and all sites that one transformation has in it, those of small edits first.

    single, together: the same sites, as they are applied one by one and several at once.
    """

    method: Method
    transform: str
    single: tuple[Site, ...]
    together: tuple[Site, ...]


@st.composite
def transformed(
    draw: st.DrawFn,
    source: Source | st.SearchStrategy[str],
    transforms: str = "all",
    *,
    task: str = "method-name",
    seed: int = 0,
) -> Pair:
    """Pairs of a method of the source and a variant of it, at one site or several.

    They shrink to the fewest sites, and of these to the smallest edits. source: as the fixture
    takes it, paths being looked for where the tests are started; or a strategy for Java text.
    """
    text = draw(source) if isinstance(source, st.SearchStrategy) else source
    choices = _choices(os.fspath(text), Parameters(transforms, seed=seed))
    if not choices:
        if text is source:
            raise UserError(f"{transforms}: no place to transform in {text!s:.60}")
        reject()
    chosen = draw(st.sampled_from(choices))
    numbers = draw(_subsets(chosen))
    try:
        return _pair(chosen, numbers, task)
    except (OverlapError, BrokenVariantError):
        reject()


@st.composite
def _subsets(draw: st.DrawFn, choice: _Choice) -> list[int]:
    """Which of the sites are applied: those that are drawn, the first if none is."""
    if not choice.single:
        return list(range(len(choice.together)))
    if not choice.together:
        return [draw(st.integers(0, len(choice.single) - 1))]
    return [n for n in range(len(choice.single)) if draw(st.booleans())] or [0]


def _pair(choice: _Choice, numbers: list[int], task: str) -> Pair:
    method = choice.method
    from_ = choice.single if len(numbers) == 1 and choice.single else choice.together
    sites = sorted((from_[n] for n in numbers), key=lambda site: site.index)
    variant = make_variant(method, sites, "single" if len(sites) == 1 else "all")
    seen = load_task(task).code
    return Pair(
        seen(method.tree, method.node),
        seen(reparse(variant), 0),
        choice.transform,
        tuple(site.index for site in sites),
        "\n".join(_diff(variant)),
    )


def _diff(variant: Variant) -> Iterator[str]:
    return diff(variant.original.file.data, variant.data)


@lru_cache(maxsize=64)
def _choices(source: str, parameters: Parameters) -> tuple[_Choice, ...]:
    settings = parameters.settings((source,), "")
    files = _files(source)
    every = [
        choice
        for file in files
        for method in methods(file, parse(file.data))
        for code in dict.fromkeys(code for code, _ in settings.plan)
        for choice in _choice(method, code, settings)
    ]
    return tuple(sorted(every, key=_least))


def _files(source: str) -> tuple[SourceFile, ...]:
    if "{" in source:
        return (SourceFile(TEXT, source.encode()),)
    return read([source], [Path.cwd()]).files


def _choice(method: Method, code: str, settings: Settings) -> Iterator[_Choice]:
    places = load(code).PLACES
    alone: tuple[Site, ...] = ()
    all_of_them: tuple[Site, ...] = ()
    if "single" in places:
        alone = tuple(site for (site,) in found(method, code, "single", settings)[0])
    if "all" in places:
        all_of_them = tuple(s for group in found(method, code, "all", settings)[0] for s in group)
    if len(alone) != len(all_of_them):
        all_of_them = () if alone else all_of_them
    if alone or all_of_them:
        order = sorted(alone or all_of_them, key=_size)
        ranked = {site.index: rank for rank, site in enumerate(order)}
        by_size = [sorted(s, key=lambda x: ranked[x.index]) for s in (alone, all_of_them)]
        yield _Choice(method, code, tuple(by_size[0]), tuple(by_size[1]))


def _size(site: Site) -> int:
    return sum(edit.end - edit.start + len(edit.text) for edit in site.edits)


def _least(choice: _Choice) -> int:
    return min(map(_size, choice.single or choice.together))
