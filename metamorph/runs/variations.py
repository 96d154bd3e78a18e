"""The variants of a method, by the plan of the run."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metamorph.errors import UserError, fault_of
from metamorph.java.edits import OverlapError
from metamorph.java.methods import Method
from metamorph.java.sites import Refusal, Site
from metamorph.java.source import line_of
from metamorph.java.variants import Variant, make_variant
from metamorph.oracles.controls import IDENTITY
from metamorph.runs.rows import BROKEN, MethodRow, Refused, VariantRow
from metamorph.runs.settings import Settings, chance
from metamorph.transforms import load
from metamorph.transforms._protocol import Choices


@dataclass(frozen=True, slots=True)
class Variation:
    """A variant with its row; no variant where applying the sites failed."""

    row: VariantRow
    variant: Variant | None


def variations(
    method: Method, row: MethodRow, starts: Sequence[int], settings: Settings
) -> Iterator[Variation]:
    """Every variant in the plan's order; refusals are noted in the method's row as they come.

    A transformation that fails on a method gives a broken row, so that the run goes on and the
    fault shows. Raises UserError where a transformation is not to be had.
    """
    for transform, place in settings.plan:
        try:
            sites = _sites(method, row, starts, transform, settings, place)
        except (MemoryError, UserError):
            raise
        except Exception as error:
            yield _failed(transform, place, (), method.line, fault_of(error))
            continue
        for chosen in sites:
            yield _variation(method, starts, transform, place, chosen)


def _sites(
    method: Method,
    row: MethodRow,
    starts: Sequence[int],
    transform: str,
    settings: Settings,
    place: str,
) -> list[tuple[Site, ...]]:
    """The sites of each variant; refusals are noted in the row, each once."""
    groups, refusals = found(method, transform, place, settings)
    if not refusals:
        return groups
    noted = Counter(Refused(transform, r.reason, line_of(starts, r.anchor)) for r in refusals)
    row.refusals += (noted - Counter(row.refusals)).elements()
    return groups


def found(
    method: Method, transform: str, place: str, settings: Settings
) -> tuple[list[tuple[Site, ...]], list[Refusal]]:
    """The sites of each variant, one by one, all together, or one by chance; the refusals."""
    choices = Choices.for_file(
        method.file.data,
        lambda: chance(settings.seed, method, transform, place),
        distinct=place == "all",
        handler=settings.handler,
    )
    sites: list[Site] = []
    refusals: list[Refusal] = []
    for each in load(transform).sites(method, choices):
        if isinstance(each, Refusal):
            refusals.append(each)
        else:
            sites.append(each)
    if not sites or place == "all":
        return ([tuple(sites)] if sites else []), refusals
    if place == "single":
        return [(site,) for site in sites], refusals
    return [(choices.rng.choice(sites),)], refusals


def _variation(
    method: Method, starts: Sequence[int], transform: str, place: str, sites: tuple[Site, ...]
) -> Variation:
    indices = tuple(site.index for site in sites)
    line = line_of(starts, sites[0].anchor)
    try:
        variant = make_variant(method, sites, place)
    except (OverlapError, ValueError) as error:
        return _failed(transform, place, indices, line, type(error).__name__)
    edits = [(e.start, e.end, e.text.decode("utf-8", "surrogateescape")) for e in variant.edits]
    row = VariantRow(transform, place, indices, line, variant.name_map, edits)
    if not variant.changes and transform != IDENTITY:
        row.status, row.reason = BROKEN, "nothing-changed"
        return Variation(row, None)
    return Variation(row, variant)


def _failed(
    transform: str, place: str, sites: tuple[int, ...], line: int, reason: str
) -> Variation:
    row = VariantRow(transform, place, sites, line, {}, [], status=BROKEN, reason=reason)
    return Variation(row, None)
