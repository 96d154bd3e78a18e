"""What a manifest must look like to be read: other programs, and people, write into them too."""

import math
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from metamorph.errors import UserError
from metamorph.tasks import load as load_task

Check = Callable[[object], bool]
Shape = Mapping[str, "Check | Shape"]


def fault(manifest: Mapping[str, Any]) -> str:
    """The first value that is missing or of another kind, as `settings.seed`, or ""."""
    shape = dict(_SHAPE)
    if manifest.get("train_corpus") is not None:
        shape["train_corpus"] = _CORPUS
    return next(_faults(manifest, shape), "") or _unknown_task(manifest["options"])


def _unknown_task(options: Mapping[str, Any]) -> str:
    try:
        load_task(options["task"], options["equality"])
    except (ValueError, UserError):
        return "options.task"
    return ""


def _faults(told: object, shape: Shape, above: str = "") -> Iterator[str]:
    if not isinstance(told, Mapping):
        yield above.rstrip(".")
        return
    for name, wanted in shape.items():
        if name not in told:
            yield above + name
        elif isinstance(wanted, Mapping):
            yield from _faults(told[name], wanted, f"{above}{name}.")
        elif not wanted(told[name]):
            yield above + name


def _text(value: object) -> bool:
    return isinstance(value, str)


def _plain(value: object) -> bool:
    """Text that can be written: paths alone may hold bytes that are none."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63


def _count(value: object) -> bool:
    return _whole(value) and isinstance(value, int) and value >= 0


def _number(value: object) -> bool:
    return _whole(value) or (isinstance(value, float) and math.isfinite(value))


def _moment(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _any(value: object) -> bool:
    return True


def _or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _all(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _named(check: Check) -> Check:
    return lambda value: (
        isinstance(value, dict) and all(map(_plain, value)) and all(map(check, value.values()))
    )


def _pairs(value: object) -> bool:
    return _all(lambda pair: _all(_plain)(pair) and len(pair) == 2)(value)  # type: ignore[arg-type]


def _model(value: object) -> bool:
    return _named(_text)(value) and isinstance(value, dict) and "name" in value


_SETTINGS: Shape = {
    "paths": _all(_text),
    "model": _text,
    "plan": _pairs,
    "place": _plain,
    "seed": _whole,
    "limit": _or_none(_count),
    "check": _plain,
    "repeat": _count,
    "classpath": _text,
    "handler": _plain,
    "time_limit": _number,
    "memory_limit": _count,
    "train_corpus": _all(_text),
}
_OPTIONS: Shape = {
    "task": _plain,
    "equality": _plain,
    "comments": _plain,
    "beam": _count,
    "base_url": _plain,
    "headers": _all(_plain),
    "timeout": _number,
    "retries": _count,
    "max_connections": _count,
    "max_tokens": _count,
    "temperature": _number,
    "sampling_seed": _whole,
    "prompt": _plain,
    "template": _plain,
    "device": _plain,
    "batch": _count,
    "extra": _named(_any),
}
_CORPUS: Shape = {"files": _count, "bytes": _count, "fingerprint": _plain, "labelled": _count}
_SHAPE: Shape = {
    "schema": _whole,
    "id": _plain,
    "complete": _flag,
    "command": _text,
    "started": _moment,
    "ended": _or_none(_moment),
    "versions": _named(_plain),
    "plugins": _named(_plain),
    "settings": _SETTINGS,
    "options": _OPTIONS,
    "model": _model,
    "corpus": _CORPUS,
    "notes": _all(_text),
    "counts": _any,
    "prices": {"tokens_in": _or_none(_number), "tokens_out": _or_none(_number)},
}
