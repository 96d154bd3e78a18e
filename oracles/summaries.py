"""The summary of a run: everything that a report of it shows."""

from dataclasses import dataclass, field

from metamorph.oracles.bootstrap import Estimate
from metamorph.oracles.contrasts import SingleAll
from metamorph.oracles.copied import ByCopy
from metamorph.oracles.ranks import Moves
from metamorph.oracles.rates import NO_RATE, Rate
from metamorph.oracles.subtokens import Scores
from metamorph.oracles.tallies import LengthTally, ProjectTally, Tally


@dataclass(frozen=True, slots=True)
class Accounting:
    """Every input accounted for.

    files = parsed + those in `unparsable`; variants = answered + those in `no_answer`, where
    answered includes the inconclusive; broken ones were never put to the model. truncated: those
    answered although the model did not see the whole of them or of their original; without_gold:
    those answered of which no right answer is known; varying: originals whose answers varied, by
    how (see `runs.rows`); words: an example of what came instead of an answer, by the error.
    Dictionaries map reasons to counts, `refusals` a transformation to these.
    """

    files: int
    unparsable: dict[str, int]
    methods: int
    methods_without_site: int
    variants: int
    answered: int
    inconclusive: int
    no_answer: dict[str, int]
    broken: dict[str, int]
    refusals: dict[str, dict[str, int]]
    truncated: int = 0
    without_gold: int = 0
    varying: dict[str, int] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, read and written, in any currency; None: not told."""

    tokens_in: float | None = None
    tokens_out: float | None = None

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """What so many tokens cost; None where no price is told."""
        if self.tokens_in is None and self.tokens_out is None:
            return None
        paid = tokens_in * (self.tokens_in or 0.0) + tokens_out * (self.tokens_out or 0.0)
        return paid / 1_000_000


NO_PRICES = Prices()


@dataclass(frozen=True, slots=True)
class Spent:
    """What the answers took.

    asked: questions, those asked again included; cached: of these, those answered from the cache;
    told: of the others, those of which the model tells the tokens, `tokens_in` and `tokens_out`;
    cost: of these, by the run's prices; None where no price or no token is told.
    """

    asked: int = 0
    cached: int = 0
    told: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Clusters:
    """What intervals are over: `original` methods, or `project`s where these are many.

    projects: how many the corpus has, 0 where they cannot be told.
    """

    kind: str = "original"
    projects: int = 0


@dataclass(frozen=True, slots=True)
class OriginalScores:
    """How well the model answers the methods as they stand, each counted once (table 1).

    Of methods with a site, for others are not asked. graded: those answered of which a right
    answer is known, `correct` of them right; scores: over subtokens, None where answers are none;
    right: correct / graded, f1: that of the scores, both with intervals.
    """

    asked: int
    answered: int
    graded: int
    correct: int
    scores: Scores | None = None
    right: Rate = NO_RATE
    f1: Estimate = field(default_factory=lambda: Estimate(None))

    @property
    def accuracy(self) -> float | None:
        """correct / graded."""
        return self.correct / self.graded if self.graded else None


@dataclass(frozen=True, slots=True)
class Changed:
    """One variant whose prediction changed, to look at; names: old to new.

    id: file, method and variant, numbered as in the run's store: `3:12:0`.
    """

    transform: str
    place: str
    category: str
    path: str
    line: int
    method: str
    names: dict[str, str]
    before: str
    after: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A run in numbers, and what was run.

    files_planned: the files of the corpus, all of them studied when `complete`; examples: one
    for each transformation and place that changed something; by_project: empty with one project;
    single_all: for transformations in both places; count_blocks: whether lengths count blocks;
    by_copy: None where what the model was trained on is not told.
    """

    model: dict[str, str]
    seed: int
    repeat: int
    limit: int | None
    complete: bool
    files_planned: int
    corpus: str
    versions: dict[str, str]
    notes: list[str]
    accounting: Accounting
    tally: list[Tally]
    by_length: list[LengthTally]
    examples: list[Changed]
    task: str = "method-name"
    equality: str = ""
    spent: Spent = field(default_factory=Spent)
    by_project: list[ProjectTally] = field(default_factory=list)
    single_all: list[SingleAll] = field(default_factory=list)
    moves: list[Moves] = field(default_factory=list)
    clusters: Clusters = field(default_factory=Clusters)
    originals: OriginalScores | None = None
    count_blocks: bool = False
    by_copy: ByCopy | None = None
