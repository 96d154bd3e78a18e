"""The parameters that a server understands, learnt from its refusals."""

import json
import re
import threading
from collections.abc import Mapping

_REFUSAL = re.compile(
    r"not support|unsupported|unexpected|unrecogni[sz]ed|unknown|extra|not permitted|not allowed"
    r"|only the default|deprecated|instead|invalid param|not recogni[sz]ed|removed",
    re.I,
)
_RENAMED = {"max_tokens": "max_completion_tokens"}


class Dialect:
    """Sampling parameters; one that the server refuses is renamed or left out, once and for all.

    All threads that ask the server share one.
    """

    def __init__(self, parameters: Mapping[str, object]) -> None:
        self._lock = threading.Lock()
        self._parameters = dict(parameters)
        self._changes: list[str] = []

    def parameters(self) -> dict[str, object]:
        """The parameters as they are sent now."""
        with self._lock:
            return dict(self._parameters)

    def changes(self) -> tuple[str, ...]:
        """What was learnt, a few words each, in the order of names."""
        with self._lock:
            return tuple(sorted(self._changes))

    def learn(self, sent: Mapping[str, object], message: str) -> bool:
        """Whether to send again: the refusal names a parameter, or was met by others before."""
        with self._lock:
            if sent != self._parameters:
                return True
            name = _named(sent, message)
            if not name:
                return False
            value = self._parameters.pop(name)
            other = _RENAMED.get(name)
            if other:
                self._parameters[other] = value
                self._changes.append(f"{name} sent as {other}")
            else:
                self._changes.append(f"{name} left out")
            return True


def _named(sent: Mapping[str, object], message: str) -> str:
    """The parameter that a refusal is about: the one told apart, or the first one it names."""
    if not _REFUSAL.search(message):
        return ""
    try:
        told = json.loads(message)["error"]["param"]
    except (ValueError, KeyError, TypeError, RecursionError):
        told = None
    if isinstance(told, str) and told in sent:
        return told
    places = {name: re.search(rf"(?<!\w){name}(?!\w)", message) for name in sent}
    found = [(place.start(), name) for name, place in places.items() if place]
    return min(found)[1] if found else ""
