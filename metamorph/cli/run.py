"""`metamorph run`: put methods and their variants to a model and judge the answers."""

import argparse
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli import DONE, INCOMPLETE, INTERRUPTED, _addresses, _gates, _limits
from metamorph.cli import _model_options as model_options
from metamorph.cli._endings import printing
from metamorph.cli._model_options import not_negative, positive
from metamorph.cli._telling import say
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.reports.gates import Gates
    from metamorph.runs.execute import Request

SUMMARY = "put methods and their variants to a model, and judge its answers"

_PLACES = ("single", "all", "random", "both")
_CHECKS = ("none", "syntax", "javac")
_ENGINES = ("processes", "dask")
_OUT = "metamorph-run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("paths", metavar="PATH", nargs="*", help=_PATH_HELP)
    add("--model", metavar="M", required=True, help=model_options.MODEL_HELP)
    add("--transform", metavar="T", required=True, help="transformations, as VN,PS; or all")
    variants = parser.add_argument_group("variants")
    add_variants(variants)
    variants.add_argument(
        "--controls",
        action="store_true",
        help="besides, put each method to the model unchanged (identity) and with other white "
        "space (reformat): what that changes is noise",
    )
    model_options.add_arguments(parser)
    _add_asking(parser.add_argument_group("asking"))
    _add_results(parser.add_argument_group("results"))
    _gates.add_arguments(parser.add_argument_group("gates"))


_PATH_HELP = (
    "a .java file, a folder, a .zip, .jar or .tar.* archive, a .jsonl file or @LIST (default: the "
    "current folder, or the sample corpus where that holds no Java)"
)


def add_variants(group: argparse._ArgumentGroup) -> None:
    """How variants are made, the same in every command that makes programs of them."""
    add = group.add_argument
    add(
        "--place",
        choices=_PLACES,
        default="single",
        help="each site alone, all at once, one by chance, or single and all (default: single)",
    )
    add("--seed", type=int, default=0, help="seed of all choices (default: 0)")
    add("--limit", metavar="N", type=positive, help="the first N methods only")
    add(
        "--check",
        choices=_CHECKS,
        default="syntax",
        help="how variants are checked before the model sees them; javac: each variant's whole "
        "file is compiled, none may have an error that the original has not (default: syntax)",
    )
    add("--classpath", metavar="CP", default="", help="class path of --check javac")
    add_handler(group)
    _limits.add_arguments(group)


def add_handler(group: argparse._ActionsContainer) -> None:
    """How TC handles what it catches."""
    group.add_argument(
        "--handler",
        choices=("rethrow", "print"),
        default="rethrow",
        help="what TC's catch does; print swallows exceptions, as earlier tools did",
    )


def add_workers(group: argparse._ActionsContainer) -> None:
    """How many processes share the work, in every command of which the results are the same."""
    group.add_argument(
        "--workers",
        metavar="N",
        type=positive,
        default=1,
        help="processes at work (default: 1); results do not depend on it",
    )


def _add_asking(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--repeat",
        metavar="K",
        type=positive,
        default=1,
        help="ask each original K times: those whose answers vary make the noise floor",
    )
    add("--no-cache", action="store_true", help="ask anew what was asked in earlier runs")
    add("--dry-run", action="store_true", help="count programs, tokens and cost; ask nothing")
    price = "price of a million tokens that the model {}, in any currency"
    add("--price-in", metavar="P", type=not_negative, help=price.format("reads"))
    add("--price-out", metavar="P", type=not_negative, help=price.format("writes"))
    add_workers(group)
    add(
        "--engine",
        choices=_ENGINES,
        default="processes",
        help="what gives work to the workers: processes of this machine, or Dask, here or on a "
        "cluster (default: processes)",
    )
    add(
        "--scheduler",
        metavar="ADDRESS",
        default="",
        help="Dask's scheduler, as tcp://HOST:8786 or the file of its address; its workers do the "
        "work (default: --workers N of this machine)",
    )


_TRAIN_HELP = (
    "what the model was trained on, a PATH as above; may be given again: changes and right "
    "answers are told apart by whether a method is a near-copy of one there, or in a copied file"
)


def _add_results(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--out",
        metavar="RUN",
        type=_addresses.no_address,
        help=f"folder of the results (default: {_OUT}, then {_OUT}-2, ...)",
    )
    add("--resume", action="store_true", help="go on with the run in --out, or else begin it")
    add(
        "--publish",
        metavar="ADDRESS",
        type=_addresses.publishable,
        help="send the results there when the run ends or is interrupted, as s3://BUCKET/RUN; "
        "with --resume and no run in --out, go on with the one there",
    )
    add("--train-corpus", metavar="TRAIN", action="append", default=[], help=_TRAIN_HELP)


