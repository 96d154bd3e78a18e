"""Memory and time of whole runs as the corpus grows: `python benchmarks/scale.py CORPUS`.

Files are drawn from the corpus by chance until they hold as many methods as each size of
`--methods` asks for, the smaller sizes being parts of the larger ones; a corpus that is too small
is drawn again, so that its files stand there as copies. For each model, size and number of
workers `metamorph run` is a process of its own, whose peak memory, and that of its workers, the
system tells. The null model answers at once: what is left is metamorph's own work.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path

from environment import environment
from processes import Usage, used

from metamorph.corpus import read_sources
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse

HERE = Path(__file__).resolve().parent
NULL = "null"
_FORMATS = ("table", "json", "csv", "md", "latex", "html", "junit")
_FOLDER_FILES = 100


@dataclass(frozen=True, slots=True)
class Size:
    """A part of the corpus, and the folder where it lies."""

    folder: Path
    files: int
    bytes: int
    methods: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: on how many methods, by whom, with which transformations."""

    methods: Sequence[int]
    workers: Sequence[int]
    models: Sequence[str]
    transform: str
    place: str
    reports: bool


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("paths", metavar="CORPUS", nargs="+", help="folders or archives of Java")
    add("--methods", type=int, nargs="+", default=[1000, 10_000], help="default: 1000 10000")
    add("--workers", type=int, nargs="+", default=[1, 2], help="default: 1 2")
    add("--model", nargs="+", default=[NULL, "code2vec"], help="default: null code2vec")
    add("--transform", default="all", help="default: all")
    add("--place", default="single", help="default: single")
    add("--reports", action="store_true", help="every format and a comparison too")
    args = parser.parse_args(arguments)
    plan = Plan(
        sorted(args.methods), args.workers, args.model, args.transform, args.place, args.reports
    )
    print(json.dumps(measured(args.paths, plan), indent=2))


def measured(paths: Sequence[str], plan: Plan) -> dict[str, object]:
    """All figures; the parts of the corpus are written first, and removed at the end."""
    with tempfile.TemporaryDirectory() as scratch:
        sizes = list(_drawn(paths, plan.methods, Path(scratch)))
        runs = [
            _run(size, model, workers, plan, Path(scratch))
            for model in plan.models
            for size in sizes
            for workers in plan.workers
        ]
    return {
        "transform": plan.transform,
        "place": plan.place,
        "runs": runs,
        "growth": list(_growth(runs)),
        "speed_up": list(_speed_up(runs)),
        "environment": environment(),
    }


def _drawn(paths: Sequence[str], wanted: Sequence[int], scratch: Path) -> Iterator[Size]:
    """The parts, each with all files of the one before it."""
    found = [
        source.path if os.path.isfile(source.path) else source
        for source in read_sources(paths)
        if isinstance(source, SourceFile)
    ]
    random.Random(0).shuffle(found)
    size = Size(scratch, 0, 0, 0)
    for most in wanted:
        folder = scratch / f"methods-{most}"
        if size.files:
            shutil.copytree(size.folder, folder, copy_function=os.link)
        size = Size(folder, size.files, size.bytes, size.methods)
        for number in count(size.files):
            if size.methods >= most:
                break
            given = found[number % len(found)]
            data = Path(given).read_bytes() if isinstance(given, str) else given.data
            size = _with(size, data, number)
        yield size


def _with(size: Size, data: bytes, number: int) -> Size:
    """The part with another file, which lies in a folder of a hundred."""
    place = size.folder / f"{number // _FOLDER_FILES:05}" / f"File{number:07}.java"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    source = SourceFile(str(place), data)
    tree = parse(data)
    more = 0 if tree.has_error else sum(1 for _ in methods(source, tree))
    return Size(size.folder, size.files + 1, size.bytes + len(data), size.methods + more)


def _run(size: Size, model: str, workers: int, plan: Plan, scratch: Path) -> dict[str, object]:
    """One run, and with `reports` what is made of it."""
    out = scratch / "run"
    name = "python:null_model:answer" if model == NULL else model
    options = ["--transform", plan.transform, "--place", plan.place, "--workers", str(workers)]
    command = ["run", str(size.folder), "--model", name, *options, "--out", str(out)]
    print(f"{model}, {size.methods:,} methods, {workers} workers ...", file=sys.stderr, flush=True)
    usage = _measured(command)
    about = {"model": model, "workers": workers, "methods": size.methods, "files": size.files}
    figures: dict[str, object] = {**about, "bytes": size.bytes, **asdict(usage)}
    figures["variants"] = json.loads((out / "manifest.json").read_text())["counts"]["variants"]
    figures["cpu_milliseconds_per_method"] = round(1000 * usage.cpu_seconds / size.methods, 4)
    figures["cpu_microseconds_per_kb"] = round(1e9 * usage.cpu_seconds / size.bytes, 1)
    figures["results_mb"] = round((out / "results.sqlite").stat().st_size / 1e6, 1)
    if plan.reports:
        figures["reports"] = _reports(out, scratch)
    shutil.rmtree(out)
    return figures


def _reports(run: Path, scratch: Path) -> dict[str, object]:
    """Each format, and the run compared with itself."""
    figures = {}
    for name in (*_FORMATS, "compare"):
        out = scratch / f"report.{name}"
        command = ["report", str(run), "--format", name, "--out", str(out)]
        if name == "compare":
            command = ["compare", str(run), str(run), "--out", str(out)]
        usage = _measured(command)
        figures[name] = {**asdict(usage), "mb": round(out.stat().st_size / 1e6, 2)}
    return figures


def _measured(command: Sequence[str]) -> Usage:
    searched = os.pathsep.join(filter(None, (str(HERE), os.environ.get("PYTHONPATH"))))
    environ = {**os.environ, "PYTHONPATH": searched}
    started = time.perf_counter()
    usage = used([sys.executable, "-m", "metamorph", *command], environ)
    print(f"  {command[0]}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return usage


def _growth(runs: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Time per method and peak memory of the largest size, as multiples of each other's."""
    for model, workers in dict.fromkeys((run["model"], run["workers"]) for run in runs):
        same = [run for run in runs if (run["model"], run["workers"]) == (model, workers)]
        for run in same[:-1]:
            yield {
                "model": model,
                "workers": workers,
                "from": run["methods"],
                "to": same[-1]["methods"],
                **{
                    name: _ratio(same[-1], run, name)
                    for name in ("cpu_milliseconds_per_method", "cpu_microseconds_per_kb")
                },
                "peak_mb": _ratio(same[-1], run, "peak_mb"),
            }


def _speed_up(runs: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Several workers against the first number of them, by the clock and by the work."""
    first = {(run["model"], run["methods"]): run for run in reversed(runs)}
    for run in runs:
        one = first[run["model"], run["methods"]]
        if run is not one:
            about = {name: run[name] for name in ("model", "methods", "workers")}
            yield {
                **about,
                "against": one["workers"],
                "wall": _ratio(one, run, "wall_seconds"),
                "cpu": _ratio(one, run, "cpu_seconds"),
            }


def _ratio(over: dict[str, object], under: dict[str, object], name: str) -> float:
    above, below = over[name], under[name]
    assert isinstance(above, int | float) and isinstance(below, int | float)
    return round(above / below, 3)


if __name__ == "__main__":
    main()
