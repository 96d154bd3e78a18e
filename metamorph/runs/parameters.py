"""What of a model's options is kept: for the manifest, and for the key of a cached answer."""

import hashlib
from dataclasses import asdict
from pathlib import Path

from metamorph.errors import UserError
from metamorph.models.options import Options

CARRIED = frozenset({"timeout", "retries", "max_connections"})
"""Options that tell how an answer is fetched, and not what it is."""

_SECRET = ("auth", "cookie", "key", "secret", "token")


def recorded(options: Options) -> dict[str, object]:
    """The options as a manifest holds them: headers by name alone, files by what is in them."""
    return asdict(options) | {
        "headers": sorted(name.lower() for name in options.headers),
        "prompt": _digest(options.prompt),
        "template": _digest(options.template),
    }


def answering(options: Options) -> dict[str, object]:
    """The options on which an answer depends.

    Headers that carry credentials are none of them: a new key asks no new question.
    """
    kept = {name: value for name, value in recorded(options).items() if name not in CARRIED}
    del kept["equality"]
    headers = {name.lower(): value for name, value in options.headers.items()}
    kept["headers"] = [
        [name, headers[name]]
        for name in sorted(headers)
        if not any(part in name for part in _SECRET)
    ]
    return kept


def _digest(file: str) -> str:
    if not file:
        return ""
    try:
        return f"sha256 {hashlib.sha256(Path(file).read_bytes()).hexdigest()}"
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror})") from error
