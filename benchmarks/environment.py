"""Where a benchmark ran, so that its figures can be judged.

To be imported before numpy is: it keeps numerical libraries to one thread.
"""

import argparse
import json
import os
import platform
import subprocess
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

_PACKAGES = ("metamorph-java", "numpy", "tree-sitter", "tree-sitter-java-orchard")


def print_rounds(
    doc: str,
    measured: Callable[[Sequence[str], int], dict[str, object]],
    arguments: Sequence[str] | None,
) -> None:
    """Measure the corpora that the user names, in several rounds, and print all as JSON."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a folder or archive of Java")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    args = parser.parse_args(arguments)
    print(json.dumps(measured(args.paths, args.rounds), indent=2))


def environment() -> dict[str, object]:
    """Machine, versions, load, and the commit of the checkout."""
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        "commit": _commit(),
        "packages": {name: _version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.is_file() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _commit() -> str:
    """The commit, with a `+` where the files differ from it."""
    root = Path(__file__).resolve().parent.parent
    git = ["git", "-c", "safe.directory=*", "-C", str(root)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True)
        diff = subprocess.run([*git, "diff", "--quiet", "HEAD"], capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return head.stdout.decode().strip() + ("+" if diff.returncode else "")
