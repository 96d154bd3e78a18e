"""Equivariance: a place that a model points at must move as the code there moves."""

from collections.abc import Mapping, Set
from dataclasses import dataclass

FOLLOWS = "follows"
WRONG_LINE = "wrong-line"
NEW_LINE = "new-line"
SILENT = "silent"
REWRITTEN = "rewritten"
VERDICTS = (FOLLOWS, WRONG_LINE, NEW_LINE, SILENT, REWRITTEN)
"""The line moved with the code; it is another line of the original; it is a line that the original
did not have; no answer before or after; and: the line pointed at before is no line afterwards, so
that the relation says nothing."""

VIOLATIONS = frozenset({WRONG_LINE, NEW_LINE})


@dataclass(frozen=True, slots=True)
class Pointing:
    """The lines that a model pointed at, before and after; None for no answer.

    images: where the line pointed at before went, all places where parts of it are; known: lines
    afterwards that were lines before, the one that is pointed at among them if it was one.
    """

    before: int | None
    after: int | None
    images: Set[int]
    known: Set[int]

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`."""
        if self.before is None or self.after is None:
            return SILENT
        if self.after in self.images:
            return FOLLOWS
        if not self.images:
            return REWRITTEN
        return WRONG_LINE if self.after in self.known else NEW_LINE

    @property
    def violates(self) -> bool:
        """Whether the relation does not hold."""
        return self.verdict in VIOLATIONS


@dataclass(frozen=True, slots=True)
class Moved:
    """How often a model's place followed the code; verdicts: counts by verdict."""

    verdicts: Mapping[str, int]

    @property
    def judged(self) -> int:
        """Pairs of answers of which the relation says something."""
        return sum(self.verdicts.get(verdict, 0) for verdict in (FOLLOWS, *VIOLATIONS))

    @property
    def violations(self) -> int:
        """Pairs for which the relation does not hold."""
        return sum(self.verdicts.get(verdict, 0) for verdict in VIOLATIONS)

    @property
    def rate(self) -> float | None:
        """The share of violations; None where nothing was judged."""
        return self.violations / self.judged if self.judged else None
