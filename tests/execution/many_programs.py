"""Random programs by the thousand: transformed in all places, compiled and run, compared.

    python tests/execution/many_programs.py --count 20000 --out DIR

goes on until so many programs have been transformed by each transformation. It tells of its
progress every half minute, writes each program that behaves otherwise into DIR with its
variant, and exits 1 if there was one. Another --seed gives other programs.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from every_place import Version, versions
from random_programs import random_program
from warm_machine import WarmMachine

from metamorph.transforms import codes, parse_codes

_SECONDS = 30
_LONG_RUN = ("-XX:+TieredCompilation",)


def main(argv: Sequence[str] | None = None) -> int:
    """Run as many programs as asked for; the exit code."""
    args = _arguments(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    machine = WarmMachine(*_LONG_RUN)
    counts: Counter[str] = Counter()
    failures, number, told = 0, 0, time.monotonic()
    try:
        while min(counts[code] for code in args.transform) < args.count:
            seed = args.seed * 1_000_000_000 + number
            number += 1
            failures += _one(machine, seed, args, counts)
            if time.monotonic() - told > _SECONDS:
                told = time.monotonic()
                _tell(counts, failures, seed)
    finally:
        machine.close()
        _tell(counts, failures, args.seed * 1_000_000_000 + number - 1)
    return 1 if failures else 0


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000, help="programs a transformation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--transform", type=parse_codes, default=codes(), help="VN,PS or all")
    parser.add_argument("--singles", type=int, default=2, help="sites that are tried alone, each")
    parser.add_argument("--inputs", type=int, default=6, help="inputs a program")
    parser.add_argument("--out", type=Path, default=Path("build/programs"))
    return parser.parse_args(argv)


def _one(machine: WarmMachine, seed: int, args: argparse.Namespace, counts: Counter[str]) -> int:
    """One program; how many of its variants behave otherwise."""
    text = random_program(random.Random(seed))
    made = list(versions(text, args.transform, seed, args.singles))
    program, *answers = machine.run(seed, args.inputs, [text.encode(), *(v.data for v in made)])
    if not program.startswith("ok "):
        counts["not Java" if program.startswith("error ") else "javac at fault"] += 1
        return 0
    counts.update({version.code for version in made})
    counts["programs"] += 1
    counts["variants"] += len(made)
    wrong = [(v, answer) for v, answer in zip(made, answers, strict=True) if answer != "same"]
    for version, answer in wrong:
        _keep(args.out, seed, text, version, answer)
    return len(wrong)


def _keep(out: Path, seed: int, text: str, version: Version, answer: str) -> None:
    name = f"{version.code}-{seed}"
    (out / f"{name}-before.java").write_text(text, encoding="utf-8")
    (out / f"{name}-after.java").write_bytes(version.data)
    (out / f"{name}.txt").write_text(f"{version.what}\n{answer}\n", encoding="utf-8")
    print(f"{name}: {version.what}: {answer[:200]}", flush=True)


def _tell(counts: Counter[str], failures: int, seed: int) -> None:
    parts = ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))
    print(f"seed {seed}: {failures} differences; {parts}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
