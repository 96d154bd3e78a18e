"""Writing a suite: its sources, then its programs, and at last that it is whole."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from metamorph.corpus import read_sources, survey
from metamorph.corpus.suites import SOURCES, listed_sources
from metamorph.errors import UserError
from metamorph.runs import manifest as runs
from metamorph.runs.settings import Settings
from metamorph.suites import manifest as manifests
from metamorph.suites.copies import copy_sources
from metamorph.suites.programs import Counts, write_programs


def export(
    settings: Settings,
    out: Path,
    command: str,
    notes: Sequence[str],
    advance: Callable[[Counts], None],
) -> manifests.Manifest:
    """Write the programs of a run as a suite into a new or empty folder; its manifest.

    Nothing is held in memory. Raises UserError where the folder or the corpus does not do.
    """
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        raise UserError(f"{out}: not empty; give a new --out")
    manifest = manifests.new(settings, settings.paths, command, notes)
    runs.write(out, manifest)
    sources = (source for source in read_sources(settings.paths))
    copy_sources(sources, settings.paths, out, settings.limit)
    if not (out / SOURCES).stat().st_size:
        raise UserError(f"{', '.join(settings.paths)}: no Java there; name another PATH")
    facts = write_programs(out, replace(settings, paths=(str(out),)), advance)
    manifest = manifests.complete(manifest, survey(listed_sources(str(out))), facts)
    runs.write(out, manifest)
    return manifest
