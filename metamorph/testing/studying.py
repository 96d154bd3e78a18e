"""Studying: sources and a model in, a result out; single cases the same way."""

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from metamorph.errors import UserError
from metamorph.java.edits import Edit, apply
from metamorph.java.source import SourceFile
from metamorph.models.protocol import Model
from metamorph.oracles.outcomes import CHANGED, CHANGES
from metamorph.reports.diffs import diff
from metamorph.runs.rows import FileRow, MethodRow, VariantRow
from metamorph.runs.settings import Settings
from metamorph.runs.sightings import Item
from metamorph.runs.workers import study_here
from metamorph.testing.models import fingerprint, is_named, raised
from metamorph.testing.names import Key, Named, label, named
from metamorph.testing.parameters import Parameters
from metamorph.testing.results import Judged, Result
from metamorph.testing.sources import Sources


class ModelRaisedError(RuntimeError):
    """The model raised; its exception is the cause."""


@cache
def session() -> str:
    """Under what answers of servers that tell no revision are kept."""
    return uuid.uuid4().hex


def result_of(model: Model, sources: Sources, parameters: Parameters) -> Result:
    """Study all methods; raises UserError, and ModelRaisedError where the model itself fails."""
    __tracebackhide__ = True
    settings = parameters.settings(sources.paths, model.name)
    names = named(sources.files)
    rows: list[FileRow] = []
    items = (Item(number, file) for number, file in enumerate(sources.files))
    for row in study_here(items, model, settings, session()):
        check(model)
        rows.append(row)
    if not any(method.variants for row in rows for method in row.methods):
        raise UserError(_no_variant(settings, rows))
    return made(model, sources, parameters, _judged_all(rows, sources.files, names), rows)


def made(
    model: Model,
    sources: Sources,
    parameters: Parameters,
    outcomes: Iterable[Judged],
    rows: Sequence[FileRow],
) -> Result:
    """The result that these rows make."""
    methods = [method for row in rows for method in row.methods]
    asked = [method.unstable for method in methods if method.unstable is not None]
    return Result(
        tuple(outcomes),
        parameters.study,
        model.name,
        is_named(model),
        fingerprint(model),
        sources.paths,
        len(methods),
        len(asked),
        sum(asked),
        _refusals(methods),
        sources.skipped,
    )


def check(model: Model) -> None:
    """Raise ModelRaisedError if the model has raised."""
    __tracebackhide__ = True
    fault = raised(model)
    if fault is not None:
        said = f"the model {model.name} raised {type(fault).__name__}: {fault}"
        raise ModelRaisedError(said) from fault


def _no_variant(settings: Settings, rows: Sequence[FileRow]) -> str:
    codes = ", ".join(dict.fromkeys(code for code, _ in settings.plan))
    methods = [method for row in rows for method in row.methods]
    if not methods:
        return "there is no method with a body in the source, so that nothing can be transformed"
    reasons = Counter(f"{r.transform}: {r.reason}" for method in methods for r in method.refusals)
    why = "; ".join(reason for reason, _ in reasons.most_common(3))
    refused = f" (refused: {why})" if why else ""
    return f"{codes}: no place to transform in {len(methods)} methods{refused}"


def _refusals(methods: Sequence[MethodRow]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for method in methods:
        for refused in method.refusals:
            of = found.setdefault(refused.transform, {})
            of[refused.reason] = of.get(refused.reason, 0) + 1
    return found


def _judged_all(
    rows: Sequence[FileRow], files: Sequence[SourceFile], names: dict[Key, Named]
) -> Iterator[Judged]:
    for row in rows:
        for method in row.methods:
            for variant in method.variants:
                about = names[row.ordinal, method.index]
                yield judged(files[row.ordinal], about, method, variant)


def judged(file: SourceFile, about: Named, method: MethodRow, variant: VariantRow) -> Judged:
    """What became of a variant, from its row."""
    edits = [Edit(s, e, t.encode("utf-8", "surrogateescape")) for s, e, t in variant.edits]
    shows = variant.category in CHANGES or variant.category == CHANGED
    before, after = method.prediction, variant.prediction
    return Judged(
        label(about.name, variant.transform, variant.place, variant.sites),
        about.name,
        variant.transform,
        variant.place,
        tuple(variant.sites),
        file.path,
        variant.line,
        variant.category or variant.status,
        variant.reason,
        before.label if before else None,
        after.label if after else None,
        method.expected,
        digest(file.data, about, edits),
        tuple(diff(file.data, apply(file.data, edits))) if shows else (),
    )


def digest(data: bytes, about: Named, edits: Iterable[Edit]) -> str:
    """What tells a variant from others of the same name: the method's text, and the edits."""
    moved = [(e.start - about.start, e.end - about.start, e.text) for e in edits]
    whole = data[about.start : about.end] + b"\0" + repr(moved).encode()
    return hashlib.sha256(whole).hexdigest()[:16]
