"""What the tests of the paper kit share: summaries of which every number is known."""

from collections.abc import Sequence
from dataclasses import replace

from metamorph.oracles.contrasts import single_against_all
from metamorph.oracles.counts import collect
from metamorph.oracles.subtokens import Scores
from metamorph.oracles.summaries import Accounting, OriginalScores, Summary
from metamorph.oracles.tallies import Counted, by_length, tally
from metamorph.reports.paper.studies import Study, study

CATEGORIES = (("CCP", 6), ("CIP", 2), ("WWSP", 5), ("WCP", 1), ("WWDP", 4))
"""18 outcomes of an original, 7 of them changes."""

PLAN = (("VN", "single"), ("VN", "all"), ("PS", "single"), ("TC", "random"), ("UN", "single"))


def summary(plan: Sequence[tuple[str, str]] = PLAN, model: str = "code2seq") -> Summary:
    """A summary of 4 originals of 3 to 120 statements, all with the same outcomes."""
    rows = [
        Counted(transform, place, (file, 0), statements, category, count)
        for transform, place in plan
        for file, statements in enumerate((0, 3, 8, 120))
        for category, count in CATEGORIES
    ]
    variants = 72 * len(plan)
    return Summary(
        model={"name": model, "kind": model, "sha256": "ab" * 32},
        seed=0,
        repeat=1,
        limit=None,
        complete=True,
        files_planned=4,
        corpus="0" * 64,
        versions={"metamorph": "0.1.0"},
        notes=[],
        accounting=Accounting(4, {}, 4, 0, variants, variants, 0, {}, {}, {}),
        tally=tally(rows, plan),
        by_length=list(by_length(rows)),
        examples=[],
        single_all=list(single_against_all(collect(rows, plan), 0)),
        originals=OriginalScores(4, 4, 4, 1, Scores(3, 1, 2)),
    )


def silent() -> Summary:
    """A summary of a run that found nothing to judge."""
    nothing = Accounting(1, {"syntax-error": 1}, 0, 0, 0, 0, 0, {}, {}, {})
    found = replace(summary(), accounting=nothing, tally=tally([], PLAN), by_length=[])
    return replace(found, single_all=[], originals=None)


def own(data_set: str = "", model: str = "code2seq") -> Study:
    """A study of the summary."""
    return study(summary(model=model), "my-run", data_set)
