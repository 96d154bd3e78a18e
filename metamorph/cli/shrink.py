"""`metamorph shrink`: the smallest set of edits that still changes a prediction."""

import argparse
import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metamorph.cli import DONE, INCOMPLETE
from metamorph.cli import _model_options as model_options
from metamorph.cli._addresses import out_folder, run_folder
from metamorph.cli._output import deliver
from metamorph.cli._telling import say
from metamorph.durable import write_bytes, write_text
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.models.options import Options
    from metamorph.models.protocol import Model, Prediction
    from metamorph.runs.outcome_ids import Stored
    from metamorph.runs.shrinking import Case, Shrunk

SUMMARY = "find the smallest set of edits that still changes a prediction"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add("folder", metavar="RUN", type=run_folder, help="the run's folder")
    add(
        "outcome",
        metavar="OUTCOME",
        help="FILE:METHOD:VARIANT as reports tell it (3:12:0), a method's name (A.name), that "
        "with a transformation and place (A.name[VN-all]), or FILE.java:LINE",
    )
    add(
        "--transform",
        metavar="T",
        help="apply these to the outcome's method instead, one after the other, as VN,LX,UN",
    )
    add(
        "--out",
        metavar="DIR",
        type=out_folder,
        help="write before.java, after.java and shrink.json",
    )
    add("--no-cache", action="store_true", help="ask anew what was asked in earlier runs")
    add(
        "--max-questions",
        metavar="N",
        type=model_options.positive,
        default=1000,
        help="stop with the smallest set found so far (default: 1000)",
    )
    group = parser.add_argument_group("what a run does not keep of its model's options")
    group.add_argument("--prompt", metavar="FILE", default="", help="as the run had it")
    group.add_argument("--template", metavar="FILE", default="", help="as the run had it")
    group.add_argument(
        "--header", metavar="K=V", type=model_options.header, action="append", default=[]
    )


def run(args: argparse.Namespace) -> int:
    """Shrink, and print the result."""
    from metamorph.runs import manifest as manifests
    from metamorph.runs.outcome_ids import find
    from metamorph.runs.reading import reading
    from metamorph.runs.shrinking import NotRepeatableError, shrink

    manifest = manifests.read(args.folder)
    with reading(args.folder) as connection:
        stored = find(connection, args.outcome, of_method=bool(args.transform))
    if not args.transform and not stored.changed:
        raise UserError(f"{stored}: not a changed prediction, so there is nothing to shrink")
    case = _case(args, stored, manifest)
    if args.out is not None:
        _begin(args.out)
    model = _model(args, manifest)
    try:
        shrunk = shrink(case, model, args.max_questions)
    except NotRepeatableError as error:
        say(f"{stored.id} {stored.title}: cannot be shrunk: {error}")
        return INCOMPLETE
    if shrunk.before.label != stored.before:
        say(f"the run had another answer to the original: {stored.before}")
    command = _command(args, stored)
    deliver((f"{line}\n" for line in _lines(stored, case, shrunk, command)), None)
    if args.out is not None:
        _write(args.out, stored, case, shrunk, command)
    return DONE


def _case(args: argparse.Namespace, stored: "Stored", manifest: Mapping[str, Any]) -> "Case":
    """The method as the run read it, and what is done to it."""
    from metamorph.runs.composing import Step
    from metamorph.runs.shrinking import Case, check_edits, method_of, source_of
    from metamorph.tasks import load as load_task

    settings, options = manifest["settings"], manifest["options"]
    method = method_of(stored, source_of(stored, settings["paths"]))
    steps = (Step(stored.transform, stored.place, stored.sites),)
    if args.transform:
        steps = _steps(args.transform)
    task = load_task(options["task"], options["equality"])
    case = Case(method, steps, settings["seed"], settings["handler"], stored.expected, task)
    if not args.transform:
        check_edits(stored, case)
    return case


def _steps(transforms: str) -> "tuple[Any, ...]":
    """Each transformation at all its sites, or where that is no place of it at one by chance."""
    from metamorph.cli.run import codes_of
    from metamorph.runs.composing import Step
    from metamorph.transforms import load

    return tuple(
        Step(code, "all" if "all" in load(code).PLACES else "random")
        for code in codes_of(transforms)
    )


def _model(args: argparse.Namespace, manifest: Mapping[str, Any]) -> "Model":
    """The run's model again; told where it is not the same one."""
    from metamorph.runs.cache import remembering

    options = _options(args, manifest)
    settings = manifest["settings"]
    model = model_options.model_of(settings["model"], options)
    if {"name": settings["model"], **model.identity} != manifest["model"]:
        say("the model's weights or version are not those of the run")
    return model if args.no_cache else remembering(model, options, manifest["id"])


def _options(args: argparse.Namespace, manifest: Mapping[str, Any]) -> "Options":
    """The run's options; files and headers, of which it keeps no more than a trace, given again."""
    from metamorph.models.options import Options
    from metamorph.runs.parameters import recorded

    kept: dict[str, Any] = dict(manifest["options"])
    for name in ("prompt", "template"):
        if kept[name]:
            given = getattr(args, name) or _given(manifest["command"], f"--{name}")
            if not given:
                raise UserError(f"--{name}: the run had one; give it again")
            again: dict[str, Any] = {name: given}
            if recorded(Options(**again))[name] != kept[name]:
                raise UserError(f"{given}: not the --{name} of the run, or changed since")
            kept[name] = given
    headers = dict(args.header)
    lacking = set(kept["headers"]) - {name.lower() for name in headers}
    if lacking:
        raise UserError(f"--header {', '.join(sorted(lacking))}: the run had it; give it again")
    fields = kept | {"headers": headers}
    return Options(**fields)


