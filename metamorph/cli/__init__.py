"""The command line: one module a command, each with SUMMARY, `add_arguments` and `run`.

A module of this folder is a command of its name; what is heavy it imports inside `run`, so that
help is quick.
"""

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import NoReturn

from metamorph.cli._addresses import at_hand
from metamorph.cli._endings import flush_or_hush, hush, leave, open_streams, orderly
from metamorph.cli._telling import say
from metamorph.errors import UserError
from metamorph.garbage import collect_seldom
from metamorph.version import VERSION

DONE, GATE_FAILED, USAGE, INCOMPLETE, INTERRUPTED = 0, 1, 2, 3, 130
"""Exit codes."""

_ORDER = ("run", "report", "compare", "shrink", "transforms", "models", "contexts")


class _Parser(argparse.ArgumentParser):
    """A parser that leaves the telling of faults to `main`."""

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message}; see {self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code. A user's fault is one line on stderr."""
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    collect_seldom()
    open_streams()
    code = _code(argv)
    # Not where a test has called it, which goes on.
    return leave(code) if code == INTERRUPTED and argv is None else code


def _code(argv: Sequence[str] | None) -> int:
    """The exit code of a command, whose end is told."""
    try:
        with orderly():
            return _run(argv)
    except UserError as error:
        return _fault(str(error))
    except BrokenPipeError:
        hush(sys.stdout)
        return DONE
    except OSError as error:
        flush_or_hush(sys.stdout)
        return _fault(f"{error.filename or 'output'}: {error.strerror or error}")
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    arguments.argv = list(sys.argv[1:] if argv is None else argv)
    with at_hand(arguments):
        code: int = arguments.run(arguments)
    sys.stdout.flush()
    return code


def _fault(told: str) -> int:
    from metamorph.corpus.addresses import without_secrets

    say(f"error: {without_secrets(told)}")
    return USAGE


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="metamorph",
        description="Metamorphic testing of models of Java code.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"metamorph {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name in _names():
        module = importlib.import_module(f"metamorph.cli.{name}")
        command = commands.add_parser(
            name, help=module.SUMMARY, description=module.SUMMARY, allow_abbrev=False
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def _names() -> list[str]:
    """The commands, the main ones first."""
    found = {module.name for module in pkgutil.iter_modules(__path__) if module.name[0] != "_"}
    rank = {name: number for number, name in enumerate(_ORDER)}
    return sorted(found, key=lambda name: (rank.get(name, len(rank)), name))
