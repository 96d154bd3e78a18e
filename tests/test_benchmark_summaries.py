"""The benchmark of summaries summarises as many outcomes as it was told to make."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_store_that_it_writes_is_a_runs() -> None:
    command = [sys.executable, "benchmarks/summaries.py", "2000", "--projects", "12"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert 2000 <= figures["outcomes"] < 3000
    assert (figures["clusters"], figures["intervals over"]) == ("project", 12)
    assert figures["peak memory, MB"] > 0 and figures["CPU seconds"] >= 0
