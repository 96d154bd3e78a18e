"""What the report says in plain language."""

from collections.abc import Iterator

from metamorph.oracles.summaries import Summary
from metamorph.oracles.tallies import Tally
from metamorph.transforms import UnknownTransformError, load

_FEW = 20
"""From so many originals on, a rate is worth a headline."""

_PLACES = {"single": "in one place", "all": "in all places at once", "random": "in a random place"}


def name_of(transform: str) -> str:
    """`variable renaming`; the code alone where its transformation is not installed."""
    try:
        return load(transform).NAME
    except (UnknownTransformError, ImportError):
        return transform


def percent(rate: float | None) -> str:
    """`40.5 %`, with a space that does not break; a dash for none."""
    return "–" if rate is None else f"{100 * rate:.1f}\xa0%"


def interval(bounds: tuple[float, float] | None) -> str:
    """`35.1 to 45.5 %`, "" for none."""
    return "" if bounds is None else f"{100 * bounds[0]:.1f} to {100 * bounds[1]:.1f}\xa0%"


def share(part: int, whole: int) -> str:
    """A share as people say it: `4 times in 10`, `1 time in 40`, `never`."""
    if not part:
        return "never"
    if part == whole:
        return "every time"
    if part / whole > 0.95:
        return "almost every time"
    if part / whole >= 0.15:
        tenths = round(10 * part / whole)
        return f"{tenths} times in 10"
    return f"1 time in {_round_number(whole / part):,}"


def _round_number(number: float) -> int:
    """Two digits are enough to imagine it."""
    return int(float(f"{number:.1g}")) if number >= 20 else round(number)


def headline(summary: Summary) -> str:
    """The one sentence that says what was found."""
    judged = judged_rows(summary)
    model = summary.model.get("name", "the model")
    if not summary.accounting.variants:
        return "Nothing was tested: no code in this corpus could be changed."
    if not judged:
        return f"{model} answered none of the {summary.accounting.variants:,} changed programs."
    worst = max(judged, key=lambda row: row.change_rate or 0.0)
    if not worst.changed:
        return f"{model} kept its answer in all {sum(r.judged for r in judged):,} changed programs."
    often = share(worst.changed, worst.judged)
    several = any(r.transform == worst.transform and r.place != worst.place for r in judged)
    where = f" {place_words(worst.place)}" if several else ""
    return f"{sentence_name(worst.transform)}{where} changes the answer {often}."


def lead(summary: Summary) -> Iterator[str]:
    """The sentences below the headline."""
    model = summary.model.get("name", "the model")
    rows = judged_rows(summary)
    methods = summary.accounting.methods
    if not summary.accounting.variants:
        yield f"The corpus has {counted(methods, 'method')}; the reasons are below."
        return
    as_is = "as it is" if methods == 1 else "as they are"
    variants = counted(summary.accounting.variants, "variant that means", "variants that mean")
    yield (
        f"{model} was asked about {counted(methods, 'method')} {as_is}, and about {variants} the "
        "same. A model that understood the code would answer as before."
    )
    if len({row.transform for row in rows}) > 1:
        best = min(rows, key=lambda row: row.change_rate or 0.0)
        often = share(best.changed, best.judged)
        if best.changed:
            yield f"It minds {name_of(best.transform)} least: the answer changes {often}."
        else:
            yield f"{sentence_name(best.transform)} never changed an answer."
    if rows:
        yield from _of_noise(summary)


def _of_noise(summary: Summary) -> Iterator[str]:
    noise = [row.noise_floor for row in summary.tally if row.noise_floor is not None]
    if not noise:
        yield "How often answers change by themselves was not measured."
    elif not max(noise):
        yield "Asked the same again, it never changed its answer."
    else:
        yield f"Asked the same again, it changes its answer to {percent(max(noise))} of programs."


def counted(count: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def judged_rows(summary: Summary) -> list[Tally]:
    """The rows of transformations that have a rate, controls left out.

    Rows of a handful of originals, whose rate says little, only where there are no others.
    """
    rows = [row for row in summary.tally if row.judged and not row.control]
    return [row for row in rows if row.originals >= _FEW] or rows


def sentence_name(transform: str) -> str:
    """The transformation's name, as a sentence begins."""
    name = name_of(transform)
    return name[:1].upper() + name[1:]


def place_words(place: str) -> str:
    """A place in words."""
    return _PLACES.get(place, place)
