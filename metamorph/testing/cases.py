"""Cases: variants one by one, each a test item of its own."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from metamorph.errors import UserError
from metamorph.java.methods import Method, methods
from metamorph.java.source import SourceFile, line_starts
from metamorph.java.tree import Tree, parse
from metamorph.java.variants import Variant
from metamorph.models.protocol import Example, Model, Prediction
from metamorph.reports.diffs import diff
from metamorph.runs.cache import remembering
from metamorph.runs.checks import checked
from metamorph.runs.judging import judge_original, judge_variant
from metamorph.runs.questions import ask, asked_again
from metamorph.runs.rows import (
    PARSED,
    FileRow,
    MethodRow,
    VariantRow,
)
from metamorph.runs.settings import Settings
from metamorph.runs.variations import variations
from metamorph.tasks import load as load_task
from metamorph.testing.names import Named, label, named
from metamorph.testing.parameters import Parameters
from metamorph.testing.results import Result
from metamorph.testing.sources import Source, Sources, read
from metamorph.testing.studying import check, judged, made, session


@dataclass(frozen=True, slots=True)
class Case:
    """A variant of a method; tree: its own tree, node 0 being the method."""

    id: str
    file: SourceFile
    about: Named
    variant: Variant
    tree: Tree
    row: VariantRow

    @property
    def before(self) -> str:
        """The method's source."""
        return self.variant.original.tree.text(self.variant.original.node)

    @property
    def after(self) -> str:
        """The transformed method's source."""
        return self.tree.text(0)

    @property
    def diff(self) -> str:
        """The edit as a unified diff of the file."""
        return "\n".join(diff(self.file.data, self.variant.data))

    def __repr__(self) -> str:
        return f"<Case {self.id}>"


def collect(given: Sequence[Source], parameters: Parameters, folders: Sequence[Path]) -> list[Case]:
    """Every variant of the sources, in order; raises UserError where there is none."""
    sources = read(given, folders)
    settings = parameters.settings(sources.paths, "")
    found = list(_cases(sources, settings))
    for path, fault in sources.skipped.items():
        warnings.warn(f"metamorph: {path}: {fault}; left out", stacklevel=2)
    if not found:
        codes = ", ".join(dict.fromkeys(code for code, _ in settings.plan))
        raise UserError(f"{codes}: no place to transform in {', '.join(map(str, given))}")
    return found


def _cases(sources: Sources, settings: Settings) -> Iterator[Case]:
    names = named(sources.files)
    left = settings.limit
    for number, file in enumerate(sources.files):
        for method in methods(file, parse(file.data)):
            if left is not None and left <= 0:
                return
            left = None if left is None else left - 1
            yield from _of_method(method, names[number, method.index], settings)


def _of_method(method: Method, about: Named, settings: Settings) -> Iterator[Case]:
    row = _row(method, None)
    for variation in variations(method, row, line_starts(method.file.data), settings):
        tree = checked(variation, settings) if variation.variant is not None else None
        row_of = variation.row
        id = label(about.name, row_of.transform, row_of.place, row_of.sites)
        if variation.variant is None or tree is None:
            warnings.warn(f"metamorph: {id}: broken ({row_of.reason}); left out", stacklevel=2)
            continue
        yield Case(id, method.file, about, variation.variant, tree, row_of)


def _row(method: Method, expected: str | None) -> MethodRow:
    return MethodRow(method.index, method.name, method.owner, method.line, 0, expected)


def result_of(model: Model, case: Case, parameters: Parameters) -> Result:
    """Ask the model about the method and the case; raises ModelRaisedError."""
    __tracebackhide__ = True
    task = load_task(parameters.task, parameters.equality)
    method = case.variant.original
    gold = case.file.gold if method.index == 0 else None
    is_name = task.name == "method-name"
    expected = model.label(method.name) if is_name else task.gold(method.name, gold)
    row = _row(method, expected)
    variant = replace(case.row)
    asked = remembering(model, parameters.options, session())
    answers, after = _answers(asked, case, parameters)
    check(model)
    judge_original(row, answers, task)
    judge_variant(variant, row, after, task)
    row.variants.append(variant)
    file = FileRow(0, case.file.path, PARSED, methods=[row])
    sources = Sources((case.file,), {}, (case.file.path,))
    return made(model, sources, parameters, [judged(case.file, case.about, row, variant)], [file])


def _answers(
    model: Model, case: Case, parameters: Parameters
) -> tuple[list[Prediction], Prediction]:
    """All answers to the original, and the one to the variant."""
    method = case.variant.original
    original = Example("before", method.tree, method.node)
    both = ask(model, [original, Example("after", case.tree, 0)])
    again = asked_again(model, [original], parameters.repeat, Random(parameters.seed))
    return [both["before"], *again], both["after"]
