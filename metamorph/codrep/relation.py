"""The metamorphic relation of CodRep: when the program changes, the line must move with the code.

Everything is asked twice, before and after; no right answer is needed.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from metamorph.codrep.changes import Change, Left, Wanted, changes, parsed
from metamorph.codrep.kinds import kind_of_line
from metamorph.codrep.predictors import Answer, Predictor
from metamorph.codrep.reading import BadTaskError, Question, Task
from metamorph.java.tree import Tree
from metamorph.oracles.equivariance import Pointing

_BATCH = 200
_ROOM = 16 * 1024 * 1024
_MOST = 2000
CORRECT, WRONG, UNKNOWN = "correct", "wrong", "unknown"


@dataclass(frozen=True, slots=True)
class Asked:
    """A task that can be asked about: its text, its solution if known, its tree if it parses."""

    task: Task
    question: Question
    solution: int | None
    tree: Tree | None


@dataclass(frozen=True, slots=True)
class Judged:
    """A change of a task's program, the answers before and after, and what they are worth.

    kind: of the line that is replaced, by the solution or else by the answer before; pointing:
    what the oracle judges; places: where the solution's line went, if it is known.
    """

    asked: Asked
    change: Change
    before: Answer
    after: Answer
    kind: str
    pointing: Pointing
    places: frozenset[int]

    @property
    def verdict(self) -> str:
        """Whether the line followed."""
        return self.pointing.verdict

    @property
    def was(self) -> str:
        """Whether the answer before was right."""
        if self.asked.solution is None:
            return UNKNOWN
        return CORRECT if self.before.line == self.asked.solution else WRONG

    @property
    def loss_before(self) -> float | None:
        """The competition's loss; None without a solution."""
        if self.asked.solution is None:
            return None
        return _loss(self.before.line, {self.asked.solution})

    @property
    def loss_after(self) -> float | None:
        """The loss against where the solution went; None where it went nowhere."""
        return _loss(self.after.line, self.places) if self.places else None


def _loss(line: int | None, places: "set[int] | frozenset[int]") -> float:
    return 1.0 if line is None else math.tanh(min(abs(line - place) for place in places))


@dataclass(slots=True)
class Accounts:
    """What was asked and what was not, so that nothing is lost.

    left: candidates and variants that were left out, by transformation and reason; faults:
    answers that were none, by (before or after, reason).
    """

    tasks: int = 0
    bad: Counter[str] = field(default_factory=Counter)
    unparsable: int = 0
    unsolved: int = 0
    variants: int = 0
    silent: int = 0
    right: int = 0
    solved: int = 0
    loss: float = 0.0
    left: Left = field(default_factory=Left)
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note_before(self, asked: Asked, answer: Answer) -> None:
        """Count an answer to an unchanged task."""
        self.silent += answer.line is None
        if answer.fault:
            self.faults["before", answer.fault] += 1
        if asked.solution is not None:
            self.solved += 1
            self.right += answer.line == asked.solution
            self.loss += _loss(answer.line, {asked.solution})


_Made = tuple[Asked, Answer, Change]


def judged(
    tasks: Sequence[Task], predictor: Predictor, wanted: Wanted, accounts: Accounts
) -> Iterator[Judged]:
    """Every variant's outcome, some hundred tasks at a time."""
    rest = _asked(tasks, accounts)
    while batch := list(islice(rest, _BATCH)):
        answers = predictor.predict([asked.question for asked in batch])
        for asked, answer in zip(batch, answers, strict=True):
            accounts.note_before(asked, answer)
        made = (
            (asked, answer, change)
            for asked, answer in zip(batch, answers, strict=True)
            for change in _changes(asked, answer, wanted, accounts)
        )
        for part in _parts(made):
            after = predictor.predict([change.question for _, _, change in part])
            for (asked, answer, change), then in zip(part, after, strict=True):
                if then.fault:
                    accounts.faults["after", then.fault] += 1
                yield _judge(asked, answer, change, then)


def _parts(made: Iterable[_Made]) -> Iterator[list[_Made]]:
    """As many at a time as there is room for."""
    part: list[_Made] = []
    size = 0
    for one in made:
        part.append(one)
        size += len(one[2].question.program)
        if size >= _ROOM or len(part) >= _MOST:
            yield part
            part, size = [], 0
    if part:
        yield part


def _judge(asked: Asked, before: Answer, change: Change, after: Answer) -> Judged:
    where = change.images
    pointed = where.of.get(before.line or 0, frozenset())
    known = where.known & {after.line or 0}
    return Judged(
        asked,
        change,
        before,
        after,
        _kind(asked, before),
        Pointing(before.line, after.line, pointed, known),
        where.of.get(asked.solution or 0, frozenset()),
    )


def _asked(tasks: Sequence[Task], accounts: Accounts) -> Iterator[Asked]:
    for task in tasks:
        accounts.tasks += 1
        try:
            question = task.question()
        except BadTaskError as error:
            accounts.bad[str(error)] += 1
            continue
        solution = task.solution()
        if solution is None or not 1 <= solution <= len(question.lines):
            accounts.unsolved += 1
            solution = None
        tree = parsed(question)
        accounts.unparsable += tree is None
        yield Asked(task, question, solution, tree)


def _changes(asked: Asked, answer: Answer, wanted: Wanted, accounts: Accounts) -> Iterator[Change]:
    if asked.tree is None:
        return
    line = asked.solution or answer.line
    for change in changes(asked.question, asked.tree, line, wanted, accounts.left):
        accounts.variants += 1
        yield change


def _kind(asked: Asked, answer: Answer) -> str:
    line = asked.solution or answer.line
    return kind_of_line(asked.tree, line) if asked.tree is not None and line else "other"
