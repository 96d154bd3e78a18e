"""The options of models, the same in every command that asks one."""

import argparse
import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.models.options import Options
    from metamorph.models.protocol import Model

MODEL_HELP = (
    "a model's name (code2vec, code2seq, nlm), with a checkpoint (code2vec:FILE), or an adapter "
    "(python:MODULE:CALLABLE); see metamorph models list"
)

_TEMPERATURE = "of a model that samples its answers (default: 0)"
_SAMPLING_SEED = "seed of a model that samples its answers (default: 0)"
_DEFAULT = "method-name"
_TASKS = {"code2seq": _DEFAULT, "code2vec": _DEFAULT, "nlm": "surprise"}
"""The one task of models that have but one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Three groups: what is asked, how the model answers, and how its server is reached."""
    add_task(parser.add_argument_group("task"))
    parser.set_defaults(task="")
    _add_model(parser.add_argument_group("the model's own options"))
    _add_server(parser.add_argument_group("models behind a server or a command"))


def add_task(group: argparse._ArgumentGroup) -> None:
    """What is asked."""
    group.add_argument(
        "--task",
        metavar="TASK",
        default=_DEFAULT,
        help="what the model is asked for: method-name, label, number, surprise or text "
        "(default: method-name; of nlm surprise)",
    )
    group.add_argument(
        "--equality",
        metavar="RULE",
        default="",
        help="when two answers are the same: exact, ignore-case, f1:SHARE, similarity:SHARE or "
        "within:DISTANCE (default: the task's own)",
    )


def _add_model(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--prompt", metavar="FILE", default="", help="replaces the task's prompt")
    add("--max-tokens", metavar="N", type=positive, default=64, help="longest answer (default: 64)")
    add("--temperature", metavar="T", type=not_negative, default=0.0, help=_TEMPERATURE)
    add("--sampling-seed", metavar="N", type=_count, default=0, help=_SAMPLING_SEED)
    add(
        "--model-arg",
        metavar="K=V",
        type=_argument,
        action="append",
        default=[],
        help="a further parameter, passed on to the model; may be given again",
    )
    add("--device", metavar="D", default="cpu", help="where a torch model runs (default: cpu)")
    add("--batch", metavar="N", type=positive, default=16, help="examples at once (default: 16)")
    add("--beam", metavar="N", type=_count, default=0, help="width of the beam; 0: greedy")
    add(
        "--comments",
        choices=("strip", "official"),
        default="strip",
        help="what official checkpoints see of comments (default: strip)",
    )


def _add_server(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--base-url", metavar="URL", type=_url, help="the server of an openai: model")
    add("--template", metavar="FILE", default="", help="requests and answers of a foreign server")
    add(
        "--header",
        metavar="K=V",
        type=header,
        action="append",
        default=[],
        help="sent with every request, stored nowhere; may be given again",
    )
    add(
        "--timeout",
        metavar="S",
        type=_seconds,
        default=60.0,
        help="seconds that an answer may take (default: 60)",
    )
    add("--retries", metavar="N", type=_count, default=5, help="of a failed request (default: 5)")
    add(
        "--max-connections",
        metavar="N",
        type=positive,
        default=8,
        help="requests under way at once (default: 8)",
    )


def options_of(args: argparse.Namespace) -> "Options":
    """The options that the user gave; raises UserError."""
    from metamorph.models.options import Options
    from metamorph.tasks import load as load_task

    options = Options(
        task=task_of(args),
        equality=args.equality,
        comments=args.comments,
        beam=args.beam,
        base_url=args.base_url or "",
        headers=dict(args.header),
        timeout=args.timeout,
        retries=args.retries,
        max_connections=args.max_connections,
        max_tokens=args.max_tokens,
        temperature=args.temperature,
        sampling_seed=args.sampling_seed,
        prompt=args.prompt,
        template=args.template,
        device=args.device,
        batch=args.batch,
        extra=dict(args.model_arg),
    )
    try:
        load_task(options.task, options.equality)
    except ValueError as error:
        raise UserError(str(error)) from error
    return options


def task_of(args: argparse.Namespace) -> str:
    """The task that the user named, or else the one that the model has."""
    return args.task or _TASKS.get(args.model.partition(":")[0], _DEFAULT)


def model_of(name: str, options: "Options") -> "Model":
    """The model of that name; raises UserError."""
    from metamorph.models import load

    kind = name.partition(":")[0]
    if options.task != _TASKS.get(kind, options.task):
        raise UserError(
            f"--task {options.task}: {kind} knows --task {_TASKS[kind]} alone; give another --model"
        )
    try:
        return load(name, options)
    except ValueError as error:
        raise UserError(str(error)) from error


def without_secrets(words: list[str]) -> list[str]:
    """A command line as it may be stored: without headers' values and secrets of addresses."""
    from metamorph.corpus.addresses import without_secrets as without_theirs

    kept: list[str] = []
    for word in words:
        if kept and kept[-1] == "--header":
            word = f"{word.partition('=')[0]}=..."
        elif word.startswith("--header="):
            word = f"--header={word.removeprefix('--header=').partition('=')[0]}=..."
        kept.append(without_theirs(word))
    return kept


def positive(text: str) -> int:
    """A number from 1 up."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 up")
    return int(text)


def not_negative(text: str) -> float:
    """A decimal number from 0 up."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return number


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return int(text)


def _seconds(text: str) -> float:
    seconds = not_negative(text)
    if not seconds:
        raise argparse.ArgumentTypeError("no time at all: give seconds above 0")
    return seconds


def header(text: str) -> tuple[str, str]:
    """The fault is told without the text: it may be a secret."""
    name, equals, value = text.partition("=")
    if not (name.strip() and equals):
        raise argparse.ArgumentTypeError("not of the form NAME=VALUE")
    if "\n" in text or "\r" in text:
        raise argparse.ArgumentTypeError("a header is one line")
    return name.strip(), value.strip()


def _argument(text: str) -> tuple[str, object]:
    """The value is read as JSON where it is that, else taken as text."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise argparse.ArgumentTypeError(f"{text!r} is not an http or https address")
    if parts.username or parts.password:
        raise argparse.ArgumentTypeError("credentials in an address; give them by --header")
    return text
