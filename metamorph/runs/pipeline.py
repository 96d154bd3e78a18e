"""One file through the whole pipeline: methods, variants, predictions, outcomes."""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from metamorph.corpus import Skipped
from metamorph.java.edits import Edit
from metamorph.java.methods import Method, methods
from metamorph.java.source import SourceFile, line_of, line_starts
from metamorph.java.tree import Tree, parse
from metamorph.models.protocol import Example, Model, Prediction
from metamorph.oracles.lengths import statement_count
from metamorph.oracles.outcomes import Outcome
from metamorph.runs.checks import checked
from metamorph.runs.questions import ask_all, unstable
from metamorph.runs.rows import (
    ANSWERED,
    INCONCLUSIVE,
    NO_ANSWER,
    NOT_TEXT,
    PARSED,
    SYNTAX_ERROR,
    FileRow,
    MethodRow,
    VariantRow,
)
from metamorph.runs.settings import Settings
from metamorph.runs.variations import variations


@dataclass(slots=True)
class _Study:
    """A file at work: its rows, and which of them waits for which answer."""

    settings: Settings
    model: Model
    row: FileRow
    originals: list[Example] = field(default_factory=list)
    waiting: list[tuple[VariantRow, MethodRow, str]] = field(default_factory=list)


def study_file(
    ordinal: int, source: SourceFile | Skipped, model: Model, settings: Settings
) -> FileRow:
    """All results of a file; they depend on the file, the model and the settings alone."""
    if isinstance(source, Skipped):
        return FileRow(ordinal, source.path, source.reason)
    digest = hashlib.sha256(source.data).hexdigest()
    row = FileRow(ordinal, source.path, PARSED, digest, len(source.data))
    tree = parse(source.data)
    if tree.has_error:
        row.status = NOT_TEXT if b"\0" in source.data else SYNTAX_ERROR
        row.line = _error_line(tree)
        return row
    study = _Study(settings, model, row)
    answers = ask_all(model, _examples(study, source, tree))
    rng = random.Random(f"{settings.seed} {digest}")
    varying = unstable(model, study.originals, answers, settings.repeat, rng)
    _judge(study, answers, varying)
    return row


def _error_line(tree: Tree) -> int:
    """The line of the first ERROR or MISSING node."""
    starts = line_starts(tree.data)
    cursor = tree.syntax.walk()
    while True:
        node = cursor.node
        assert node is not None
        if node.is_error or node.is_missing:
            return line_of(starts, node.start_byte)
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return 1


def _examples(study: _Study, source: SourceFile, tree: Tree) -> Iterator[Example]:
    """What the model is asked: of each method that has variants, itself and then these."""
    starts = line_starts(source.data)
    for method in methods(source, tree):
        if study.settings.limit is not None and method.index >= study.settings.limit:
            return
        row = _method_row(method, study.model)
        study.row.methods.append(row)
        yield from _method_examples(study, method, row, starts)


def _method_row(method: Method, model: Model) -> MethodRow:
    statements = statement_count(method.tree, method.body)
    expected = model.label(method.name)
    return MethodRow(method.index, method.name, method.owner, method.line, statements, expected)


def _method_examples(
    study: _Study, method: Method, row: MethodRow, starts: list[int]
) -> Iterator[Example]:
    """The examples of a method; variants of the same bytes are asked once."""
    asked: dict[tuple[Edit, ...], str] = {}
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
                original = Example(f"{method.index}", method.tree, method.node)
                study.originals.append(original)
                yield original
            asked[edits] = f"{method.index}.{len(asked)}"
            yield Example(asked[edits], tree, 0)
        study.waiting.append((variation.row, row, asked[edits]))


def _judge(study: _Study, answers: dict[str, Prediction], varying: set[str]) -> None:
    """Fill in predictions and outcomes."""
    for variant, method, id in study.waiting:
        before, after = answers[str(method.index)], answers[id]
        method.prediction, method.unstable = before, str(method.index) in varying
        variant.prediction = after
        if before.label is None:
            variant.status, variant.reason = NO_ANSWER, f"original: {before.error}"
        elif after.label is None:
            variant.status, variant.reason = NO_ANSWER, after.error
        elif method.unstable:
            variant.status = INCONCLUSIVE
        else:
            variant.status = ANSWERED
            outcome = Outcome(before.label, after.label, method.expected)
            variant.category = outcome.category
