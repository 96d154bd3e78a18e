"""`metamorph models serve`: a model as a web service."""

import argparse
import socket
import sys
from typing import TYPE_CHECKING

from metamorph.cli import INTERRUPTED
from metamorph.cli._model_options import MODEL_HELP, add_arguments, model_of, options_of
from metamorph.errors import UserError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from uvicorn import Config

    from metamorph.models.protocol import Model

_LAST_ANSWERS = 10
_PACKAGES = ("h11", "starlette", "uvicorn")


def add_serve(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The sub-command and its arguments."""
    parser = actions.add_parser("serve", help="let http:URL ask a model, from anywhere")
    parser.add_argument("--model", metavar="M", required=True, help=MODEL_HELP)
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="where to listen; other machines reach 0.0.0.0, without any password "
        "(default: 127.0.0.1)",
    )
    parser.add_argument(
        "--port", type=_port, default=8000, help="0 takes one that is free (default: 8000)"
    )
    add_arguments(parser)


def run_serve(args: argparse.Namespace) -> int:
    """Answer until interrupted; the address is told once requests are taken."""
    try:
        import uvicorn

        from metamorph.models.serving import Service
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise UserError(
            f"serving needs {error.name}, which is not installed; "
            "pip install 'metamorph-java[serve]'"
        ) from None
    options = options_of(args)
    model = model_of(args.model, options)
    application = Service(model, options.task).application()
    with _listening(args.host, args.port) as listener:
        server = uvicorn.Server(configured(application))
        _tell(model, listener)
        server.run(sockets=[listener])
    # Only a signal ends the server, whether it is raised again here or lost with its event loop.
    return INTERRUPTED


def configured(application: "Starlette") -> "Config":
    """How the application is served: for clients of all sorts, and in few words."""
    from uvicorn import Config

    from metamorph.models.bounded_clients import BoundedProtocol

    return Config(
        application,
        http=BoundedProtocol,
        ws="none",
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=_LAST_ANSWERS,
    )


def _tell(model: "Model", listener: socket.socket) -> None:
    """From now on connections are taken, if only into the queue."""
    host, port = listener.getsockname()[:2]
    host = f"[{host}]" if ":" in host else host
    print(f"{model.name} answers at http://{host}:{port}/predict", flush=True)
    print("metamorph: press Ctrl-C to stop", file=sys.stderr)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except (OSError, UnicodeError, OverflowError) as error:
        fault = getattr(error, "strerror", None) or error
        raise UserError(f"{host}:{port}: cannot listen ({fault}); choose another --port") from None


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, 0 to 65535")
    return int(text)
