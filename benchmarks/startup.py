"""How soon the command answers: `python benchmarks/startup.py > startup.json`.

Wall and CPU seconds of whole processes, the median of several: `metamorph --help`, and
`metamorph run` on one file of the sample corpus with each shipped model.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from environment import environment

from metamorph.corpus import sample_path

MODELS = ("code2vec", "code2seq")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    print(json.dumps(measured(parser.parse_args(arguments).rounds), indent=2))


def measured(rounds: int) -> dict[str, object]:
    """Each command's seconds."""
    file = min(sample_path().rglob("*.java"))
    return {
        "rounds": rounds,
        "--help": _median(["--help"], rounds),
        **{f"run --model {model}": _median(_run(file, model), rounds) for model in MODELS},
        "environment": environment(),
    }


def _run(file: Path, model: str) -> list[str]:
    return ["run", str(file), "--model", model, "--transform", "VN", "--out", "RUN"]


def _median(command: Sequence[str], rounds: int) -> dict[str, float]:
    taken = [_once(command) for _ in range(rounds)]
    wall, worked = (statistics.median(each) for each in zip(*taken, strict=True))
    return {"wall_seconds": round(wall, 3), "cpu_seconds": round(worked, 3)}


def _once(command: Sequence[str]) -> tuple[float, float]:
    """Wall and CPU seconds of one process."""
    with TemporaryDirectory() as folder:
        before, begun = _worked(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "metamorph", *command],
            cwd=folder,
            check=True,
            capture_output=True,
        )
        return time.perf_counter() - begun, _worked() - before


def _worked() -> float:
    """CPU seconds of all processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
