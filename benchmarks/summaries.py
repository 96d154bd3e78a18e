"""Seconds and memory of a summary: `python benchmarks/summaries.py [OUTCOMES] > summaries.json`.

Writes the store of a run that never was, of that many outcomes (a million unless told), and
summarises it; `--projects` tells over how many projects its files are spread.
"""

import argparse
import json
import random
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from environment import environment

from metamorph.corpus import Survey
from metamorph.models.protocol import Prediction
from metamorph.oracles.outcomes import Outcome
from metamorph.oracles.summaries import NO_PRICES
from metamorph.runs import manifest, store
from metamorph.runs.packing import packed
from metamorph.runs.rows import ANSWERED, PARSED, FileRow, MethodRow, VariantRow
from metamorph.runs.settings import Settings
from metamorph.runs.summary import summarise

PLAN = tuple(
    (code, place) for code in ("BX", "LX", "SF", "VN") for place in ("single", "all")
) + tuple((code, "single") for code in ("PS", "TC", "UN", "identity", "reformat"))
NAMES = ("get|name", "set|value", "is|empty", "to|string", "add|all", "index|of", "remove")
METHODS = 10


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("outcomes", metavar="OUTCOMES", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--projects", type=int, default=1, help="default: 1")
    args = parser.parse_args(arguments)
    print(json.dumps(measured(args.outcomes, args.projects), indent=2))


def measured(outcomes: int, projects: int) -> dict[str, object]:
    """Write, summarise, measure."""
    with TemporaryDirectory() as folder:
        written = write(Path(folder), outcomes, projects)
        start, before = time.perf_counter(), time.process_time()
        summary = summarise(Path(folder))
        seconds, worked = time.perf_counter() - start, time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "outcomes": written,
        "projects": projects,
        "clusters": summary.clusters.kind,
        "intervals over": max(row.change.clusters for row in summary.tally),
        "seconds": round(seconds, 1),
        "CPU seconds": round(worked, 1),
        "peak memory, MB": peak // 1024,
        "environment": environment(),
    }


def write(folder: Path, outcomes: int, projects: int) -> int:
    """The store and manifest of a run; the number of its outcomes."""
    settings = Settings(("corpus",), "none", PLAN, "both")
    survey = Survey(0, 0, "0" * 64)
    about = manifest.new(settings, survey, {"kind": "none"}, "", [])
    prices = asdict(NO_PRICES)
    manifest.write(folder, about | {"complete": True, "prices": prices})
    connection = store.create(folder)
    written = 0
    for row in files(projects):
        store.write(connection, packed(row))
        written += sum(len(method.variants) for method in row.methods)
        if written >= outcomes:
            break
    store.seal(connection)
    connection.close()
    return written


def files(projects: int) -> Iterator[FileRow]:
    """Files without end: methods of all lengths, each of a fragility of its own."""
    rng = random.Random(0)
    ordinal = 0
    while True:
        project = f"project{ordinal % projects}"
        row = FileRow(ordinal, f"corpus/{project}/A{ordinal}.java", PARSED, f"{ordinal:064x}")
        row.project = project
        row.methods = [_method(index, rng) for index in range(METHODS)]
        yield row
        ordinal += 1


def _method(index: int, rng: random.Random) -> MethodRow:
    gold, answer = rng.choice(NAMES), rng.choice(NAMES)
    length = min(200, int(rng.expovariate(0.1)))
    row = MethodRow(index, "f", "A", index + 1, length, gold)
    row.prediction = Prediction("", answer, rng.random())
    fragility = rng.betavariate(0.6, 0.6)
    for code, place in PLAN:
        if code in ("BX", "LX", "SF") and rng.random() < 0.7:
            continue
        several = place == "single" and code in ("VN", "PS")
        for site in range(1 + int(rng.expovariate(0.4)) if several else 1):
            row.variants.append(_variant(code, place, site, row, fragility, rng))
    return row


def _variant(
    code: str, place: str, site: int, of: MethodRow, fragility: float, rng: random.Random
) -> VariantRow:
    assert of.prediction and of.prediction.label and of.expected
    label = rng.choice(NAMES) if rng.random() < fragility else of.prediction.label
    row = VariantRow(code, place, (site,), 1, {}, [(site, site + 1, code)], ANSWERED)
    row.category = Outcome(of.prediction.label, label, of.expected).category
    row.rank = int(label == of.prediction.label)
    row.prediction = Prediction("", label, rng.random())
    return row


if __name__ == "__main__":
    main()
