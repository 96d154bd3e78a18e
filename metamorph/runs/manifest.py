"""The manifest of a run: what it was, so that it can be told, trusted and gone on with."""

import json
import platform
import uuid
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from metamorph.corpus import Survey
from metamorph.corpus.addresses import shown
from metamorph.durable import write_text
from metamorph.errors import UserError
from metamorph.models import origin as model_origin
from metamorph.oracles.summaries import NO_PRICES
from metamorph.runs.manifest_shape import fault
from metamorph.runs.parameters import CARRIED, recorded
from metamorph.runs.settings import Settings
from metamorph.transforms import origin as transform_origin
from metamorph.version import VERSION

NAME = "manifest.json"

Manifest = dict[str, Any]

_PACKAGES = ("numpy", "tree-sitter", "tree-sitter-java-orchard")

DECISIVE = ("metamorph", "tree-sitter-java-orchard")
"""Those of which one run has one version alone."""


def new(
    settings: Settings, survey: Survey, identity: Mapping[str, str], command: str, notes: list[str]
) -> Manifest:
    """The manifest of a run that begins."""
    kept = asdict(settings) | {"paths": [shown(path) for path in settings.paths]}
    del kept["options"]
    return {
        "schema": 2,
        "id": uuid.uuid4().hex,
        "complete": False,
        "command": command,
        "started": now(),
        "ended": None,
        "versions": versions(),
        "plugins": plugins(settings),
        "settings": json.loads(json.dumps(kept)),
        "options": json.loads(json.dumps(recorded(settings.options))),
        "model": {"name": settings.model, **identity},
        "corpus": asdict(survey),
        "notes": notes,
        "counts": None,
    }


def plugins(settings: Settings) -> dict[str, str]:
    """The distributions, with versions, of all that a run uses and that is not built in."""
    codes = dict.fromkeys(code for code, _ in settings.plan)
    used = {code: transform_origin(code) for code in codes}
    if settings.model:
        used[settings.model.partition(":")[0]] = model_origin(settings.model)
    return {name: origin for name, origin in used.items() if origin}


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """The versions that results may depend on."""
    found = {"metamorph": VERSION, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def write(folder: Path, manifest: Manifest) -> None:
    """Write it whole or not at all, whatever happens meanwhile."""
    write_text(folder / NAME, f"{json.dumps(manifest, indent=2)}\n")


def read(folder: Path) -> Manifest:
    """The manifest in a run's folder."""
    try:
        manifest = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{folder}: no run is there; give the folder of a metamorph run") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{folder / NAME}: not a manifest ({error}); repeat the run") from error
    if not isinstance(manifest, dict) or "settings" not in manifest:
        raise UserError(f"{folder / NAME}: not the manifest of a metamorph run")
    _complete(manifest)
    if wrong := fault(manifest):
        raise UserError(f"{folder / NAME}: {wrong} is missing, or not what it should be")
    return manifest


def _complete(manifest: Manifest) -> None:
    """Put in what earlier versions did not know, as they had it."""
    manifest.setdefault("prices", asdict(NO_PRICES))
    plain = asdict(Settings((), "", ()))
    for name, given in (("settings", plain), ("options", plain.pop("options"))):
        told = manifest.get(name)
        if isinstance(told, dict):
            rest = {key: value for key, value in given.items() if key not in _OWN}
            manifest[name] = json.loads(json.dumps(rest)) | told


_OWN = frozenset({"headers", "model", "paths", "plan"})
"""What has no value that stands for all runs."""


def difference(old: Manifest, new: Manifest) -> str | None:
    """What keeps the run `old` from going on as `new`, in words, or None."""
    if old["schema"] != new["schema"]:
        return "it was begun by another version of metamorph"
    names = sorted(new["settings"], key=lambda name: name == "plan")
    for name in names:
        before, after = old["settings"].get(name), new["settings"][name]
        if before != after:
            return f"{_flag(name)} was {_said(before)}, now {_said(after)}"
    if found := _other_option(old["options"], new["options"]):
        return found
    if old["model"] != new["model"]:
        return "the model's weights or version changed"
    if old["corpus"] != new["corpus"]:
        return "the corpus changed"
    if old.get("train_corpus") != new.get("train_corpus"):
        return "the training corpus changed"
    if old["plugins"] != new["plugins"]:
        return "a plugin's version changed"
    for package in DECISIVE:
        was, is_now = old["versions"].get(package), new["versions"].get(package)
        if was != is_now:
            return f"{package} was {was}, now {is_now}"
    return None


def _other_option(old: Mapping[str, object], new: Mapping[str, object]) -> str | None:
    """The first option that shapes the answers and is another one."""
    for name, value in new.items():
        if name not in CARRIED and old.get(name) != value:
            return f"{_flag(name)} was {_said(old.get(name))}, now {_said(value)}"
    return None


def _flag(name: str) -> str:
    return _WORDS.get(name, f"--{name.replace('_', '-')}")


_WORDS = {
    "extra": "--model-arg",
    "headers": "--header",
    "paths": "PATH",
    "plan": "--transform",
}


def _said(value: object) -> str:
    if isinstance(value, list):
        said = ",".join(dict.fromkeys(v[0] if isinstance(v, list) else str(v) for v in value))
        return said or "none"
    return str(value) if value != "" else "not given"
