"""Writing a suite: its sources, then its programs, and at last that it is whole."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from metamorph.corpus import read_sources, survey
from metamorph.corpus.suites import SOURCES, listed_sources
from metamorph.durable import whole_folder
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
    with whole_folder(out, settings.paths) as draft:
        manifest = manifests.new(settings, settings.paths, command, notes)
        return _written(settings, draft, manifest, advance)


def _written(
    settings: Settings, out: Path, manifest: manifests.Manifest, advance: Callable[[Counts], None]
) -> manifests.Manifest:
    copy_sources(read_sources(settings.paths), settings.paths, out, settings.limit)
    if not (out / SOURCES).stat().st_size:
        raise UserError(f"{', '.join(settings.paths)}: no Java there; name another PATH")
    facts = write_programs(out, replace(settings, paths=(str(out),)), advance)
    manifest = manifests.complete(manifest, survey(listed_sources(str(out))), facts)
    runs.write(out, manifest)
    return manifest
