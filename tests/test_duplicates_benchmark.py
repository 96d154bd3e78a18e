"""The benchmark of near-duplicates finds what the command does, and checks it by brute force."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_benchmark_measures_every_stage_and_misses_no_pair(tmp_path: Path) -> None:
    fields = "".join(f"int field{n};" for n in range(30))
    for number in range(6):
        (tmp_path / f"{number}.java").write_text(f"class C{number % 3} {{ {fields} }}")
    command = [sys.executable, "benchmarks/duplicates.py", str(tmp_path), "--brute", "6"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert figures["found"]["pairs"] == figures["brute_force"]["pairs"] == 15
    assert (figures["brute_force"]["recall"], figures["brute_force"]["precision"]) == (1, 1)
    assert figures["total"] > 0 and figures["peak_memory_mb"] > 0
