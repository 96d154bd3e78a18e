"""The benchmark of variants measures the same variants together as one transformation at a time."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_all_transformations_together_make_what_each_makes_alone() -> None:
    corpus = sorted((ROOT / "fixtures" / "corpus").rglob("*.java"))[:3]
    command = [sys.executable, "benchmarks/variants.py", "--rounds", "1", *map(str, corpus)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert figures["corpus"]["files"] == 3
    together = figures.pop("all")
    for check in ("none", "syntax", "list"):
        alone = [figures[code][check] for code in ("BX", "LX", "PS", "SF", "TC", "UN", "VN")]
        assert together[check]["variants"] == sum(each["variants"] for each in alone) > 0
        assert {each["methods"] for each in alone} == {together[check]["methods"]}
        assert together[check]["cpu_seconds"] > 0
    assert figures["environment"]["python"]
