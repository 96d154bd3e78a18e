"""HTTP as it must be spoken with servers that nobody vouches for: in time, and with no one else.

Libraries bound the wait for each piece of an answer. A server that sends a byte now and then, or
tells for ever that the client shall continue, would keep its client for ever. Nor do they tell a
server that fails from one that has closed a connection while nobody spoke, as it may.
"""

import http.client
import io
import socket
import time
from typing import Any

import requests
import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection


class _Timed(io.RawIOBase):
    """What a socket receives until its time is over; then TimeoutError."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, seconds: float) -> None:
        self._raw = raw
        self._sock = sock
        self._until = time.monotonic() + seconds

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """The next piece, as soon as there is one."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        """Let the socket go."""
        self._raw.close()
        super().close()


class _Answer(http.client.HTTPResponse):
    """An answer that has the time of the socket for all of it: head, body and what comes before."""

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        seconds = sock.gettimeout()
        if seconds is not None:
            self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock, seconds))


class StaleError(ConnectionError):
    """The server had closed a connection that was kept from an earlier answer."""


class _Http(HTTPConnection):
    """A connection that knows whether it has brought an answer before."""

    response_class = _Answer
    _has_answered = False

    def connect(self) -> None:
        """As in the library."""
        self._has_answered = False
        super().connect()

    def getresponse(self) -> urllib3.HTTPResponse:  # type: ignore[override]
        """As in the library; raises StaleError."""
        try:
            response: urllib3.HTTPResponse = super().getresponse()
        except ConnectionError as error:
            if self._has_answered:
                raise StaleError from error
            raise
        self._has_answered = True
        return response


class _Https(_Http, HTTPSConnection):
    pass


class _HttpPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Http


class _HttpsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _Https


_POOLS = {"http": _HttpPool, "https": _HttpsPool}


class Adapter(requests.adapters.HTTPAdapter):
    """Connections whose timeout is that of a whole answer, through proxies too."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """As in the library, with our connections."""
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *args: Any, **options: Any) -> Any:
        """As in the library, with our connections."""
        manager = super().proxy_manager_for(*args, **options)
        manager.pool_classes_by_scheme = _POOLS
        return manager


class Session(requests.Session):
    """A session to which no answer is a redirect.

    The library would look where one leads, though it is not followed, and read its body to the end.
    """

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Nowhere."""
        return None
