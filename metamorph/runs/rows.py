"""The results of one file, as plain values: what a worker sends and the store writes."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from metamorph.models.protocol import Prediction

PARSED = "parsed"
SYNTAX_ERROR = "syntax-error"
NOT_TEXT = "not-text"

ANSWERED = "answered"
INCONCLUSIVE = "inconclusive"
NO_ANSWER = "no_answer"
BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Refused:
    """A candidate that a transformation left alone."""

    transform: str
    reason: str
    line: int


@dataclass(slots=True)
class VariantRow:
    """A variant and what became of it; filled in as the run goes on.

    sites: indices of the sites applied; line: that of the first; edits: (start, end, text), byte
    offsets of the original file. status: one of the four above; reason: why it is not answered.
    """

    transform: str
    place: str
    sites: tuple[int, ...]
    line: int
    names: dict[str, str]
    edits: list[tuple[int, int, str]]
    status: str = ""
    reason: str = ""
    category: str | None = None
    prediction: Prediction | None = None


@dataclass(slots=True)
class MethodRow:
    """A method, the model's answer to it as it stands, and its variants."""

    index: int
    name: str
    owner: str
    line: int
    statements: int
    expected: str
    unstable: bool = False
    prediction: Prediction | None = None
    variants: list[VariantRow] = field(default_factory=list)
    refusals: list[Refused] = field(default_factory=list)


@dataclass(slots=True)
class FileRow:
    """A source file: its place in the corpus' order, and its methods.

    status: `parsed`, `syntax-error` (`not-text` where it has NUL bytes besides, as UTF-16 has) or
    the reason for which it was skipped; line: that of the first syntax error.
    """

    ordinal: int
    path: str
    status: str
    sha256: str = ""
    size: int = 0
    line: int = 0
    methods: list[MethodRow] = field(default_factory=list)


def changed_count(files: Iterable[FileRow]) -> int:
    """How many variants changed the prediction."""
    return sum(
        variant.category in ("CIP", "WCP", "WWDP")
        for file in files
        for method in file.methods
        for variant in method.variants
    )
