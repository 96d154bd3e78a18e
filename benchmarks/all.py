"""Every benchmark in one command: `python benchmarks/all.py CORPUS > figures.json`.

Each script runs in a process of its own, one after the other, so that no figure bears the memory
of another. `--only` names some of them. Of a benchmark that fails the last line is told, the others
go on, and the exit code is 1.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from environment import environment

HERE = Path(__file__).resolve().parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Print all figures as JSON; whether any is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", metavar="CORPUS", help="a folder of Java")
    parser.add_argument("--only", metavar="A,B", help=f"of {', '.join(_commands('CORPUS'))}")
    args = parser.parse_args(arguments)
    commands = _commands(args.corpus)
    chosen = args.only.split(",") if args.only else list(commands)
    if unknown := [name for name in chosen if name not in commands]:
        parser.error(f"{', '.join(unknown)}: no benchmark; known are {', '.join(commands)}")
    figures = {name: _figures(commands[name]) for name in chosen}
    print(json.dumps({"corpus": args.corpus, "environment": environment(), **figures}, indent=2))
    return int(any("fault" in each for each in figures.values()))


def _commands(corpus: str) -> dict[str, list[str]]:
    """Each benchmark's script and arguments."""
    return {
        "startup": ["startup.py", "--rounds", "3"],
        "variants": ["variants.py", corpus],
        "contexts": ["contexts.py", corpus],
        "models": ["models.py", corpus],
        "duplicates": ["duplicates.py", corpus, "--brute", "500"],
        "summaries": ["summaries.py"],
        "scale": ["scale.py", corpus],
    }


def _figures(command: Sequence[str]) -> dict[str, object]:
    """What a script prints, or its fault."""
    print(f"{' '.join(command)} ...", file=sys.stderr, flush=True)
    begun = time.perf_counter()
    script, *arguments = command
    done = subprocess.run([sys.executable, HERE / script, *arguments], capture_output=True)
    seconds = round(time.perf_counter() - begun, 1)
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip() or "nothing on stderr"
        return {"fault": told.splitlines()[-1], "wall_seconds": seconds}
    figures: dict[str, object] = json.loads(done.stdout)
    figures.pop("environment", None)
    return {**figures, "wall_seconds": seconds}


if __name__ == "__main__":
    sys.exit(main())
