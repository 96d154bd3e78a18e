"""What the tests of reports share: the summary of a run that never was."""

from metamorph.oracles.summaries import Accounting, Changed, Summary
from metamorph.oracles.tallies import Counted, by_length, tally

PLAN = (("VN", "single"), ("VN", "all"), ("PS", "random"))


def summary(scale: int = 1, repeat: int = 1) -> Summary:
    """A summary of two transformations, its counts multiplied."""
    unstable = False if repeat > 1 else None
    rows = [
        Counted(transform, place, (file, 0), statements, category, count * scale, unstable)
        for transform, place in PLAN
        for file, statements in enumerate((0, 3, 8, 12, 18, 23, 40, 80, 200))
        for category, count in (("CCP", 4), ("CIP", 1), ("WWSP", 5), ("WWDP", 2), ("no_answer", 1))
    ]
    accounting = Accounting(
        files=10,
        unparsable={"syntax-error": 1},
        methods=12,
        methods_without_site=3,
        variants=351 * scale,
        answered=324 * scale,
        inconclusive=0,
        no_answer={"no_contexts": 27 * scale},
        broken={},
        refusals={"VN": {"may-be-inherited-field": 7, "unicode-escape": 1}},
    )
    return Summary(
        model={"name": "code2seq"},
        seed=0,
        repeat=repeat,
        limit=None,
        complete=True,
        files_planned=10,
        corpus="0" * 64,
        versions={"metamorph": "0.1.0"},
        notes=["PS has no place 'all': left out there"],
        accounting=accounting,
        tally=tally(rows, PLAN),
        by_length=list(by_length(rows)),
        examples=[example("VN", "all")],
    )


def example(transform: str, place: str, number: int = 3) -> Changed:
    """A change to look at."""
    about = (transform, place, "CIP", "src/A.java", 7, "A.f")
    return Changed(*about, {"n": "var0"}, "sum", "get", f"1:0:{number}")
