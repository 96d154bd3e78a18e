"""Listings: outcomes one by one, as a report shows them to people."""

from dataclasses import dataclass, field

from metamorph.oracles.outcomes import CHANGED, CHANGES

REFUSED = "refused"
"""The result of a candidate site that was left alone, beside categories and statuses."""

Candidates = tuple[tuple[str, float | None], ...]

RANKED = 5
"""How many of a ranking a listing has."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer; label: None where there is none."""

    label: str | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Program:
    """A method of the study with the answer to it; file, method: its place in the corpus.

    source: what to name on a command line to read the file again; project: "" where the corpus
    is one project; statements: as the report counts them.
    """

    file: int
    method: int
    path: str
    source: str
    project: str
    title: str
    line: int
    statements: int
    expected: str | None
    answer: Answer


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text of a program, its Javadoc too where edits reach it; or why it cannot be shown.

    line: of its first character; candidates: the ranked answers to it.
    """

    text: str
    line: int
    fault: str
    candidates: Candidates


@dataclass(frozen=True, slots=True)
class Detail:
    """What is shown of an item when it is opened.

    edits: (start, end, text), in UTF-16 units of the excerpt's text; said: what the model said
    where that is no answer; truncated: whether it did not see the whole variant.
    """

    edits: tuple[tuple[int, int, str], ...]
    names: dict[str, str]
    candidates: Candidates
    said: str = ""
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """An outcome, a variant without one, or a refusal.

    number: of the variant, or of the refusal, among those of the program; result: a category,
    `same` or `changed`, the status of a variant that was not judged, or `REFUSED`.
    """

    program: Program
    number: int
    transform: str
    place: str
    result: str
    reason: str
    line: int
    answer: Answer
    detail: Detail | None = None

    @property
    def changed(self) -> bool:
        """Whether the answer to the variant is another one."""
        return self.result in CHANGES or self.result == CHANGED


@dataclass(frozen=True, slots=True)
class Listing:
    """The items of a run, or a spread sample of them, those to be opened first coming first.

    total: how many the run has; excerpts: of the programs of items with details, by file and
    method; run: its folder; command: the words that repeat one item, of which `{path}`,
    `{transform}` and `{place}` stand for its own.
    """

    items: list[Item]
    total: int
    excerpts: dict[tuple[int, int], Excerpt] = field(default_factory=dict)
    run: str = ""
    command: tuple[str, ...] = ()
