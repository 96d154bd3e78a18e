"""The report as JSON, for programs."""

import json
from dataclasses import asdict
from typing import Any

from metamorph.oracles.summaries import Accounting, Summary
from metamorph.oracles.tallies import LengthTally, Tally


def render(summary: Summary) -> str:
    """One JSON object; rates are shares between 0 and 1, null where there is nothing to share."""
    return json.dumps(as_object(summary), indent=2, ensure_ascii=False)


def as_object(summary: Summary) -> dict[str, Any]:
    """The report's JSON object."""
    return {
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
        "notes": summary.notes,
        "accounting": _accounting(summary.accounting),
        "spent": asdict(summary.spent),
        "tally": [_tally(row) for row in summary.tally],
        "by_length": [_by_length(row) for row in summary.by_length],
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
    low, high = row.interval or (None, None)
    return {
        "transform": row.transform,
        "place": row.place,
        "originals": row.originals,
        "variants": row.variants,
        "judged": row.judged,
        "inconclusive": row.inconclusive,
        "no_answer": row.no_answer,
        "changed": row.changed,
        "change_rate": row.change_rate,
        "ci_low": low,
        "ci_high": high,
        "categories": row.categories,
        "without_gold": row.without_gold,
        "truncated": row.truncated,
        "change_rate_without_truncated": row.whole_change_rate,
        "noise_floor": row.noise_floor,
    }


def _by_length(row: LengthTally) -> dict[str, Any]:
    return {
        "transform": row.transform,
        "place": row.place,
        "bin": row.bin,
        "variants": row.variants,
        "judged": row.judged,
        "changed": row.changed,
        "change_rate": row.change_rate,
    }
