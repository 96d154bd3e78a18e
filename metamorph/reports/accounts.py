"""The accounts of a run: where every file, method and variant went, in lines of text."""

from collections.abc import Iterator, Mapping

from metamorph.characters import visible
from metamorph.oracles.summaries import Accounting, OriginalScores, Spent, Summary

_FEW = 4
"""How many reasons of a kind are shown; the JSON report has all."""

_LONGEST = 120
"""The most characters of an answer that are shown."""


def accounts(summary: Summary) -> Iterator[tuple[str, str]]:
    """Names, "" where one goes on, and what is said of each."""
    yield from _account_lines(summary.accounting)
    yield from _original_lines(summary.originals)
    yield from _spent_lines(summary.spent)
    yield from (("note", note) for note in summary.notes)


def cut(answer: str) -> str:
    """An answer in one line, a long one cut, and nothing in it that a terminal would obey."""
    line = visible(answer)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _original_lines(of: OriginalScores | None) -> Iterator[tuple[str, str]]:
    """How well the model does without any transformation."""
    if of is None or of.accuracy is None:
        return
    right = f"{100 * of.accuracy:.1f}% of {of.graded:,} methods answered right as they stand"
    yield "accuracy", right + (f", F1 {of.scores.f1:.3f}" if of.scores else "")


def _account_lines(accounting: Accounting) -> Iterator[tuple[str, str]]:
    lost = sum(accounting.unparsable.values())
    files = f"{accounting.files:,} = {accounting.files - lost:,} parsed + {lost:,} unparsable"
    yield "files", files + _reasons(accounting.unparsable)
    yield "methods", f"{accounting.methods:,}, {accounting.methods_without_site:,} without a site"
    silent = sum(accounting.no_answer.values())
    variants = f"{accounting.variants:,} = {accounting.answered:,} answered + {silent:,} no answer"
    yield "variants", variants + _reasons(accounting.no_answer)
    for error, words in list(accounting.words.items())[:_FEW]:
        yield "", f"{error}: {cut(words)}"
    if accounting.inconclusive:
        yield "", f"{accounting.inconclusive:,} inconclusive: the original's own answer varies"
    if accounting.varying:
        yield "", _varying(accounting.varying)
    if accounting.truncated:
        yield "", f"{accounting.truncated:,} truncated: the model did not see all of the method"
    if accounting.broken:
        broken = f"{sum(accounting.broken.values()):,} not put to the model"
        yield "BROKEN", broken + _reasons(accounting.broken)
    for transform, reasons in accounting.refusals.items():
        yield f"{transform} refused", f"{sum(reasons.values()):,}" + _reasons(reasons)


def _varying(varying: Mapping[str, int]) -> str:
    """How the answers to the originals vary, as far as that can be told."""
    total = f"{sum(varying.values()):,} originals vary"
    if varying.get("chance"):
        return f"{total}: in the same batches too, by chance"
    if varying.get("batch"):
        return f"{total}, but not in the same batches: answers depend on what else is in a batch"
    return f"{total}: by chance or with the batch; --repeat 4 or more tells"


def _spent_lines(spent: Spent) -> Iterator[tuple[str, str]]:
    if spent.cached:
        yield (
            "asked",
            f"{spent.asked:,} questions, {spent.cached:,} of them answered from the cache",
        )
    fresh = spent.asked - spent.cached
    if spent.told or spent.cost is not None:
        cost = "" if spent.cost is None else f", cost {spent.cost:,.4f}"
        part = f" (of {spent.told:,} answers of {fresh:,})" if spent.told < fresh else ""
        yield "tokens", f"{spent.tokens_in:,} read, {spent.tokens_out:,} written{part}{cost}"


def _reasons(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return ""
    ranked = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{reason} {count:,}" for reason, count in ranked[:_FEW]]
    rest = sum(count for _, count in ranked[_FEW:])
    return f" ({', '.join(shown)}{f', other {rest:,}' if rest else ''})"
