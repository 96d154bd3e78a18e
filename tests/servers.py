"""Local servers that answer as a test tells them to, and examples to ask them about."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from metamorph.cli._serve import configured
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models.protocol import Example, Model

JAVA = b"class A {\n  int size() { return n; }\n  int add(int a) { return a + n; }\n}\n"


@dataclass
class Request:
    """What came in."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: object


@dataclass
class Answer:
    """What goes out; promised: the length that is told, where it is not the true one."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    promised: int | None = None


def told(value: object, status: int = 200, **headers: str) -> Answer:
    """An answer in JSON; `Retry_After` is the header Retry-After."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(json.dumps(value).encode(), status, names)


class Server:
    """A server under way: its address, and the requests that it got, in their order."""

    def __init__(self, answer: Callable[[Request], Answer | None]) -> None:
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                data = self.rfile.read(size)
                request = Request(
                    self.command, self.path, dict(self.headers), json.loads(data or b"null")
                )
                with server._lock:
                    server.requests.append(request)
                self.reply(answer(request))

            def reply(self, answer: Answer | None) -> None:
                self.close_connection = True
                if answer is None:
                    return
                self.send_response(answer.status)
                promised = len(answer.body) if answer.promised is None else answer.promised
                for name, value in {"Content-Length": str(promised), **answer.headers}.items():
                    self.send_header(name, value)
                # Else the client may send its next request where nobody listens any more.
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = do_PUT = handle_any

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def asked(self) -> list[Request]:
        """The requests that put a question."""
        return [request for request in self.requests if request.method != "GET"]

    def start(self) -> None:
        """Serve in a thread."""
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """Serve no more."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serving(answer: Callable[[Request], Answer | None]) -> Iterator[Server]:
    """A server for the time of a block; where `answer` gives None it hangs up."""
    server = Server(answer)
    server.start()
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def service(model: Model) -> Iterator[tuple[str, Any]]:
    """A model served as `models serve` does, in a thread; its address and uvicorn's server."""
    import uvicorn

    from metamorph.models.serving import Service

    application = Service(model, "method-name").application()
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        server = uvicorn.Server(configured(application))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/predict", server
        finally:
            server.should_exit = True
            thread.join(20)


def examples(data: bytes = JAVA) -> list[Example]:
    """An example a method, its id being the method's name."""
    tree = parse(data)
    return [Example(m.name, tree, m.node) for m in methods(SourceFile("A.java", data), tree)]


def java(count: int) -> bytes:
    """So many methods."""
    return b"".join(b"int m%d() { return 1; }\n" % number for number in range(count))
