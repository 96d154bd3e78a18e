"""Where a checkpoint's files are: a user names its folder, its prefix or one of its files."""

import re
from glob import escape
from pathlib import Path

from safetensors import SafetensorError

from metamorph.errors import UserError
from metamorph.models.tensor_bundle import index_of
from metamorph.models.weights import read_facts

FORMAT = "official"
"""What the facts of an imported checkpoint tell of its format."""

_PART = re.compile(r"\.(?:index|meta|dict|data-\d{5}-of-\d{5})$")
_LATEST = re.compile(r'^model_checkpoint_path:\s*"([^"]*)"', re.MULTILINE)


def is_official(rest: str) -> bool:
    """Whether a user's words mean an official checkpoint, as released or as imported."""
    path = Path(rest)
    if not path.is_file():
        return is_checkpoint(rest)
    try:
        return read_facts(path).get("format") == FORMAT
    except (SafetensorError, OSError, ValueError):
        return is_checkpoint(rest)


def is_checkpoint(rest: str) -> bool:
    """Whether a user's words mean a checkpoint of TensorFlow, be it whole or not."""
    path = _prefix(rest)
    shards = path.parent.glob(f"{escape(path.name)}.data-*")
    return path.is_dir() or index_of(path).is_file() or next(shards, None) is not None


def find_checkpoint(rest: str) -> Path:
    """The prefix of the checkpoint's files.

    Of several in a folder, that which the folder's `checkpoint` file names; UserError where
    there is none or no telling which.
    """
    prefix = _prefix(rest)
    if not prefix.is_dir() or index_of(prefix).is_file():
        return prefix
    found = sorted(path.with_suffix("") for path in prefix.glob("*.index"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(f"{prefix}: no checkpoint in this folder (a file *.index)")
    latest = _latest(prefix)
    if latest not in found:
        names = ", ".join(path.name for path in found)
        raise UserError(f"{prefix}: several checkpoints; name one of {names}")
    return latest


def _prefix(rest: str) -> Path:
    return Path(_PART.sub("", rest))


def _latest(folder: Path) -> Path | None:
    """What the `checkpoint` file names; the folder may have been moved since."""
    try:
        told = _LATEST.search((folder / "checkpoint").read_text("utf-8", "replace"))
    except OSError:
        return None
    return folder / Path(told[1]).name if told else None
