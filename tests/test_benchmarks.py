"""The benchmarks measure what the commands do, and tell where they ran."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from metamorph.cli import main

ROOT = Path(__file__).parent.parent
CODES = ("BX", "LX", "PS", "SF", "TC", "UN", "VN")


def _run(*command: str) -> "subprocess.CompletedProcess[str]":
    benchmark = [sys.executable, *command]
    return subprocess.run(benchmark, cwd=ROOT, capture_output=True, text=True)


def _figures(*command: str) -> Any:
    done = _run(*command)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _sample() -> list[str]:
    return [str(path) for path in sorted((ROOT / "fixtures" / "corpus").rglob("*.java"))[:3]]


def test_all_transformations_together_make_what_each_makes_alone() -> None:
    figures = _figures("benchmarks/variants.py", "--rounds", "1", *_sample())
    assert figures["corpus"]["files"] == 3
    together = figures.pop("all")
    for check in ("none", "syntax", "list"):
        alone = [figures[code][check] for code in CODES]
        assert together[check]["variants"] == sum(each["variants"] for each in alone) > 0
        assert {each["methods"] for each in alone} == {together[check]["methods"]}
        assert together[check]["cpu_seconds"] > 0
    assert figures["environment"]["python"]


def test_contexts_are_counted_as_the_command_prints_them(capsys: Any) -> None:
    figures = _figures("benchmarks/contexts.py", "--rounds", "1", *_sample())
    for style in ("code2vec", "code2seq"):
        main(["contexts", *_sample(), "--style", style])
        lines = capsys.readouterr().out.splitlines()
        assert figures[style]["methods"] == len(lines) > 0
        assert figures[style]["contexts"] == sum(line.count(" ") for line in lines)


def test_the_benchmark_of_near_duplicates_misses_no_pair(tmp_path: Path) -> None:
    fields = "".join(f"int field{n};" for n in range(30))
    for number in range(6):
        (tmp_path / f"{number}.java").write_text(f"class C{number % 3} {{ {fields} }}")
    figures = _figures("benchmarks/duplicates.py", str(tmp_path), "--brute", "6")
    assert figures["found"]["pairs"] == figures["brute_force"]["pairs"] == 15
    assert (figures["brute_force"]["recall"], figures["brute_force"]["precision"]) == (1, 1)
    assert figures["total"] > 0 and figures["peak_memory_mb"] > 0


def test_the_store_that_the_benchmark_of_summaries_writes_is_a_runs() -> None:
    figures = _figures("benchmarks/summaries.py", "2000", "--projects", "12")
    assert 2000 <= figures["outcomes"] < 3000
    assert (figures["clusters"], figures["intervals over"]) == ("project", 12)
    assert figures["peak memory, MB"] > 0 and figures["CPU seconds"] >= 0


def test_the_benchmark_of_scale_runs_growing_parts_of_a_corpus_and_measures_each() -> None:
    sizes = ["--methods", "5", "60", "--workers", "1", "--model", "null"]
    figures = _figures("benchmarks/scale.py", *_sample(), *sizes, "--transform", "VN")
    small, large = figures["runs"]
    assert 5 <= small["methods"] < 60 <= large["methods"]
    assert 0 < small["variants"] < large["variants"]
    assert small["files"] < large["files"] > 3
    assert all(run["cpu_seconds"] > 0 and run["peak_mb"] > 10 for run in figures["runs"])
    assert figures["growth"][0]["to"] == large["methods"]
    assert figures["speed_up"] == []


def test_one_command_runs_those_that_are_named_and_refuses_others() -> None:
    figures = _figures("benchmarks/all.py", _sample()[0], "--only", "startup,contexts")
    assert figures["startup"]["--help"]["wall_seconds"] > 0
    assert figures["contexts"]["corpus"]["files"] == 1
    assert figures["environment"]["processors"] > 0
    done = _run("benchmarks/all.py", _sample()[0], "--only", "speed")
    assert done.returncode == 2 and "no benchmark" in done.stderr


def test_a_benchmark_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    done = _run("benchmarks/all.py", missing, "--only", "contexts,variants")
    figures = json.loads(done.stdout)
    assert done.returncode == 1
    assert all("missing" in figures[name]["fault"] for name in ("contexts", "variants"))
