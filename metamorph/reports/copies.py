"""The tables of what a model does on copies of what it was trained on."""

from metamorph.oracles.copied import CopyScores, CopyTally
from metamorph.oracles.summaries import Summary
from metamorph.reports.shares import part, with_interval
from metamorph.reports.tables import Grid

COPIED = {
    "method": "copies",
    "file": "in copied files",
    "none": "neither",
    "untold": "too small",
}
"""What methods are, the values of `oracles.copied.COPIED`, for people."""

NOTE = (
    "Copies: near-duplicates of methods of the training corpus. In copied files: others, in "
    "near-duplicates of its files. Too small: to tell, others of fewer than 20 identifiers and "
    "literals. Less neither: in percentage points."
)


def copies(summary: Summary) -> tuple[Grid, Grid]:
    """How methods are answered as they stand, and how often their variants change that."""
    scores = summary.by_copy.scores if summary.by_copy else []
    tallies = summary.by_copy.tallies if summary.by_copy else []
    controls = {row.transform for row in summary.tally if row.control}
    changes = tuple(_changes(row) for row in tallies if row.transform not in controls)
    heads = ("methods", "number", "graded", "right", "less neither")
    counts = ("originals", "judged", "changed", "change rate", "95 % interval", "less neither")
    return (
        Grid(
            "Right predictions of copies of the training corpus",
            heads,
            tuple(map(_right, scores)),
            1,
            (NOTE,),
            "tab:copies",
        ),
        Grid(
            "Changed predictions of copies of the training corpus",
            ("transformation", "place", "methods", *counts),
            changes,
            3,
            (),
            "tab:copies-changed",
        ),
    )


def _right(row: CopyScores) -> tuple[str, ...]:
    about = (COPIED[row.copied], f"{row.methods:,}", f"{row.right.of:,}")
    return (*about, with_interval(row.right), with_interval(row.less_none))


def _changes(row: CopyTally) -> tuple[str, ...]:
    about = (row.transform, row.place, COPIED[row.copied])
    return (*about, *part(row), with_interval(row.less_none))
