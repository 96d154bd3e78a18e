"""The report as Markdown, for pages and for the summary of a CI step."""

import posixpath
from collections.abc import Iterator, Sequence

from metamorph.oracles.summaries import Changed, Summary
from metamorph.reports.accounts import cut
from metamorph.reports.gates import FAILED, Verdict
from metamorph.reports.grids import grids
from metamorph.reports.tables import markdown, markdown_text


def render(summary: Summary, verdicts: Sequence[Verdict] = ()) -> str:
    """The whole document."""
    return "\n".join(_lines(summary, verdicts))


def _lines(summary: Summary, verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield f"# Metamorphic test of {markdown_text(summary.model['name'])}\n"
    for sentence in _head(summary, verdicts):
        yield f"{sentence}\n"
    for grid in grids(summary, verdicts):
        yield f"## {markdown_text(grid.title)}\n"
        yield markdown(grid)
    if summary.examples:
        yield "## Examples\n"
        yield from (_example(row) for row in summary.examples)
        yield ""


def _head(summary: Summary, verdicts: Sequence[Verdict]) -> Iterator[str]:
    if not summary.complete:
        done, planned = summary.accounting.files, summary.files_planned
        yield f"**INCOMPLETE: {done:,} of {planned:,} files.**"
    if failed := sum(verdict.result == FAILED for verdict in verdicts):
        yield f"**{failed} of {len(verdicts)} gates failed.**"
    elif verdicts:
        yield f"None of {len(verdicts)} gates failed."
    settings = f"Task {summary.task}, seed {summary.seed}"
    if summary.limit is not None:
        settings += f", first {summary.limit:,} methods"
    yield markdown_text(settings) + "."
    if not summary.accounting.variants:
        yield "No variants: there is nothing to judge."
    yield from (f"Note: {markdown_text(note)}" for note in summary.notes)


def _example(row: Changed) -> str:
    where = f"{row.method} ({posixpath.basename(row.path)}:{row.line})"
    names = "".join(f", {old} to {new}" for old, new in row.names.items())
    head = f"- **{row.transform} {row.place}**, {row.category}"
    head += f", {row.id}" if row.id else ""
    answers = f"{markdown_text(cut(row.before))} became {markdown_text(cut(row.after))}"
    return f"{head}: {answers} in {markdown_text(where + names)}"
