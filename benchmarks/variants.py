"""Variants per CPU-second: `python benchmarks/variants.py PATH... > variants.json`.

Measures what `metamorph transform --place single` does, file by file, in this process: parsing,
sites and variants (`none`), with the reparse of each variant (`syntax`), and with the list
written too (`list`). The files are read beforehand. Of several rounds the quickest counts.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from environment import environment, print_rounds

from metamorph.corpus import read_sources
from metamorph.garbage import collect_seldom
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile, line_starts
from metamorph.java.tree import parse, parse_syntax
from metamorph.runs.checks import is_sound
from metamorph.runs.plans import plan
from metamorph.runs.rows import MethodRow
from metamorph.runs.settings import Settings
from metamorph.runs.variant_lists import write_list
from metamorph.runs.variations import variations
from metamorph.transforms import codes

Files = Sequence[SourceFile]
Counts = tuple[int, int]
"""Methods and variants."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures as JSON."""
    collect_seldom()
    print_rounds(__doc__, measured, arguments)


def measured(paths: Sequence[str], rounds: int) -> dict[str, object]:
    """All figures over the files that parse."""
    files = [each for each in read_sources(paths) if isinstance(each, SourceFile)]
    files = [file for file in files if not parse_syntax(file.data).root_node.has_error]
    return {
        "corpus": {"files": len(files), "bytes": sum(len(file.data) for file in files)},
        "rounds": rounds,
        "stages": {
            "parse": _seconds(lambda: _parsed(files), rounds),
            "parse and flatten": _seconds(lambda: _flattened(files), rounds),
        },
        "all": _rates(files, codes(), rounds),
        **{code: _rates(files, [code], rounds) for code in codes()},
        "environment": environment(),
    }


def _parsed(files: Files) -> None:
    for file in files:
        parse_syntax(file.data)


def _flattened(files: Files) -> None:
    for file in files:
        assert parse(file.data).kind


def _rates(files: Files, chosen: Sequence[str], rounds: int) -> dict[str, object]:
    """The three figures of some transformations together."""
    works: dict[str, Callable[[Settings], Counts]] = {
        "none": lambda settings: _varied(files, settings),
        "syntax": lambda settings: _varied(files, settings),
        "list": lambda settings: _written(files, settings),
    }
    return {
        name: _rate(work, _settings(chosen, "none" if name == "none" else "syntax"), rounds)
        for name, work in works.items()
    }


def _settings(chosen: Sequence[str], check: str) -> Settings:
    return Settings((), "", plan(chosen, "single")[0], "single", check=check)


def _rate(work: Callable[[Settings], Counts], settings: Settings, rounds: int) -> dict[str, float]:
    counts: list[Counts] = []
    seconds = _seconds(lambda: counts.append(work(settings)), rounds)
    found, made = counts[0]
    return {
        "methods": found,
        "variants": made,
        "cpu_seconds": seconds,
        "methods_per_second": round(found / seconds, 1),
        "variants_per_second": round(made / seconds, 1),
    }


def _seconds(work: Callable[[], object], rounds: int) -> float:
    """The CPU seconds of the quickest round."""
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return round(min(taken), 4)


def _varied(files: Files, settings: Settings) -> Counts:
    found = made = 0
    for file in files:
        tree, starts = parse(file.data), line_starts(file.data)
        for method in methods(file, tree):
            found += 1
            row = MethodRow(method.index, method.name, method.owner, method.line, 0, "")
            for variation in variations(method, row, starts, settings):
                made += variation.variant is not None and is_sound(variation, settings)
    return found, made


def _written(files: Files, settings: Settings) -> Counts:
    with TemporaryDirectory() as folder:
        written = write_list(files, Path(folder), settings, whole_files=False)
    return written.methods, written.variants


if __name__ == "__main__":
    main()
