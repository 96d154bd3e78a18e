"""Baselines: outcomes that a suite keeps, and whether later ones are worse."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metamorph.durable import write_text
from metamorph.errors import UserError
from metamorph.oracles.bootstrap import Estimate
from metamorph.testing.results import JUDGED, Judged, Result
from metamorph.version import VERSION

NAME = "metamorph-baseline.json"
KIND = "metamorph-baseline"
SCHEMA = 1

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A result beside its baseline, on the variants that both have judged.

    then, now: changed variants; less: the change rate now less that of then; unmatched: variants
    that only one of both has judged, or that are others under the same name.
    """

    pairs: int
    originals: int
    then: int
    now: int
    less: Estimate
    unmatched: int

    @property
    def worse(self) -> bool:
        """Whether the paired test tells that more changes than then."""
        return self.less.interval is not None and self.less.interval[0] > 0

    def __str__(self) -> str:
        said = (
            f"{self.now:,} of {self.pairs:,} variants of {self.originals:,} methods changed, "
            f"{self.then:,} in the baseline"
        )
        if self.less.value is not None and self.less.interval is not None:
            low, high = self.less.interval
            said += f"; difference {self.less.value:+.1%} (95 %: {low:+.1%} to {high:+.1%})"
        elif self.now != self.then:
            said += "; one method alone cannot tell whether that is chance"
        return said + (f"; {self.unmatched:,} not matched" if self.unmatched else "")


def entry(result: Result) -> Entry:
    """What a baseline keeps of a result."""
    outcomes = {o.id: f"{o.result} {o.digest}" for o in result.outcomes}
    model = {"name": result.model, "fingerprint": result.fingerprint}
    return {"model": model, "study": dict(result.study), "outcomes": dict(sorted(outcomes.items()))}


def read(path: Path) -> dict[str, Entry]:
    """The entries of a baseline file by test; raises UserError where it is none."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{path}: no baseline there; write it with --metamorph-update") from error
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read as a baseline ({error})") from error
    if not isinstance(data, dict) or data.get("kind") != KIND:
        raise UserError(f"{path}: not a baseline of metamorph")
    if data.get("schema") != SCHEMA:
        raise UserError(
            f"{path}: a baseline of another version (schema {data.get('schema')}, not {SCHEMA}); "
            "write it anew with --metamorph-update"
        )
    tests: dict[str, Entry] = data.get("tests", {})
    return tests


def kept(path: Path, test: str) -> Entry:
    """The entry of a test; raises UserError where there is none."""
    tests = read(path)
    if test not in tests:
        raise UserError(f"{path}: no baseline of {test}; write it with --metamorph-update")
    return tests[test]


def compare(result: Result, old: Mapping[str, Any], where: str) -> Comparison:
    """The result beside its baseline; raises UserError where they are of different studies."""
    for name, value in result.study.items():
        if old["study"].get(name) != value:
            raise UserError(
                f"{where}: the baseline has {name} {old['study'].get(name)!r}, the test {value!r}; "
                "write it anew with --metamorph-update"
            )
    before = {id: str(kept).split() for id, kept in old["outcomes"].items()}
    pairs = [(o, before[o.id][0]) for o in result.judged if _same(o, before.get(o.id))]
    judged = sum(kept[0] in JUDGED for kept in before.values())
    unmatched = len(result.judged) + judged - 2 * len(pairs)
    if not pairs:
        raise UserError(
            f"{where}: none of the {len(before):,} variants of the baseline is among those judged "
            "now: source, transformations or answers are others; write it anew with "
            "--metamorph-update"
        )
    return _compared(pairs, unmatched, result.seed)


def _same(outcome: Judged, old: list[str] | None) -> bool:
    return old is not None and old[0] in JUDGED and old[1:] == [outcome.digest]


def _compared(pairs: list[tuple[Judged, str]], unmatched: int, seed: int) -> Comparison:
    import numpy as np

    from metamorph.oracles.bootstrap import Resampling
    from metamorph.oracles.outcomes import CHANGED, CHANGES
    from metamorph.oracles.rates import gap
    from metamorph.testing.results import arrays

    clusters, now, ones = arrays(outcome for outcome, _ in pairs)
    changed = [int(result in CHANGES or result == CHANGED) for _, result in pairs]
    then = np.array(changed, dtype=np.int64)
    less = gap(Resampling(clusters, seed), then, ones, now, ones)
    originals = len(set(clusters.tolist()))
    return Comparison(len(pairs), originals, int(then.sum()), int(now.sum()), less, unmatched)


def write(path: Path, fresh: Mapping[str, Entry]) -> None:
    """Put the entries of these tests into the file, those of others staying as they are.

    A file that is no baseline of this version is replaced. Whole or not at all.
    """
    try:
        tests = read(path)
    except UserError:
        tests = {}
    data = {"kind": KIND, "schema": SCHEMA, "metamorph": VERSION, "tests": tests | dict(fresh)}
    write_text(path, json.dumps(data, indent=1, sort_keys=True) + "\n")
