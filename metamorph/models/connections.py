"""Connections to a model's server: JSON there and back, with patience and within bounds."""

import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.cookiejar import DefaultCookiePolicy
from itertools import chain
from queue import Empty, SimpleQueue
from typing import Literal, TypeVar
from urllib.parse import urljoin

import requests
import urllib3

from metamorph.errors import UserError
from metamorph.models.bounded_answers import Adapter, Session, StaleError
from metamorph.models.options import Options
from metamorph.models.patience import LONGEST_WISH, Gate, pause, wished_pause
from metamorph.version import VERSION

About = Literal["server", "request", "unclear"]

LARGEST_ANSWER = 32_000_000
"""Bytes of an answer; what is longer is refused."""

_MANY = 1_000_000
_CONNECT = 10.0
_MOMENT = 2.0
_PIECE = 65_536
_KEPT = 4_000
_DEEPEST = 100
_MOST_VALUES = 500_000
_BUSY = (408, 425, 429)
_ABOUT: Mapping[int, About] = {
    **dict.fromkeys((400, 413, 422), "request"),
    **dict.fromkeys((401, 403, 404, 405, 429, 502, 503, 504), "server"),
}
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SECRET = re.compile(r"auth|key|token|secret|cookie|password|credential", re.I)
_LEAST_SECRET = 6
_VISIBLE = re.compile(r"[\t\x20-\x7e]*")

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why no answer came.

    error: a short name, the same for all of its kind; message: the server's own words; tries: how
    many times more the request may be sent, at most; wish: the wait that the server asks for;
    about: whether others will fail as well, because it is the server's state, or need not.
    """

    error: str
    message: str = ""
    tries: int = 0
    wish: float | None = None
    about: About = "unclear"


_DISCONNECTED = Failure("disconnected", tries=_MANY)
_TOO_DEEP = Failure("too-deep", about="request")


@dataclass(frozen=True, slots=True)
class Reply:
    """What the server answered, read as JSON."""

    body: object


class Connection:
    """One address that JSON is sent to.

    Redirects are not followed: the headers, secrets among them, go where the user said and
    nowhere else. Cookies and the passwords of a .netrc file are left out.
    """

    def __init__(
        self, url: str, headers: Mapping[str, str], options: Options, method: str = "POST"
    ) -> None:
        self.url = checked_url(url)
        self._method = method
        self._retries = options.retries
        self._timeout = options.timeout
        self._most = options.max_connections
        self._slots = threading.BoundedSemaphore(self._most)
        self._gate = Gate()
        self._rng = random.Random()
        self._secrets = _secrets(headers)
        self._session = _session(headers, options.max_connections)

    def send(self, body: object, stop: threading.Event | None = None) -> Reply | Failure:
        """The server's answer to a JSON value; what fails for a while is sent again."""
        stop = stop or threading.Event()
        closed = self._gate.closed()
        if closed:
            return Failure(closed)
        data = json.dumps(body, allow_nan=False).encode()
        outcome = self._persist(data, stop)
        if isinstance(outcome, Reply) or outcome.about == "request":
            self._gate.worked()
        else:
            self._gate.failed(outcome.error, sure=outcome.about == "server")
        return outcome

    def look(self, path: str) -> object:
        """What the server says at another path beside this one, in a moment; None if nothing."""
        deadline = time.monotonic() + _MOMENT
        try:
            with self._session.get(
                urljoin(self.url, path), timeout=_MOMENT, allow_redirects=False, stream=True
            ) as response:
                body = _read(response, deadline)
        except (requests.RequestException, urllib3.exceptions.HTTPError):
            return None
        found = None if isinstance(body, Failure) else self._judged(response, body)
        return found.body if isinstance(found, Reply) else None

    def _persist(self, data: bytes, stop: threading.Event) -> Reply | Failure:
        attempt = 0
        while True:
            stop.wait(self._gate.delay())
            if stop.is_set():
                return Failure("interrupted", about="request")
            outcome = self._try_afresh(data)
            if isinstance(outcome, Reply) or attempt >= min(self._retries, outcome.tries):
                return outcome
            if outcome.wish is not None:
                self._gate.hold(outcome.wish)
            stop.wait(pause(attempt, self._rng))
            attempt += 1

    def _try_afresh(self, data: bytes) -> Reply | Failure:
        """Send it once; each kept connection that the server had closed before is let go."""
        for _ in range(self._most + 1):
            outcome = self._try(data)
            if outcome is not None:
                return outcome
        return _DISCONNECTED

    def _try(self, data: bytes) -> Reply | Failure | None:
        """Send it on one connection; None where that was closed already."""
        times = (min(_CONNECT, self._timeout), self._timeout)
        deadline = time.monotonic() + self._timeout
        try:
            with (
                self._slots,
                self._session.request(
                    self._method,
                    self.url,
                    data=data,
                    timeout=times,
                    allow_redirects=False,
                    stream=True,
                ) as response,
            ):
                body = _read(response, deadline)
                return body if isinstance(body, Failure) else self._judged(response, body)
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            return None if _is_stale(error) else _fault(error)

    def _judged(self, response: requests.Response, body: bytes) -> Reply | Failure:
        """What the status and the body say; secrets that a server repeats are left out."""
        status = response.status_code
        text = body.decode("utf-8", "replace")
        for secret in self._secrets:
            text = text.replace(secret, "***")
        if 200 <= status < 300:
            return _parsed(text)
        error, message = f"http-{status}", text[:_KEPT]
        about = _ABOUT.get(status, "unclear")
        if status in _BUSY or status >= 500:
            wish = wished_pause(response.headers.get("Retry-After"))
            spent = "insufficient_quota" in message or (wish or 0) > LONGEST_WISH
            return Failure(error, message, 0 if spent else _MANY, wish, about)
        return Failure(error, message, about=about)


