"""What is said of a result: a sentence, the changes with their diffs, how to repeat it."""

import shlex
from collections.abc import Iterator, Mapping

from metamorph.testing.results import Judged, Result

_CHANGES = 3
_LINES = 24


def sentence(result: Result) -> str:
    """The numbers of a result in one line."""
    judged, changed = len(result.judged), len(result.changed)
    said = f"{changed:,} of {judged:,} judged variants of {result.originals:,} methods changed"
    if judged:
        said += f", {result.change_rate:.1%}"
    if bounds := result.interval:
        said += f" (95 %: {bounds[0]:.1%} to {bounds[1]:.1%})"
    return "; ".join([said, *_asides(result)])


def _asides(result: Result) -> Iterator[str]:
    """What was not judged, and why."""
    reasons: dict[str, dict[str, int]] = {}
    for outcome in result.outcomes:
        if not outcome.judged:
            of = reasons.setdefault(outcome.result, {})
            of[outcome.reason] = of.get(outcome.reason, 0) + 1
    for name, counts in sorted(reasons.items()):
        why = ", ".join(reason for reason in counts if reason)
        spelt = name.replace("_", " ")
        yield f"{sum(counts.values()):,} {spelt}" + (f" ({why})" if why else "")
    if result.skipped:
        yield f"{len(result.skipped):,} files left out ({'; '.join(_first(result.skipped))})"


def _first(skipped: Mapping[str, str]) -> Iterator[str]:
    for path, fault in list(skipped.items())[:2]:
        yield f"{path}: {fault}"
    if len(skipped) > 2:
        yield "..."


def explanation(result: Result, command: str, *, full: bool) -> list[str]:
    """The changes of a result, how to repeat them, and their edits; cut short unless `full`."""
    shown = result.changed if full else result.changed[:_CHANGES]
    lines = [sentence(result), *(_line(outcome) for outcome in shown)]
    if left := len(result.changed) - len(shown):
        lines.append(f"... and {left:,} more changed (-vv shows all)")
    lines.append(f"seed {result.seed}; again: {command}")
    if run := _run(result):
        lines.append(f"or: {run}")
    for outcome in shown:
        lines += ["", *_diff(outcome, full=full)]
    return lines


def _line(outcome: Judged) -> str:
    said = f"{outcome.id} {outcome.result}: {outcome.before} -> {outcome.after}"
    if outcome.expected is not None and outcome.expected not in (outcome.before, outcome.after):
        said += f" (right: {outcome.expected})"
    return said


def _diff(outcome: Judged, *, full: bool) -> Iterator[str]:
    yield f"{outcome.id}, {outcome.path}:{outcome.line}"
    lines = outcome.diff if full else outcome.diff[:_LINES]
    yield from (f"    {line}" for line in lines)
    if len(lines) < len(outcome.diff):
        yield f"    ... {len(outcome.diff) - len(lines)} more lines (-vv shows all)"


def _run(result: Result) -> str:
    """The command line that makes the same study; "" where none can reach model and source."""
    study = result.study
    if not (result.named and result.paths):
        return ""
    transforms = ",".join(dict.fromkeys(outcome.transform for outcome in result.outcomes))
    words = ["metamorph", "run", *result.paths, "--model", result.model]
    words += ["--transform", transforms, "--place", str(study["place"])]
    words += ["--seed", str(study["seed"]), "--repeat", str(study["repeat"])]
    for name, default in (("task", "method-name"), ("equality", ""), ("limit", None)):
        if study[name] != default:
            words += [f"--{name}", str(study[name])]
    return shlex.join(words)
