"""The report as LaTeX: tables of the booktabs package, to be put into a paper."""

from collections.abc import Iterator, Sequence

from metamorph.characters import visible
from metamorph.oracles.summaries import Summary
from metamorph.reports.gates import Verdict
from metamorph.reports.grids import grids
from metamorph.reports.tables import latex


def render(summary: Summary, verdicts: Sequence[Verdict] = ()) -> str:
    """All tables; the document that takes them in needs the packages booktabs and longtable."""
    return "\n".join(_parts(summary, verdicts))


def _parts(summary: Summary, verdicts: Sequence[Verdict]) -> Iterator[str]:
    yield f"% {visible(summary.model['name'])}, seed {summary.seed}; needs booktabs, longtable"
    if not summary.complete:
        done, planned = summary.accounting.files, summary.files_planned
        yield f"% INCOMPLETE: {done:,} of {planned:,} files"
        yield f"\\par\\noindent\\textbf{{Incomplete run: {done:,} of {planned:,} files.}}\\par"
    yield from (f"% note: {visible(note)}" for note in summary.notes)
    if not summary.accounting.variants:
        yield "% no variants: there is nothing to judge"
    yield from (latex(grid) for grid in grids(summary, verdicts))
