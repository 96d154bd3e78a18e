"""The report as annotations of GitHub Actions: lines that mark files and lines."""

import os
from collections.abc import Iterator, Sequence
from itertools import groupby

from metamorph.oracles.summaries import Changed, Summary
from metamorph.reports.gates import FAILED, NOT_JUDGED, Verdict

MOST = 10
"""Annotations of a kind that GitHub shows for a step."""

_Annotation = tuple[str, dict[str, str], str]


def annotations(summary: Summary, verdicts: Sequence[Verdict] = ()) -> str:
    """Errors for failed gates, warnings for what is not known, notices for examples; a line each.

    Of more than `MOST` of a kind the last one counts the rest.
    """
    found = sorted(_found(summary, verdicts), key=lambda one: one[0])
    lines = []
    for kind, group in groupby(found, key=lambda one: one[0]):
        of_kind = list(group)
        kept = of_kind if len(of_kind) <= MOST else of_kind[: MOST - 1]
        lines += [_line(*one) for one in kept]
        if left := len(of_kind) - len(kept):
            lines.append(_line(kind, {}, f"and {left:,} more; see the report"))
    return "".join(f"{line}\n" for line in lines)


def _found(summary: Summary, verdicts: Sequence[Verdict]) -> Iterator[_Annotation]:
    examples = {(row.transform, row.place): row for row in summary.examples}
    failed = [v for v in verdicts if v.result == FAILED]
    for verdict in failed:
        example = examples.pop((verdict.row.transform, verdict.row.place), None)
        said = f"{verdict.sentence}; for example, {_said(example)}" if example else verdict.sentence
        yield "error", _place(example, "gate failed"), said
    for verdict in verdicts:
        if verdict.result == NOT_JUDGED:
            yield "warning", {"title": "not judged"}, verdict.sentence
    yield from (("warning", {"title": "metamorph"}, fault) for fault in _faults(summary))
    for example in examples.values():
        about = f"{example.transform} {example.place}"
        yield "notice", _place(example, f"{about} changes the prediction"), _said(example)


def _said(row: Changed) -> str:
    names = "".join(f", {old} to {new}" for old, new in row.names.items())
    return f"{row.method}{names}: {row.before} became {row.after} ({row.category})"


def _place(row: Changed | None, title: str) -> dict[str, str]:
    if row is None:
        return {"title": title}
    return {"file": _relative(row.path), "line": str(row.line), "title": title}


def _relative(path: str) -> str:
    """As GitHub names it: from the checkout's top, with slashes."""
    top = os.environ.get("GITHUB_WORKSPACE") or os.getcwd()
    whole = os.path.abspath(path)
    inside = whole.startswith(top.rstrip(os.sep) + os.sep)
    return (os.path.relpath(whole, top) if inside else path).replace(os.sep, "/")


def _faults(summary: Summary) -> Iterator[str]:
    of = summary.accounting
    if not summary.complete:
        yield f"incomplete run: {of.files:,} of {summary.files_planned:,} files"
    if silent := sum(of.no_answer.values()):
        yield f"{silent:,} of {of.variants:,} variants have no answer"
    if broken := sum(of.broken.values()):
        yield f"{broken:,} variants were broken, not put to the model"
    if not of.variants:
        yield "no variants: there is nothing to judge"


def _line(kind: str, properties: dict[str, str], message: str) -> str:
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind}{' ' if told else ''}{told}::{_data(message)}"


def _data(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode()
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
