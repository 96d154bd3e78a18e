"""Fit the weights of the CodRep predictor `edits`, and tell what they score on other tasks.

    python benchmarks/codrep_weights.py DATASETS --without SAMPLE --write

Tasks are drawn from each dataset by the seed; none whose program occurs in the folder `--without`.
Scores are by cross-validation: programs that occur twice are in one fold. `--write` puts weights
fitted to all of them into `metamorph/codrep/weights.py`.
"""

import argparse
import hashlib
import math
import random
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from metamorph.codrep import weights
from metamorph.codrep.candidates import Candidate, candidates
from metamorph.codrep.reading import Task, find_tasks

Numbers = NDArray[np.float64]
_FOLDS = 5
_RIDGE = 1e-3


@dataclass(frozen=True, slots=True)
class Example:
    """A task with its candidates; program: a hash of it."""

    dataset: str
    program: str
    solution: int
    found: list[Candidate]


def main() -> None:
    """Draw, cross-validate, fit."""
    args = _arguments()
    hidden = {_program(task) for task in find_tasks([args.without])[0]} if args.without else set()
    examples = _drawn(find_tasks([args.datasets])[0], args.tasks, args.seed, hidden)
    print(f"{len(examples):,} tasks")
    _cross_validate(examples)
    if args.write:
        _write(_fit(examples), len(examples), args.seed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("datasets", metavar="DATASETS")
    parser.add_argument("--without", metavar="FOLDER", help="a dataset whose programs stay unseen")
    parser.add_argument("--tasks", type=int, default=2400, help="of each dataset (2400)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def _program(task: Task) -> str:
    return hashlib.sha256(task.question().program.rstrip()).hexdigest()


def _drawn(tasks: list[Task], count: int, seed: int, hidden: set[str]) -> list[Example]:
    by_dataset: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_dataset[task.dataset.name].append(task)
    found: list[Example] = []
    for name, group in sorted(by_dataset.items()):
        for task in random.Random(f"{seed} {name}").sample(group, min(count, len(group))):
            program, solution = _program(task), task.solution()
            if program not in hidden and solution is not None:
                found.append(Example(name, program, solution, candidates(task.question())))
    return found


def _cross_validate(examples: list[Example]) -> None:
    scores: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for fold in range(_FOLDS):
        seen = [e for e in examples if int(e.program[:8], 16) % _FOLDS != fold]
        fitted = _fit(seen)
        for example in examples:
            if int(example.program[:8], 16) % _FOLDS == fold:
                scores[example.dataset].append(_score(example, fitted))
    whole = [pair for pairs in scores.values() for pair in pairs]
    for name, pairs in [*sorted(scores.items()), ("all", whole)]:
        loss = sum(loss for loss, _ in pairs) / len(pairs)
        recall = sum(right for _, right in pairs) / len(pairs)
        print(f"{name}: {len(pairs):,} tasks, loss {loss:.4f}, recall {recall:.4f}")


def _score(example: Example, fitted: dict[str, float]) -> tuple[float, bool]:
    if not example.found:
        return 1.0, False
    best = max(
        example.found,
        key=lambda one: sum(fitted[name] * value for name, value in one.features.items()),
    )
    return math.tanh(abs(best.line - example.solution)), best.line == example.solution


def _fit(examples: list[Example]) -> dict[str, float]:
    """A conditional logit over each task's candidates, with a ridge on standardised features."""
    usable = [e for e in examples if any(c.line == e.solution for c in e.found)]
    names = sorted(usable[0].found[0].features)
    rows = np.array([[c.features[n] for n in names] for e in usable for c in e.found])
    right = np.array([float(c.line == e.solution) for e in usable for c in e.found])
    task = np.repeat(np.arange(len(usable)), [len(e.found) for e in usable])
    first = np.searchsorted(task, np.arange(len(usable)))
    scale = rows.std(axis=0) + 1e-9
    standard = (rows - rows.mean(axis=0)) / scale

    def objective(weights: Numbers) -> tuple[float, Numbers]:
        scores = standard @ weights
        odds = np.exp(scores - np.maximum.reduceat(scores, first)[task])
        chance = odds / np.add.reduceat(odds, first)[task]
        loss = -float(np.log(chance[right == 1] + 1e-12).sum()) / len(usable)
        slope = standard.T @ (chance - right) / len(usable)
        return loss + _RIDGE * float(weights @ weights), slope + 2 * _RIDGE * weights

    start = np.zeros(len(names))
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 400})
    return {name: round(float(w), 3) for name, w in zip(names, found.x / scale, strict=True)}


def _write(fitted: dict[str, float], tasks: int, seed: int) -> None:
    rows = "".join(f'    "{name}": {weight},\n' for name, weight in fitted.items())
    text = (
        '"""The weights of `edits`, as `benchmarks/codrep_weights.py` fitted them.\n\n'
        f"{tasks:,} tasks of the competition's published datasets, drawn by seed {seed}.\n"
        '"""\n\nWEIGHTS: dict[str, float] = {\n' + rows + "}\n"
    )
    Path(weights.__file__).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
