"""Results of the relation: counts by transformation, by kind of line, by the answer before."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from metamorph.codrep.relation import Accounts, Judged
from metamorph.oracles.equivariance import VERDICTS, Moved

GROUPS = ("transform", "kind", "before")


@dataclass(slots=True)
class Tally:
    """Counts of one group; losses: of the pairs that have both, before and after."""

    verdicts: Counter[str] = field(default_factory=Counter)
    losses: list[tuple[float, float]] = field(default_factory=list)

    def add(self, one: Judged) -> None:
        """Count one more."""
        self.verdicts[one.verdict] += 1
        before, after = one.loss_before, one.loss_after
        if before is not None and after is not None:
            self.losses.append((before, after))

    def row(self) -> dict[str, Any]:
        """The counts and rates."""
        moved, count = Moved(self.verdicts), len(self.losses)
        return {
            "variants": self.verdicts.total(),
            "judged": moved.judged,
            **{verdict: self.verdicts[verdict] for verdict in VERDICTS},
            "violation_rate": moved.rate,
            "with_loss": count,
            "loss_before": sum(before for before, _ in self.losses) / count if count else None,
            "loss_after": sum(after for _, after in self.losses) / count if count else None,
        }


class Tallies:
    """The tallies of all groups, and of all together."""

    def __init__(self) -> None:
        self.all = Tally()
        self._groups: dict[str, dict[str, Tally]] = {group: {} for group in GROUPS}

    def add(self, one: Judged) -> None:
        """Count one more in each of its groups."""
        self.all.add(one)
        for group, name in zip(GROUPS, (one.change.transform, one.kind, one.was), strict=True):
            self._groups[group].setdefault(name, Tally()).add(one)

    def rows(self) -> dict[str, Any]:
        """All counts, group by group."""
        found = {
            f"by_{group}": [{group: name, **tally.row()} for name, tally in sorted(tallies.items())]
            for group, tallies in self._groups.items()
        }
        return {"all": self.all.row(), **found}


def accounting(accounts: Accounts) -> dict[str, Any]:
    """What was asked and what was not."""
    left: dict[str, dict[str, int]] = {}
    for (transform, reason), count in sorted(accounts.left.reasons.items()):
        left.setdefault(transform, {})[reason] = count
    faults = {f"{when}: {why}": count for (when, why), count in sorted(accounts.faults.items())}
    return {
        "tasks": accounts.tasks,
        "bad_tasks": dict(sorted(accounts.bad.items())),
        "unparsable": accounts.unparsable,
        "without_solution": accounts.unsolved,
        "variants": accounts.variants,
        "silent_before": accounts.silent,
        "solved": accounts.solved,
        "loss": accounts.loss / accounts.solved if accounts.solved else None,
        "recall": accounts.right / accounts.solved if accounts.solved else None,
        "faults": faults,
        "left": left,
    }


def outcome(one: Judged, predictor: str) -> dict[str, Any]:
    """One outcome as a JSON object, with the texts of the lines, to be read by people."""
    before, after = one.asked.question.lines, one.change.question.lines
    pointing = one.pointing
    return {
        "predictor": predictor,
        "dataset": one.asked.task.dataset.name,
        "task": one.asked.task.path.name,
        "transform": one.change.transform,
        "method": one.change.method,
        "verdict": one.verdict,
        "kind": one.kind,
        "was": one.was,
        "solution": one.asked.solution,
        "before": one.before.line,
        "after": one.after.line,
        "expected": sorted(pointing.images),
        "fault": one.before.fault or one.after.fault,
        "inserted_before": _text(one.asked.question.inserted),
        "inserted_after": _text(one.change.question.inserted),
        "text_before": _line(before, one.before.line),
        "text_after": _line(after, one.after.line),
        "text_expected": [_line(after, line) for line in sorted(pointing.images)],
        "edits": [[e.start, e.end, _text(e.text)] for e in one.change.edits],
    }


def _line(lines: list[bytes], number: int | None) -> str | None:
    return _text(lines[number - 1]) if number and number <= len(lines) else None


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def table(results: Mapping[str, Any]) -> str:
    """The counts of one predictor for a terminal."""
    lines: list[str] = []
    for group in GROUPS:
        rows = results[f"by_{group}"]
        if lines:
            lines.append("")
        lines += _columns(rows if group != GROUPS[0] else [*rows, _total(results)], group)
    return "\n".join(lines) + "\n"


def _total(results: Mapping[str, Any]) -> dict[str, Any]:
    return {"transform": "all", **results["all"]}


def _columns(rows: Iterable[Mapping[str, Any]], group: str) -> Iterator[str]:
    shown: list[tuple[str, Callable[[Any], str]]] = [
        *((name, str) for name in ("variants", "judged", *VERDICTS)),
        ("violation_rate", _share),
        ("loss_before", _loss),
        ("loss_after", _loss),
    ]
    widths = [max(len(name), 6) for name, _ in shown]
    heads = "  ".join(f"{name:>{width}}" for (name, _), width in zip(shown, widths, strict=True))
    yield f"{group:<12}{heads}"
    for row in rows:
        cells = (
            f"{form(row[name]):>{width}}" for (name, form), width in zip(shown, widths, strict=True)
        )
        yield f"{row[group]:<12}{'  '.join(cells)}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f} %"


def _loss(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