def checked_url(url: str) -> str:
    """The address, if it is one that can be stored and asked; raises UserError."""
    parts = urllib3.util.parse_url(url) if _VISIBLE.fullmatch(url) and " " not in url else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.host:
        raise UserError(f"{url!r}: not an http or https address; give http://HOST:PORT/PATH")
    if parts.auth:
        raise UserError("credentials in an address would be stored; give them by --header")
    return url


def streamed(
    function: Callable[[Item, threading.Event], Result], items: Sequence[Item], threads: int
) -> Iterator[Result]:
    """The results for all items as they come, by so many threads at once.

    The threads end with the process; when the iterator is closed they take no further item.
    """
    stop = threading.Event()
    waiting: SimpleQueue[Item] = SimpleQueue()
    done: SimpleQueue[Result | Exception] = SimpleQueue()
    for item in items:
        waiting.put(item)

    def work() -> None:
        while not stop.is_set():
            try:
                item = waiting.get_nowait()
            except Empty:
                return
            try:
                done.put(function(item, stop))
            except Exception as error:
                done.put(error)

    for _ in range(min(threads, len(items))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for _ in items:
            result = done.get()
            if isinstance(result, Exception):
                raise result
            yield result
    finally:
        stop.set()


def _session(headers: Mapping[str, str], connections: int) -> requests.Session:
    session = Session()
    session.auth = _as_it_is
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    adapter = Adapter(pool_connections=1, pool_maxsize=connections)
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    own = {"Accept": "application/json", "Content-Type": "application/json"}
    own["User-Agent"] = f"metamorph/{VERSION}"
    for name, value in (own | dict(headers)).items():
        if not _TOKEN.fullmatch(name) or not _VISIBLE.fullmatch(value):
            raise UserError(f"header {name!r}: not a header's name, or a value of other than ASCII")
        session.headers[name] = value.strip()
    return session


def _secrets(headers: Mapping[str, str]) -> list[str]:
    """What a server must not make us store: keys and passwords, with and without `Bearer`."""
    values = [value for name, value in headers.items() if _SECRET.search(name)]
    parts = [part for value in values for part in (value.strip(), *value.split())]
    return [part for part in parts if len(part) >= _LEAST_SECRET]


def _as_it_is(request: requests.PreparedRequest) -> requests.PreparedRequest:
    """Stands where requests would look for passwords by itself."""
    return request


def _read(response: requests.Response, deadline: float) -> bytes | Failure:
    """The whole body, unless it is too long or too slow."""
    pieces: list[bytes] = []
    size = 0
    while piece := response.raw.read1(_PIECE, decode_content=True):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST_ANSWER:
            return Failure("answer-too-large", about="request")
        if time.monotonic() > deadline:
            return Failure("timeout", tries=1)
    return b"".join(pieces)


def _parsed(text: str) -> Reply | Failure:
    if text.count(",") > _MOST_VALUES:
        return Failure("answer-too-large", about="request")
    try:
        body: object = json.loads(text)
    except RecursionError:
        return _TOO_DEEP
    except ValueError:
        if text.lstrip().startswith(("{", "[")):
            return Failure("half-body", text[:_KEPT], tries=_MANY)
        return Failure("not-json", text[:_KEPT], tries=1)
    nested = text.count("[") + text.count("{") > _DEEPEST and _is_deep(body)
    return _TOO_DEEP if nested else Reply(body)


def _is_deep(body: object) -> bool:
    """Whether lists and objects lie in each other deeper than one may write or read them."""
    level = [body]
    for _ in range(_DEEPEST):
        lists = [each for each in level if isinstance(each, list)]
        objects = [each.values() for each in level if isinstance(each, dict)]
        level = [*chain.from_iterable(lists), *chain.from_iterable(objects)]
    return any(isinstance(each, list | dict) for each in level)


def _is_stale(error: Exception) -> bool:
    """Whether a connection was used that the server had closed; requests wraps urllib3's fault."""
    cause = error.args[0] if isinstance(error, requests.ConnectionError) and error.args else None
    return isinstance(cause, urllib3.exceptions.ProtocolError) and isinstance(
        cause.args[-1], StaleError
    )


def _fault(error: Exception) -> Failure:
    """What kept the request from being sent, or the answer from coming."""
    if isinstance(error, requests.exceptions.SSLError | urllib3.exceptions.SSLError):
        return Failure("tls-error", str(error)[:_KEPT], about="server")
    if isinstance(error, requests.ConnectTimeout):
        return Failure("unreachable", tries=_MANY, about="server")
    if isinstance(error, requests.Timeout | urllib3.exceptions.TimeoutError):
        return Failure("timeout", tries=1)
    if isinstance(error, requests.ConnectionError):
        refused = bool(error.args) and isinstance(error.args[0], urllib3.exceptions.MaxRetryError)
        if refused:
            return Failure("unreachable", tries=_MANY, about="server")
        return _DISCONNECTED
    if isinstance(error, requests.exceptions.InvalidHeader):
        return Failure("not-json", str(error)[:_KEPT], tries=1)
    if isinstance(error, urllib3.exceptions.HTTPError):
        return Failure("half-body", tries=_MANY)
    return Failure(f"not-sent-{type(error).__name__}")
