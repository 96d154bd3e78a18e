"""Building a suite of records: its sources, its records, and at last that it is whole."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from metamorph.corpus import Skipped, read_sources, survey
from metamorph.corpus.addresses import shown
from metamorph.corpus.copied import NUMBERED
from metamorph.corpus.suites import MANIFEST, SOURCES, listed_sources
from metamorph.durable import whole_folder
from metamorph.errors import UserError
from metamorph.java.source import SourceFile
from metamorph.runs import manifest as runs
from metamorph.suites import manifest as manifests
from metamorph.suites import sampling
from metamorph.suites.copies import FOLDER, copy_sources
from metamorph.suites.exclusions import LIST, copied, without_copies
from metamorph.suites.formats import shapers, writers
from metamorph.suites.making import listed, make
from metamorph.suites.pairs import FOLDER as PAIRS
from metamorph.suites.pairs import copy_pairs
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts
from metamorph.suites.sampling import Candidates

GIVEN = (FOLDER, NUMBERED, PAIRS)
"""The folders of what a suite is made from."""

_BLOCK = 1 << 20

Advance = Callable[[Counts], None]


def build(
    recipe: Recipe,
    out: Path,
    command: str,
    notes: Sequence[str],
    excluded: Sequence[str],
    advance: Advance,
    workers: int = 1,
) -> manifests.Manifest:
    """Make a suite in a new or empty folder, which is there only once it is whole; its manifest.

    excluded: corpora whose near-copies are left out; workers: processes that share the work, and
    no byte depends on them. Raises UserError where nothing comes of it.
    """
    settings = recipe.settings
    with whole_folder(out, settings.paths) as draft:
        _copy(recipe, draft, excluded)
        facts = write_records(draft, draft, recipe, advance, workers)
        if not facts["counts"]["records"]:
            raise UserError(f"{', '.join(settings.paths)}: {_nothing(facts['counts'])}")
        manifest = manifests.new(settings, settings.paths, command, notes)
        manifest |= {"form": manifests.RECORDS, "recipe": recipe.kept, "excluded": list(excluded)}
        manifest["paths"] = [Path(path).name or path for path in map(shown, settings.paths)]
        manifest["versions"] |= arrow_version(recipe)
        facts["files"] = digests(draft)
        found = survey(listed_sources(str(draft)))
        runs.write(draft, manifests.complete(manifest, found, facts))
    return manifests.read(out, manifests.RECORDS)


def _copy(recipe: Recipe, draft: Path, excluded: Sequence[str]) -> None:
    """Copy the sources, but for near-copies of the excluded corpora."""
    settings = recipe.settings
    sources: Iterable[SourceFile | Skipped] = read_sources(settings.paths)
    if excluded:
        copies = copied(excluded, settings.paths)
        sources = without_copies(sources, copies, settings.paths, draft)
    copy_sources(sources, settings.paths, draft, settings.limit)
    if not (draft / SOURCES).stat().st_size:
        raise UserError(f"{', '.join(settings.paths)}: no Java there; name another PATH")
    if "codexglue-clone" in recipe.formats:
        copy_pairs(settings.paths, draft)


def write_records(
    sources: Path, out: Path, recipe: Recipe, advance: Advance, workers: int = 1
) -> dict[str, Any]:
    """Write all that is made of the sources in one folder into another; facts for the manifest.

    advance: told what is counted so far, now and then.
    """
    chosen, lacking = None, dict[str, int]()
    if recipe.per_transform is not None:
        candidates = Candidates()
        items = listed(sources)
        with closing(make(items, recipe, sampling.shapers, out, Counts(), workers)) as shapes:
            for _, candidate in shapes:
                candidates.add(candidate)
        chosen, lacking = candidates.choose(recipe.per_transform, recipe.settings.seed)
    counts = Counts()
    items = listed(sources, chosen)
    with (
        writers(sources, out, recipe, counts) as opened,
        closing(make(items, recipe, partial(shapers, recipe), out, counts, workers)) as shapes,
    ):
        for number, shape in shapes:
            opened[number].add(shape)
            advance(counts)
    for name in recipe.formats:
        _check_used(name, counts)
    return {"counts": counts.told | {"lacking": lacking}}


def _check_used(name: str, counts: Counts) -> None:
    """Raise UserError where a layout was asked for that no record has what it takes for."""
    for reason, number in counts.unused.items():
        if reason.startswith(f"{name} ") and number == counts.records > 0:
            raise UserError(f"--format {name}: fits none of {number:,} records ({reason})")


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file of a suite but its manifest and what its list of sources tells."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {path.relative_to(folder).as_posix(): path for path in files}
    return {name: _digest(path) for name, path in names.items() if _is_listed(name)}


def _is_listed(name: str) -> bool:
    return name != MANIFEST and name.partition("/")[0] not in (FOLDER, NUMBERED)


def is_made(name: str) -> bool:
    """Whether a listed file is made anew by `write_records`."""
    return name not in (SOURCES, LIST) and name.partition("/")[0] not in GIVEN


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def arrow_version(recipe: Recipe) -> dict[str, str]:
    """The version of what writes Parquet, for another one may write other bytes."""
    if "parquet" not in recipe.formats:
        return {}
    from importlib.metadata import version

    return {"pyarrow": version("pyarrow")}


def _nothing(counts: dict[str, Any]) -> str:
    """Why there is no record, as far as the counts tell."""
    if not counts["methods"]:
        reasons = ", ".join(f"{name} {number}" for name, number in counts["left"].items())
        return f"no method there ({reasons or 'no source has one'}); name another PATH"
    refused = sum(sum(reasons.values()) for reasons in counts["refusals"].values())
    return (
        f"no variant of {counts['methods']:,} methods ({refused:,} candidates refused); "
        "choose other transformations"
    )
