"""The manifest of a suite: what its programs were made of and how, to make them again."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from metamorph.corpus import Survey
from metamorph.corpus.addresses import shown
from metamorph.corpus.suites import KIND, MANIFEST
from metamorph.errors import UserError
from metamorph.models.options import Options
from metamorph.runs import manifest as runs
from metamorph.runs.settings import Settings

PROGRAMS = "programs.jsonl"

RECORDS = "records"
"""The form of suites that `build` makes; those of `export` tell none."""

Manifest = dict[str, Any]

_PACKAGES = ("metamorph", "tree-sitter-java-orchard")
_KEPT = ("plan", "place", "seed", "limit", "check", "repeat", "classpath", "handler")


def new(settings: Settings, paths: Sequence[str], command: str, notes: Sequence[str]) -> Manifest:
    """The manifest of a suite that is being written.

    paths: where its sources come from, as the user named them.
    """
    whole = asdict(settings)
    options = settings.options
    return {
        "kind": KIND,
        "schema": 1,
        "complete": False,
        "command": command,
        "written": runs.now(),
        "versions": runs.versions(),
        "plugins": runs.plugins(settings),
        "paths": [shown(path) for path in paths],
        "settings": {name: whole[name] for name in _KEPT}
        | {"task": options.task, "equality": options.equality},
        "notes": list(notes),
    }


def complete(manifest: Manifest, survey: Survey, facts: Manifest) -> Manifest:
    """The manifest of a suite that is whole."""
    return manifest | {"complete": True, "corpus": asdict(survey)} | facts


def read(folder: Path, form: str = "") -> Manifest:
    """The manifest of a whole suite of that form; raises UserError."""
    place = folder / MANIFEST
    try:
        manifest = json.loads(place.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{folder}: no suite is there; give the folder of a suite") from error
    except ValueError as error:
        raise UserError(f"{place}: not a manifest ({error}); get the suite anew") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
        raise UserError(f"{folder}: not a suite; give the folder of one")
    if manifest.get("schema") != 1:
        raise UserError(f"{folder}: a suite of another version of metamorph; write it again")
    if not manifest.get("complete"):
        raise UserError(f"{folder}: this suite was not written to its end; write it again")
    if manifest.get("form", "") != form:
        fault = "has records" if form != RECORDS else "is an export and has none"
        way = "verify it, or export its sources" if form != RECORDS else "build one"
        raise UserError(f"{folder}: this suite {fault}; {way}")
    return manifest


def settings_of(manifest: Manifest, folder: Path, model: str, equality: str) -> Settings:
    """The settings of the same run over the suite's own sources.

    equality: another than the suite's, or "".
    """
    kept = dict(manifest["settings"])
    task, own = kept.pop("task"), kept.pop("equality")
    plan = tuple((transform, place) for transform, place in kept.pop("plan"))
    options = Options(task=task, equality=equality or own)
    return Settings(paths=(str(folder),), model=model, plan=plan, options=options, **kept)


def other_versions(manifest: Manifest, settings: Settings) -> str:
    """In words, what is of another version than when the suite was written, or ""."""
    was = {name: manifest["versions"].get(name) for name in _PACKAGES} | manifest["plugins"]
    now = {name: runs.versions()[name] for name in _PACKAGES} | runs.plugins(settings)
    names = [name for name in was | now if was.get(name) != now.get(name)]
    return ", ".join(f"{name} was {was.get(name)}, is {now.get(name)}" for name in names)
