"""Repeating: the command line that makes one variant of a run again, and asks about it."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from metamorph.models.options import Options

PATH, TRANSFORM, PLACE = "{path}", "{transform}", "{place}"
"""Stand for what an outcome has of its own."""

_SETTINGS = {"check": "syntax", "handler": "rethrow", "classpath": "", "repeat": 1}
_FLAGS = {"extra": "--model-arg", "headers": "--header"}


def words(manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of the command; values of headers are not kept, so that they are left open."""
    settings = manifest["settings"]
    head = ("metamorph", "run", PATH, "--model", settings["model"])
    plan = ("--transform", TRANSFORM, "--place", PLACE, "--seed", str(settings["seed"]))
    others = (
        word
        for name, default in _SETTINGS.items()
        if settings.get(name, default) != default
        for word in (f"--{name}", str(settings[name]))
    )
    return (*head, *plan, *others, *_options(manifest))


def _options(manifest: Mapping[str, Any]) -> Iterator[str]:
    """The model's options that are not the default ones."""
    defaults = asdict(Options())
    said = _split(manifest.get("command", ""))
    for name, value in manifest.get("options", {}).items():
        flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
        if name in ("prompt", "template"):
            value = _value(said, flag) if value else ""
        if name == "extra":
            for key, argument in value.items():
                yield from (flag, f"{key}={json.dumps(argument)}")
        elif name == "headers":
            for header in value:
                yield from (flag, f"{header}=...")
        elif name in defaults and value != defaults[name]:
            yield from (flag, str(value))


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _value(said: Sequence[str], flag: str) -> str:
    """The value of a flag as the user gave it: manifests hold only what is in the file."""
    for at, word in enumerate(said):
        if word.startswith(f"{flag}="):
            return word.removeprefix(f"{flag}=")
        if word == flag and at + 1 < len(said):
            return said[at + 1]
    return "FILE"


def source_of(path: str, roots: Sequence[str]) -> str:
    """What to name for that source: the file itself, or the archive, list or suite it is in."""
    if path.endswith(".java") and "!/" not in path:
        return path
    for root in roots:
        if path.startswith((f"{root}!/", f"{root}:")):
            return root
    return roots[0] if len(roots) == 1 else path
