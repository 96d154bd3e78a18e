"""What the answers to a method and to its variants come to."""

from collections.abc import Sequence

from metamorph.models.protocol import Prediction, TokenBits
from metamorph.oracles.ranks import rank_of
from metamorph.oracles.untouched import untouched
from metamorph.runs.questions import varies
from metamorph.runs.rows import (
    ANSWERED,
    INCONCLUSIVE,
    NO_ANSWER,
    OF_ORIGINAL,
    MethodRow,
    VariantRow,
)
from metamorph.tasks import Task, judge


def judge_original(method: MethodRow, answers: Sequence[Prediction], task: Task) -> None:
    """Fill in the answer to the method, the first of all askings, and whether they vary."""
    method.prediction = answers[0]
    found = varies([answer.label for answer in answers], task.same)
    if found is not None:
        method.unstable, method.varies = bool(found), found


def judge_variant(variant: VariantRow, method: MethodRow, after: Prediction, task: Task) -> None:
    """Fill in the answer to the variant, and its outcome against that to the method."""
    before = method.prediction
    assert before is not None
    variant.prediction = after
    if before.label is None:
        variant.status, variant.reason = NO_ANSWER, f"{OF_ORIGINAL}{before.error}"
    elif after.label is None:
        variant.status, variant.reason = NO_ANSWER, after.error
    elif method.unstable:
        variant.status = INCONCLUSIVE
    else:
        variant.status = ANSWERED
        outcome = judge(task, before.label, after.label, method.expected, variant.names)
        variant.category = outcome.category
        variant.rank = rank_of(outcome.before, after.label, after.candidates, outcome.same)
        variant.untouched = _untouched(before.tokens, after.tokens, variant)


def _untouched(
    before: TokenBits | None, after: TokenBits | None, variant: VariantRow
) -> tuple[float, float] | None:
    """The surprise of the tokens that no edit touches, where the model tells that of each."""
    if before is None or after is None:
        return None
    one, other = ((told.starts, told.ends, told.bits) for told in (before, after))
    return untouched(one, other, variant.edits)
