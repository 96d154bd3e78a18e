"""How fast models are, from variants to predictions, on one core.

    python benchmarks/models.py PATH... [--model code2vec --model code2seq] [--limit 2000]

Everything of a run but its store is measured: reading, parsing, variants, their check, questions
and answers, outcomes. The result is JSON on stdout. A program is a question put to the model: an
original or a variant. Seconds are those of the processor, so that other work on the machine
matters little; `model_share` is the part that the model's own `predict` takes.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence

from environment import environment

from metamorph.corpus import read_sources
from metamorph.garbage import collect_seldom
from metamorph.models import Example, Model, Prediction, load
from metamorph.runs.pipeline import study_each
from metamorph.runs.plans import plan
from metamorph.runs.settings import Settings
from metamorph.transforms import parse_codes


class Timed:
    """A model whose time is taken."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.seconds = 0.0
        self.programs = 0

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def identity(self) -> Mapping[str, str]:
        return self._model.identity

    def label(self, method_name: str) -> str:
        return self._model.label(method_name)

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        begun = time.process_time()
        answers = self._model.predict(batch)
        self.seconds += time.process_time() - begun
        self.programs += len(batch)
        return answers


def measure(name: str, settings: Settings) -> dict[str, object]:
    """Load the model, go through the corpus once, and tell what it took."""
    begun = time.process_time()
    timed = Timed(load(name, settings.options))
    loaded = time.process_time()
    wall = time.perf_counter()
    rows = list(study_each(enumerate(read_sources(settings.paths)), timed, settings))
    seconds, wall = time.process_time() - loaded, time.perf_counter() - wall
    methods = [method for row in rows for method in row.methods]
    return {
        "model": name,
        "identity": dict(timed.identity),
        "methods": len(methods),
        "variants": sum(len(method.variants) for method in methods),
        "programs": timed.programs,
        "load_seconds": round(loaded - begun, 3),
        "cpu_seconds": round(seconds, 3),
        "wall_seconds": round(wall, 3),
        "programs_per_cpu_second": round(timed.programs / seconds, 1),
        "model_share": round(timed.seconds / seconds, 3),
        "model_programs_per_cpu_second": round(timed.programs / timed.seconds, 1),
    }


def main() -> None:
    """Measure each model in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", metavar="PATH", nargs="+")
    parser.add_argument("--model", action="append", help="default: code2vec and code2seq")
    parser.add_argument("--transform", default="all")
    parser.add_argument("--place", default="single")
    parser.add_argument("--check", default="syntax")
    parser.add_argument("--limit", type=int, help="the first so many methods only")
    args = parser.parse_args()
    collect_seldom()
    pairs, _ = plan(list(parse_codes(args.transform)), args.place)
    settings = Settings(
        tuple(args.paths), "", pairs, args.place, limit=args.limit, check=args.check
    )
    asked = {"paths": args.paths, "transform": args.transform, "place": args.place}
    asked |= {"check": args.check, "limit": args.limit}
    names = args.model or ["code2vec", "code2seq"]
    measured = [measure(name, settings) for name in names]
    report = {"asked": asked, "environment": environment(), "models": measured}
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