def _given(command: str, flag: str) -> str:
    """The value of a flag in a command line, "" where it has none."""
    words = shlex.split(command)
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word == flag:
            return after
        if word.startswith(f"{flag}="):
            return word.partition("=")[2]
    return ""


def _command(args: argparse.Namespace, stored: "Stored") -> str:
    """The command line that finds this again; the values of headers are left out."""
    words = ["metamorph", "shrink", str(args.folder), stored.id]
    for name in ("transform", "prompt", "template"):
        if value := getattr(args, name):
            words += [f"--{name}", value]
    for name, _ in args.header:
        words += ["--header", f"{name}=..."]
    return shlex.join(words)


def _lines(stored: "Stored", case: "Case", shrunk: "Shrunk", command: str) -> Iterator[str]:
    """What is told on stdout."""
    from metamorph.characters import visible
    from metamorph.reports.diffs import diff

    steps = ", ".join(f"{step.transform} {step.place}" for step in case.steps)
    yield f"{visible(stored.title)} ({visible(stored.path)}:{stored.line}), {steps}"
    yield f"before    {_answer(shrunk.before)}"
    yield f"after     {_answer(shrunk.after)}: {shrunk.category}"
    if shrunk.whole.label != shrunk.after.label:
        yield f"          all {shrunk.sites} sites: {_answer(shrunk.whole)}"
    enough = "is enough" if len(shrunk.kept) == 1 else "are enough"
    yield f"sites     {len(shrunk.kept)} of {shrunk.sites} {enough}{_certainty(shrunk)}"
    yield from (f"          {text}" for text in _sites(case, shrunk))
    yield f"asked     {_asked(shrunk)}"
    if not shrunk.steady:
        yield "unsteady  asked again, the model answers this program otherwise"
    yield ""
    yield from diff(case.method.file.data, shrunk.program.data)
    yield ""
    yield f"repeat    {command}"


def _certainty(shrunk: "Shrunk") -> str:
    if len(shrunk.kept) == 1:
        return ""
    if shrunk.stopped:
        return ", and perhaps fewer: no more questions are allowed"
    if shrunk.smallest:
        return "; no fewer are"
    if shrunk.unanswered:
        return "; of fewer that were tried none that has an answer is"
    return ", and none of them can be left out"


def _asked(shrunk: "Shrunk") -> str:
    parts = [f"{shrunk.questions:,} questions"]
    if shrunk.cached:
        parts.append(f"{shrunk.cached:,} of them answered from the cache")
    if shrunk.unanswered:
        parts.append(f"{shrunk.unanswered:,} without an answer")
    return ", ".join(parts)


def _answer(answer: "Prediction") -> str:
    from metamorph.characters import visible

    score = "" if answer.score is None else f" (score {answer.score:.4g})"
    return f"{visible(answer.label or '')}{score}"


def _sites(case: "Case", shrunk: "Shrunk") -> Iterator[str]:
    """Each site that is kept: its transformation, line, and what it renames."""
    from metamorph.java.source import line_of, line_starts

    starts = line_starts(case.method.file.data)
    for unit, site in shrunk.kept:
        names = ", ".join(f"{old} -> {new}" for old, new in site.names)
        line = line_of(starts, unit.offset)
        yield f"{site.transform} line {line}{': ' if names else ''}{names}"


def _begin(out: Path) -> None:
    """Make the folder of --out before anything is asked; raises UserError."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: not an empty folder; give another --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{out}: cannot be made ({error.strerror}); give another --out") from error


def _write(out: Path, stored: "Stored", case: "Case", shrunk: "Shrunk", command: str) -> None:
    """The files of --out."""
    write_bytes(out / "before.java", case.method.file.data)
    write_bytes(out / "after.java", shrunk.program.data)
    told = json.dumps(_object(stored, case, shrunk, command), indent=2)
    write_text(out / "shrink.json", f"{told}\n")
    say(f"before.java, after.java and shrink.json in {out}")


def _object(stored: "Stored", case: "Case", shrunk: "Shrunk", command: str) -> dict[str, Any]:
    answers = {"before": shrunk.before, "after": shrunk.after, "after_all_sites": shrunk.whole}
    return {
        "outcome": stored.id,
        "path": stored.path,
        "method": stored.title,
        "line": stored.line,
        "steps": [{"transform": step.transform, "place": step.place} for step in case.steps],
        "sites": shrunk.sites,
        "kept": list(_sites(case, shrunk)),
        "names": shrunk.program.names,
        "smallest": shrunk.smallest,
        "category": shrunk.category,
        **{name: {"label": a.label, "score": a.score} for name, a in answers.items()},
        "steady": shrunk.steady,
        "questions": shrunk.questions,
        "cached": shrunk.cached,
        "unanswered": shrunk.unanswered,
        "stopped": shrunk.stopped,
        "command": command,
    }
