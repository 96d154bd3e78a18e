"""The results of one file, as plain values: what a worker sends and the store writes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from metamorph.models.protocol import Prediction
from metamorph.oracles.outcomes import CHANGED, CHANGES

PARSED = "parsed"
SYNTAX_ERROR = "syntax-error"
NOT_TEXT = "not-text"
WORKER_DIED = "worker-died"
CHANGED_MEANWHILE = "changed-meanwhile"

ANSWERED = "answered"
INCONCLUSIVE = "inconclusive"
NO_ANSWER = "no_answer"
BROKEN = "broken"

OF_ORIGINAL = "original: "
"""Stands before the reason where it is the original that has no answer."""


_PASSING = frozenset({"disconnected", "half-body", "interrupted", "timeout", "unreachable"})
_PASSING_HTTP = re.compile(r"http-(?:408|425|429|5\d\d)")


def passes(error: str) -> bool:
    """Whether asking again later may bring the answer: the fault is that of a server or network."""
    error = error.removeprefix(OF_ORIGINAL)
    return error in _PASSING or _PASSING_HTTP.fullmatch(error) is not None


def unparsable(data: bytes) -> str:
    """The status of a file with a syntax error: UTF-16 is told by its NUL bytes."""
    return NOT_TEXT if b"\0" in data else SYNTAX_ERROR


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
    offsets of the original file. status: one of the four above; reason: why it is not answered;
    rank: that of the original's prediction among the candidates, see `oracles.ranks`; untouched:
    a language model's mean surprise before and after by the tokens that no edit touches.
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
    rank: int | None = None
    untouched: tuple[float, float] | None = None
    prediction: Prediction | None = None


VARIES_BY_CHANCE = "chance"
VARIES_WITH_BATCH = "batch"
VARIES = "unknown"
"""How an original's answers vary: in the same batches too, in other batches alone, or untold."""


@dataclass(slots=True)
class Spending:
    """What the answers to a file's questions cost.

    asked: all questions, repeats included; cached: of these, those not asked anew; told: of the
    others, those of which the model tells the tokens; the tokens are theirs.
    """

    asked: int = 0
    cached: int = 0
    told: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, answer: Prediction) -> None:
        """Count an answer."""
        self.asked += 1
        self.cached += answer.cached
        if answer.usage is not None and not answer.cached:
            self.told += 1
            self.tokens_in += answer.usage[0]
            self.tokens_out += answer.usage[1]


@dataclass(slots=True)
class MethodRow:
    """A method, the model's answer to it as it stands, and its variants.

    blocks: the blocks of its body, which `statements` leaves out; expected: the right answer,
    None where it is not known; unstable: whether repeated answers differ, None where there are
    no two; varies: then how, one of the three words above.
    """

    index: int
    name: str
    owner: str
    line: int
    statements: int
    expected: str | None
    blocks: int = 0
    unstable: bool | None = None
    varies: str = ""
    prediction: Prediction | None = None
    variants: list[VariantRow] = field(default_factory=list)
    refusals: list[Refused] = field(default_factory=list)


@dataclass(slots=True)
class FileRow:
    """A source file: its place in the corpus' order, and its methods.

    status: `parsed`, `syntax-error` (`not-text` where it has NUL bytes besides, as UTF-16 has) or
    the reason for which it was skipped; line: that of the first syntax error; adapted: what the
    model's server had to be asked otherwise so far.
    """

    ordinal: int
    path: str
    status: str
    sha256: str = ""
    size: int = 0
    line: int = 0
    methods: list[MethodRow] = field(default_factory=list)
    spending: Spending = field(default_factory=Spending)
    adapted: tuple[str, ...] = ()
    project: str = ""


def changed_count(variants: Iterable[VariantRow]) -> int:
    """How many variants changed the prediction."""
    return sum(variant.category in CHANGES or variant.category == CHANGED for variant in variants)