def run(args: argparse.Namespace) -> int:
    """Carry out the run and print its table."""
    request = _request(args)
    gates = _gates.gates_of(args, list(request.settings.plan))
    if args.dry_run:
        return _rehearse(request)
    if args.publish and args.resume and not request.out.exists():
        _bring(args.publish, request.out)
    code = carry_out(request, gates, github=args.github)
    if args.publish:
        _addresses.publish_run(request.out, args.publish)
    return code


def _bring(address: _addresses.Address, out: Path) -> None:
    """Go on with what was published, if it was; what is brought by halves is none."""
    from metamorph.durable import whole_folder

    with whole_folder(out) as draft:
        if _addresses.fetch_run(address, draft):
            say(f"going on with {address}")


def _rehearse(request: "Request") -> int:
    """Count what the run would ask."""
    from metamorph.runs.dry_run import rehearse

    print("\n".join(rehearse(request).lines()))
    return DONE


def carry_out(request: "Request", gates: "Gates | None" = None, *, github: bool = False) -> int:
    """Carry out a run, print its table and tell its exit code."""
    from rich.console import Console

    from metamorph.cli._progress import watch
    from metamorph.reports.gates import Gates, judge
    from metamorph.reports.table import show
    from metamorph.runs.execute import DONE as ENDED
    from metamorph.runs.execute import execute
    from metamorph.runs.folders import StorageError
    from metamorph.runs.processes import WorkersLostError
    from metamorph.runs.summary import summarise

    if request.settings.train_corpus:
        say("first, the corpus is searched for copies of --train-corpus")
    try:
        with watch(request) as observer:
            ended = execute(request, observer)
    except (WorkersLostError, StorageError) as error:
        say(f"error: {error}; what is done is stored: go on with --resume --out {request.out}")
        return INCOMPLETE
    except KeyboardInterrupt:
        say(f"interrupted; go on with --resume --out {request.out}")
        return INTERRUPTED
    summary = summarise(request.out)
    gates = gates or Gates()
    with printing():
        show(summary, Console())
    if github:
        _gates.tell_github(summary, judge(summary, gates))
    if ended != ENDED:
        say(f"interrupted; go on with --resume --out {request.out}")
        return INTERRUPTED
    say(f"results in {request.out}")
    return _gates.exit_code(summary, gates, request.out)


def _request(args: argparse.Namespace) -> "Request":
    from metamorph.oracles.summaries import Prices
    from metamorph.runs.checks import ready
    from metamorph.runs.engines import Crew
    from metamorph.runs.execute import Request
    from metamorph.runs.plans import plan
    from metamorph.runs.settings import Settings

    if args.scheduler and args.engine != "dask":
        raise UserError("--scheduler: is Dask's; add --engine dask")
    pairs, notes = plan(_codes(args), args.place)
    if args.handler == "print" and any(code == "TC" for code, _ in pairs):
        notes.append("TC with --handler print changes the handling of errors")
    for note in notes:
        say(note)
    out = args.out or _default_out(args.resume)
    settings = Settings(
        _paths(args.paths),
        args.model,
        pairs,
        args.place,
        args.seed,
        args.limit,
        args.check,
        args.repeat,
        args.classpath,
        args.handler,
        model_options.options_of(args),
        args.time_limit,
        args.memory_limit,
        tuple(args.train_corpus),
    )
    ready(settings)
    command = shlex.join(["metamorph", *model_options.without_secrets(args.argv)])
    return Request(
        settings,
        model_options.model_of(args.model, settings.options),
        out,
        Crew(args.workers, args.engine, args.scheduler),
        args.resume,
        command,
        tuple(notes),
        cache=not args.no_cache,
        prices=Prices(args.price_in, args.price_out),
    )


def _codes(args: argparse.Namespace) -> list[str]:
    from metamorph.transforms import controls

    return [*codes_of(args.transform), *(controls() if args.controls else ())]


def codes_of(transforms: str) -> list[str]:
    """The codes that the user named; raises UserError."""
    from metamorph.transforms import parse_codes

    try:
        return list(parse_codes(transforms))
    except ValueError as error:
        raise UserError(str(error)) from error


def _paths(paths: list[str]) -> tuple[str, ...]:
    """The paths, or what stands in for them."""
    from metamorph.corpus import read_sources, sample_path
    from metamorph.java.source import SourceFile

    if paths:
        return tuple(paths)
    if any(isinstance(source, SourceFile) for source in read_sources(["."])):
        return (".",)
    say("no PATH, and no Java in the current folder: taking the sample corpus")
    return (str(sample_path()),)


def _default_out(resume: bool) -> Path:
    """The first folder of the series that is not there yet, or to go on the last one that is."""
    taken = {_number(path.name) for path in Path().glob(f"{_OUT}*")}
    last = max(taken, default=0)
    number = max(last, 1) if resume else last + 1
    return Path(_OUT if number == 1 else f"{_OUT}-{number}")


def _number(name: str) -> int:
    match = re.fullmatch(rf"{_OUT}(?:-(\d+))?", name)
    return int(match[1] or 1) if match else 0
