"""Hostile shapes at their full size: the run ends, within bounds, and accounts for the file."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_shapes import GARBAGE, SHAPES

SIZES = {"initialiser": 100_000, "statements": 100_000, "cases": 100_000, "methods": 50_000}
SIZES |= {"concatenation": 50_000, "long-name": 100_000, "blank-lines": 10_000_000}
DEEP = 10_000
SECONDS, MEGABYTES = 5, 1500

BOUNDED = """
import resource, sys
from metamorph.cli import main
code = main(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss // 1024, file=open("used", "w"))
sys.exit(code)
"""


@pytest.mark.proof
@pytest.mark.parametrize("name", [*SHAPES, *GARBAGE])
def test_a_run_over_a_hostile_file_ends_within_bounds(name: str, tmp_path: Path) -> None:
    shape = (SHAPES | GARBAGE)[name]
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "A.java").write_bytes(shape(SIZES.get(name, DEEP)))
    (tmp_path / "src" / "Z.java").write_bytes(b"class Z { int f(int a) { int b = a; return b; } }")
    limits = ("--time-limit", str(SECONDS), "--memory-limit", str(MEGABYTES))
    run = ("run", "src", "--model", "code2vec", "--transform", "all", "--out", "run", *limits)
    subprocess.run([sys.executable, "-c", BOUNDED, *run], cwd=tmp_path, check=True, timeout=3600)
    seconds, megabytes = map(float, (tmp_path / "used").read_text().split())
    report = ("report", "run", "--format", "json", "--out", "r.json")
    subprocess.run([sys.executable, "-m", "metamorph", *report], cwd=tmp_path, check=True)
    told = json.loads((tmp_path / "r.json").read_text())["accounting"]
    assert told["files"] == 2
    assert told["variants"] == told["answered"] + told["no_answer"]
    assert megabytes < 2 * MEGABYTES + 1000
    # A file has ten times a method's time, and what takes the parser there is soon left.
    assert seconds < 14 * SECONDS + 30
