"""The report as JSON, for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from metamorph.oracles.bootstrap import Estimate, Interval
from metamorph.oracles.contrasts import SingleAll
from metamorph.oracles.copied import ByCopy, CopyScores, CopyTally
from metamorph.oracles.ranks import Moves
from metamorph.oracles.rates import Rate
from metamorph.oracles.subtokens import Scores
from metamorph.oracles.summaries import Accounting, OriginalScores, Summary
from metamorph.oracles.tallies import LengthTally, ProjectTally, SubtokenTally, Tally
from metamorph.reports.gates import Verdict

SCHEMA_VERSION = 1
"""Raised when a field goes or means something else; new fields do not raise it."""


def render(summary: Summary, verdicts: Sequence[Verdict] = ()) -> str:
    """One JSON object; rates are shares between 0 and 1, null where there is nothing to share.

    Its form is `schema/report.schema.json`.
    """
    return json.dumps(as_object(summary, verdicts), indent=2, ensure_ascii=False)


def as_object(summary: Summary, verdicts: Sequence[Verdict] = ()) -> dict[str, Any]:
    """The report's JSON object."""
    return {
        "schema_version": SCHEMA_VERSION,
        "model": summary.model,
        "task": summary.task,
        "equality": summary.equality,
        "seed": summary.seed,
        "repeat": summary.repeat,
        "limit": summary.limit,
        "complete": summary.complete,
        "files_planned": summary.files_planned,
        "corpus": summary.corpus,
        "versions": summary.versions,
        "count_blocks": summary.count_blocks,
        "clusters": asdict(summary.clusters),
        "notes": summary.notes,
        "accounting": _accounting(summary.accounting),
        "spent": asdict(summary.spent),
        "tally": [_tally(row) for row in summary.tally],
        "by_length": [_by_length(row) for row in summary.by_length],
        "by_project": [_by_project(row) for row in summary.by_project],
        "by_duplicate": _by_duplicate(summary.by_copy),
        "single_all": [_single_all(row) for row in summary.single_all],
        "moves": [_moves(row) for row in summary.moves],
        "originals": _originals(summary.originals),
        "gates": [_verdict(verdict) for verdict in verdicts],
        "examples": [asdict(row) for row in summary.examples],
    }


def _accounting(accounting: Accounting) -> dict[str, Any]:
    return {
        "files": accounting.files,
        "files_unparsable": sum(accounting.unparsable.values()),
        "unparsable_reasons": accounting.unparsable,
        "methods": accounting.methods,
        "methods_without_site": accounting.methods_without_site,
        "variants": accounting.variants,
        "answered": accounting.answered,
        "inconclusive": accounting.inconclusive,
        "truncated": accounting.truncated,
        "without_gold": accounting.without_gold,
        "varying_originals": accounting.varying,
        "no_answer": sum(accounting.no_answer.values()),
        "no_answer_reasons": accounting.no_answer,
        "no_answer_examples": accounting.words,
        "broken_variants": sum(accounting.broken.values()),
        "broken_reasons": accounting.broken,
        "refusals": accounting.refusals,
    }


def _tally(row: Tally) -> dict[str, Any]:
    return {
        "transform": row.transform,
        "place": row.place,
        "control": row.control,
        "originals": row.originals,
        "variants": row.variants,
        "judged": row.judged,
        "inconclusive": row.inconclusive,
        "no_answer": row.no_answer,
        "changed": row.changed,
        "change_rate": row.change_rate,
        **_bounds(row.interval),
        "clusters": row.change.clusters,
        "categories": row.categories,
        "without_gold": row.without_gold,
        "truncated": row.truncated,
        "change_rate_without_truncated": row.whole_change_rate,
        "noise_floor": row.noise_floor,
        "layout_floor": row.layout_floor,
        "macro_change_rate": _estimate(row.macro),
        "cip_rate": _rate(row.cip),
        "wcp_rate": _rate(row.wcp),
        "wrong_change_rate": _rate(row.wrong),
        "wrong_less_correct": _estimate(row.wrong_less_correct),
        "subtokens": _subtokens(row.subtokens),
    }


def _by_length(row: LengthTally) -> dict[str, Any]:
    return _part(row) | {"bin": row.bin}


def _by_project(row: ProjectTally) -> dict[str, Any]:
    return _part(row) | {"project": row.project}


def _by_duplicate(of: ByCopy | None) -> dict[str, Any] | None:
    if of is None:
        return None
    return {
        "train_files": of.files,
        "train_corpus": of.fingerprint,
        "originals": [_copy_scores(row) for row in of.scores],
        "tally": [
            _part(row) | {"copied": row.copied, "less_none": _estimate(row.less_none)}
            for row in of.tallies
        ],
    }


def _copy_scores(row: CopyScores) -> dict[str, Any]:
    return {
        "copied": row.copied,
        "methods": row.methods,
        "correct_rate": _rate(row.right),
        "less_none": _estimate(row.less_none),
    }


def _part(row: LengthTally | ProjectTally | CopyTally) -> dict[str, Any]:
    return {
        "transform": row.transform,
        "place": row.place,
        "originals": row.originals,
        "variants": row.variants,
        "judged": row.judged,
        "changed": row.changed,
        "change_rate": row.change_rate,
        **_bounds(row.interval),
    }


def _single_all(row: SingleAll) -> dict[str, Any]:
    return {
        "transform": row.transform,
        "originals": row.originals,
        "single": _rate(row.single),
        "all": _rate(row.all),
        "all_less_single": _estimate(row.all_less_single),
    }


def _moves(row: Moves) -> dict[str, Any]:
    told = asdict(row)
    names = ("untouched_low", "untouched_high")
    untouched = zip(names, told.pop("untouched_interval") or (None, None), strict=True)
    return told | _bounds(told.pop("score_interval")) | dict(untouched)


def _originals(of: OriginalScores | None) -> dict[str, Any] | None:
    if of is None:
        return None
    scores = None if of.scores is None else _scores(of.scores)
    return {
        "asked": of.asked,
        "answered": of.answered,
        "graded": of.graded,
        "correct": of.correct,
        "accuracy": of.accuracy,
        "correct_rate": _rate(of.right),
        "scores": scores,
        "f1": _estimate(of.f1),
    }


def _subtokens(row: SubtokenTally | None) -> dict[str, Any] | None:
    if row is None:
        return None
    return {
        "before": _scores(row.before),
        "after": _scores(row.after),
        "f1_change": _estimate(row.f1_change),
    }


def _scores(of: Scores) -> dict[str, Any]:
    return asdict(of) | {"precision": of.precision, "recall": of.recall, "f1": of.f1}


def _rate(rate: Rate) -> dict[str, Any]:
    return {"count": rate.hits, "of": rate.of, "value": rate.value, **_bounds(rate.interval)}


def _estimate(of: Estimate) -> dict[str, Any]:
    return {"value": of.value, **_bounds(of.interval)}


def _bounds(interval: Interval | None) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {"ci_low": low, "ci_high": high}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "transform": verdict.row.transform,
        "place": verdict.row.place,
        "limit": verdict.limit,
        "result": verdict.result,
        "detail": verdict.detail,
    }
