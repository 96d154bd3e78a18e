"""Memory: what was parsed is let go, however many files there were."""

import subprocess
import sys
from pathlib import Path

import pytest

CYCLES = """
import resource, sys
from metamorph.corpus import read_sources
from metamorph.models import load
from metamorph.models.options import Options
from metamorph.runs.pipeline import study_each
from metamorph.runs.settings import Settings

settings = Settings((sys.argv[1],), "python:builtins:len", (("VN", "single"),))
model = load(settings.model, Options())
peaks = []
for cycle in range(9):
    for row in study_each(enumerate(read_sources(settings.paths)), model, settings):
        assert row.methods or row.status
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(*peaks)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peaks are in kilobytes there")
def test_the_same_files_again_and_again_take_no_more_memory(tmp_path: Path) -> None:
    loop = "for (int i = 0; i < b; i++) { a += i; }\n"
    body = "".join(f"int v{n} = a; {loop}" for n in range(80))
    methods = "".join(f"int f{n}(int a, int b) {{ {body} return a; }}\n" for n in range(6))
    (tmp_path / "C.java").write_text(f"class C {{\n{methods}}}\n")
    command = [sys.executable, "-c", CYCLES, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    peaks = [int(peak) for peak in done.stdout.split()]
    # The trees of four files are kept.
    assert peaks[-1] - peaks[4] < 3000, peaks
