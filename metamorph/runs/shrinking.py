"""Shrinking: the smallest set of sites whose edits still change a prediction."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from metamorph.corpus import read_sources
from metamorph.corpus.addresses import is_address
from metamorph.errors import UserError
from metamorph.java.edits import OverlapError
from metamorph.java.methods import Method, methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.java.variants import BrokenVariantError
from metamorph.models.protocol import Example, Model, Prediction
from metamorph.oracles.outcomes import Outcome
from metamorph.runs.composing import Composed, Step, Unit, compose
from metamorph.runs.minimising import minimal, smallest
from metamorph.runs.outcome_ids import Stored
from metamorph.runs.questions import ask
from metamorph.tasks import Task, judge

TRIED = 256
"""The most smaller sets that are tried to find out whether there is one that does it."""


class NotRepeatableError(ValueError):
    """The outcome does not come again, so that there is nothing to shrink."""


@dataclass(frozen=True, slots=True)
class Case:
    """A method, the steps that change it, and whom to ask; expected: the right answer."""

    method: Method
    steps: tuple[Step, ...]
    seed: int
    handler: str
    expected: str | None
    task: Task


@dataclass(frozen=True, slots=True)
class Shrunk:
    """What was found: `kept` of so many sites, and the program with these alone.

    smallest: it is known that no smaller set does it; else only that none of `kept` can be left
    out, as far as the programs without it have an answer. category: of the outcome of the small
    program; steady: asked again, it gets the same answer. questions: programs and repeats put to
    the model; cached, unanswered: of these; stopped: no more might be asked.
    """

    sites: int
    kept: tuple[tuple[Unit, Site], ...]
    smallest: bool
    program: Composed
    before: Prediction
    whole: Prediction
    after: Prediction
    category: str
    steady: bool
    questions: int
    cached: int
    unanswered: int
    stopped: bool


@dataclass(slots=True)
class _Asking:
    """The model's answers so far, each program asked once; stopped: no more may be asked."""

    model: Model
    case: Case
    most: int
    stopped: bool = False
    before: Prediction | None = None
    known: dict[bytes, Prediction] = field(default_factory=dict)
    questions: int = 0
    cached: int = 0
    unanswered: int = 0

    def put(self, tree: Tree, node: int, repeat: int = 0) -> Prediction:
        example = Example(f"{self.questions}", tree, node, repeat)
        answer = ask(self.model, [example])[example.id]
        self.questions += 1
        self.cached += answer.cached
        self.unanswered += answer.label is None
        return answer

    def answer(self, program: Composed) -> Prediction:
        if program.data not in self.known:
            self.known[program.data] = self.put(program.tree, 0)
        return self.known[program.data]

    def outcome(self, program: Composed) -> Outcome | None:
        """What became of the prediction; None where there is no answer."""
        after = self.answer(program)
        assert self.before is not None and self.before.label is not None
        if after.label is None:
            return None
        expected = self.case.expected
        return judge(self.case.task, self.before.label, after.label, expected, program.names)

    def changes(self, units: Sequence[Unit]) -> bool:
        """Whether the prediction changes with these sites alone."""
        program = _made(self.case, units)
        if program is not None and program.data not in self.known and self.questions >= self.most:
            self.stopped = True
            return False
        outcome = None if program is None else self.outcome(program)
        return outcome is not None and outcome.changed


def _made(case: Case, units: Sequence[Unit] | None) -> Composed | None:
    """The program with these sites; None where there is none, or it would be broken."""
    try:
        return compose(case.method, case.steps, case.seed, case.handler, units)
    except (BrokenVariantError, OverlapError):
        return None


def shrink(case: Case, model: Model, most: int) -> Shrunk:
    """The smallest set of the sites of all steps that changes the prediction.

    Each site is applied as a whole, so that every program that is tried means the same. most: the
    questions after which the smallest set so far has to do. Raises NotRepeatableError where the
    whole does not change it, or not every time.
    """
    asking = _Asking(model, case, most)
    asking.before = _steady_original(asking)
    whole = _made(case, None)
    if whole is None:
        raise NotRepeatableError("the transformations find no site, or cannot go together")
    outcome = asking.outcome(whole)
    if outcome is None:
        raise NotRepeatableError(f"no answer to the variant ({asking.answer(whole).error})")
    if not outcome.changed:
        raise NotRepeatableError(f"the prediction stays {outcome.before!r}")
    units = [unit for unit, _ in whole.applied]
    part = minimal(units, asking.changes)
    part, certain = smallest(units, part, asking.changes, TRIED)
    program = _made(case, part)
    assert program is not None
    return _shrunk(asking, whole, program, certain)


def _steady_original(asking: _Asking) -> Prediction:
    """The answer to the original, which must be the same when it is asked again."""
    method, task = asking.case.method, asking.case.task
    first = asking.put(method.tree, method.node)
    if first.label is None:
        raise NotRepeatableError(f"no answer to the original ({first.error})")
    again = asking.put(method.tree, method.node, 1)
    # A recorded model may not have been asked twice: then nothing is known against it.
    if again.label is not None and not task.same(first.label, again.label):
        raise NotRepeatableError(
            f"the answer to the original is {first.label!r}, and asked again {again.label!r}"
        )
    return first


def _shrunk(asking: _Asking, whole: Composed, program: Composed, certain: bool) -> Shrunk:
    outcome, after = asking.outcome(program), asking.answer(program)
    again = asking.put(program.tree, 0, 1)
    assert outcome is not None and asking.before is not None and after.label is not None
    return Shrunk(
        len(whole.applied),
        program.applied,
        len(program.applied) == 1 or (certain and not asking.unanswered and not asking.stopped),
        program,
        asking.before,
        asking.answer(whole),
        after,
        outcome.category,
        again.label is None or asking.case.task.same(after.label, again.label),
        asking.questions,
        asking.cached,
        asking.unanswered,
        asking.stopped,
    )


def source_of(stored: Stored, paths: Sequence[str]) -> SourceFile:
    """The file of an outcome as it was when the run read it; raises UserError."""
    if stored.path.endswith(".java") and os.path.isfile(stored.path):
        with open(stored.path, "rb") as file:
            data = file.read()
        if hashlib.sha256(data).hexdigest() == stored.sha256:
            return SourceFile(stored.path, data)
    for path in paths:
        if not is_address(path) and not os.path.exists(path):
            raise UserError(
                f"{path}: the source is gone; call this from the folder in which the run was made"
            )
    for source in read_sources(paths):
        if (
            isinstance(source, SourceFile)
            and hashlib.sha256(source.data).hexdigest() == stored.sha256
        ):
            return source
    raise UserError(f"{stored.path}: changed or gone since the run; repeat the run")


def method_of(stored: Stored, file: SourceFile) -> Method:
    """The method of an outcome in its file."""
    for method in methods(file, parse(file.data)):
        if method.index == stored.method:
            return method
    raise UserError(f"{stored.id}: this version finds no such method; repeat the run")


def check_edits(stored: Stored, case: Case) -> None:
    """Raise UserError unless the outcome's sites still have the edits that the run stored."""
    made = _made(case, None)
    edits = sorted(
        (edit.start, edit.end, edit.text.decode("utf-8", "surrogateescape"))
        for _, site in (made.applied if made else ())
        for edit in site.edits
    )
    if edits != sorted(stored.edits):
        raise UserError(
            f"{stored.id}: this version of metamorph edits that method otherwise; repeat the run"
        )
