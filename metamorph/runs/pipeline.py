"""Files through the whole pipeline: methods, variants, predictions, outcomes."""

import hashlib
import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from metamorph.corpus import Skipped
from metamorph.corpus.projects import project_of
from metamorph.java.edits import Edit
from metamorph.java.methods import Method
from metamorph.java.source import SourceFile, line_starts
from metamorph.limits import Guard, Limits
from metamorph.models.protocol import Example, Model, Prediction
from metamorph.oracles.lengths import block_count, statement_count
from metamorph.runs.checks import checked
from metamorph.runs.judging import judge_original, judge_variant
from metamorph.runs.limited import each_step, read, refused_whole
from metamorph.runs.questions import ask_within, asked_again, batches
from metamorph.runs.rows import (
    PARSED,
    FileRow,
    MethodRow,
    VariantRow,
)
from metamorph.runs.settings import Settings
from metamorph.runs.variations import variations
from metamorph.tasks import Task
from metamorph.tasks import load as load_task

Numbered = tuple[int, SourceFile | Skipped]
"""A source, and its place in the corpus."""


@dataclass(slots=True)
class Study:
    """A file at work: its rows, and which of them waits for which answer.

    read: all its examples are given out; guard: what it may take.
    """

    settings: Settings
    model: Model
    task: Task
    row: FileRow
    originals: list[Example] = field(default_factory=list)
    waiting: list[tuple[VariantRow, MethodRow, str]] = field(default_factory=list)
    answers: dict[str, list[Prediction]] = field(default_factory=dict)
    read: bool = False
    guard: Guard = field(default_factory=lambda: Guard(Limits()))

    def take(self, answer: Prediction) -> None:
        """Keep an answer; those to the same question come in the order of their askings."""
        self.answers.setdefault(answer.id, []).append(answer)
        self.row.spending.add(answer)


def study_each(sources: Iterable[Numbered], model: Model, settings: Settings) -> Iterator[FileRow]:
    """The results file by file: they depend on the file, the model and the settings alone."""
    left = settings.limit
    for numbered in sources:
        for row in study_together([numbered], model, settings, left):
            yield row
            if left is not None:
                left -= len(row.methods)
                if left <= 0:
                    return


def study_together(
    sources: Iterable[Numbered], model: Model, settings: Settings, most: int | None
) -> Iterator[FileRow]:
    """The results in order; a batch may hold the examples of several files.

    most: the first so many methods of all files together.
    """
    at_work: deque[Study] = deque()
    for batch in batches(_stream(sources, model, settings, most, at_work)):
        answers = ask_within(model, batch, at_work[-1].guard)
        by_ordinal = {study.row.ordinal: study for study in at_work}
        for example in batch:
            by_ordinal[_ordinal(example.id)].take(answers[example.id])
        if at_work[0].read:
            yield from _judged([at_work.popleft() for study in list(at_work) if study.read])
    yield from _judged(list(at_work))


def _ordinal(id: str) -> int:
    return int(id.partition(".")[0])


def _stream(
    sources: Iterable[Numbered],
    model: Model,
    settings: Settings,
    most: int | None,
    at_work: deque[Study],
) -> Iterator[Example]:
    """The examples of all files; each file is put to those at work before its first."""
    for ordinal, source in sources:
        study = begin(ordinal, source, model, settings)
        at_work.append(study)
        yield from examples(study, source, most)
        study.read = True
        if most is not None:
            most -= len(study.row.methods)
            if most <= 0:
                return


def begin(ordinal: int, source: SourceFile | Skipped, model: Model, settings: Settings) -> Study:
    """The study of a file of which nothing is known yet."""
    task = load_task(settings.options.task, settings.options.equality)
    if isinstance(source, Skipped):
        return Study(settings, model, task, FileRow(ordinal, source.path, source.reason))
    digest = hashlib.sha256(source.data).hexdigest()
    row = FileRow(ordinal, source.path, PARSED, digest, len(source.data))
    row.project = source.project or project_of(source.path, settings.paths)
    return Study(settings, model, task, row)


def examples(study: Study, source: SourceFile | Skipped, most: int | None) -> Iterator[Example]:
    """What the model is asked: of each method that has variants, itself and then these.

    The rows are filled in as it goes on. most: the first so many methods only.
    """
    if isinstance(source, Skipped):
        return
    reading = read(source, study.settings.limits)
    study.guard = reading.guard
    study.row.status, study.row.line = reading.status, reading.line
    starts = line_starts(source.data)
    gold = gold_of(source, reading.methods)
    for method in reading.methods[:most]:
        row = _method_row(method, study, gold if method.index == 0 else None)
        study.row.methods.append(row)
        steps = _method_examples(study, method, row, starts)
        yield from each_step(reading.guard, steps, partial(_refuse, study, row))


def _refuse(study: Study, row: MethodRow, reason: str) -> None:
    """Leave a method alone of which some variants may have been given out already."""
    refused_whole(row, study.settings, reason)
    while study.waiting and study.waiting[-1][1] is row:
        study.waiting.pop()
    if study.originals and study.originals[-1].id == f"{study.row.ordinal}.{row.index}":
        study.originals.pop()


def gold_of(source: SourceFile, found: Sequence[Method]) -> str | None:
    """The corpus' answer, which is about the first method if all others lie within it."""
    if source.gold is None or not found:
        return None
    first, *others = found
    if any(method.start >= first.end for method in others):
        return None
    return source.gold


def _method_row(method: Method, study: Study, gold: str | None) -> MethodRow:
    statements = statement_count(method.tree, method.body)
    named = study.task.name == "method-name"
    expected = study.model.label(method.name) if named else study.task.gold(method.name, gold)
    about = (method.index, method.name, method.owner, method.line, statements, expected)
    return MethodRow(*about, block_count(method.tree, method.body))


def _method_examples(
    study: Study, method: Method, row: MethodRow, starts: list[int]
) -> Iterator[Example]:
    """The examples of a method; variants of the same bytes are asked once."""
    asked: dict[tuple[Edit, ...], str] = {}
    id = f"{study.row.ordinal}.{method.index}"
    for variation in variations(method, row, starts, study.settings):
        row.variants.append(variation.row)
        if variation.variant is None:
            continue
        edits = variation.variant.edits
        if edits not in asked:
            tree = checked(variation, study.settings)
            if tree is None:
                continue
            if not asked:
                original = Example(id, method.tree, method.node)
                study.originals.append(original)
                yield original
            asked[edits] = f"{id}.{len(asked)}"
            # What was asked already, when it is asked again, is another question to the cache.
            repeat = 0 if edits else study.settings.repeat
            yield Example(asked[edits], tree, 0, repeat)
        study.waiting.append((variation.row, row, asked[edits]))


def _judged(studies: list[Study]) -> Iterator[FileRow]:
    """The rows of files whose questions are answered, after asking their originals again."""
    if not studies:
        return
    model, settings = studies[0].model, studies[0].settings
    by_ordinal = {study.row.ordinal: study for study in studies}
    originals = [original for study in studies for original in study.originals]
    rng = random.Random(f"{settings.seed} {studies[0].row.sha256}")
    for answer in asked_again(model, originals, settings.repeat, rng):
        by_ordinal[_ordinal(answer.id)].take(answer)
    for study in studies:
        _judge(study)
        yield study.row


def _judge(study: Study) -> None:
    """Fill in predictions and outcomes."""
    for variant, method, id in study.waiting:
        if method.prediction is None:
            answers = study.answers[f"{study.row.ordinal}.{method.index}"]
            judge_original(method, answers, study.task)
        judge_variant(variant, method, study.answers[id][0], study.task)
