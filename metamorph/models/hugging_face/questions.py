"""Questions in tokens, cut to what a model holds, and put side by side as tensors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from metamorph.models.protocol import Example

Ids = tuple[int, ...]

NOT_A_NUMBER = "not-a-number"
"""The error of an answer whose score is none, as broken weights give it."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A question in tokens; truncated: the end of the code had to be left out."""

    ids: Ids
    truncated: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question; label is "" where there is an error; written: tokens."""

    label: str
    score: float | None = None
    candidates: tuple[tuple[str, float], ...] = ()
    error: str = ""
    finish_reason: str = ""
    written: int = 0
    text: str = ""


class Reader(Protocol):
    """One of the ways in which a checkpoint answers."""

    @property
    def limit(self) -> int | None:
        """The most tokens of a question, None if there is no limit."""
        ...

    def question(self, example: Example) -> str:
        """The whole text."""
        ...

    def fit(self, example: Example) -> Fitted | None:
        """The text in tokens; None where it is too long even without code."""
        ...

    def answers(self, batch: Sequence[Ids]) -> list[Answer]:
        """The answers, in order."""
        ...


def fit(tokens: Callable[[str], Ids], code: str, limit: int | None) -> Fitted | None:
    """The tokens of as much of the code as fits, found by halving; None if nothing does."""
    ids = tokens(code)
    if limit is None or len(ids) <= limit:
        return Fitted(ids, False)
    low, high, best = 0, len(code), None
    while low < high:
        middle = (low + high) // 2
        ids = tokens(code[:middle])
        if len(ids) <= limit:
            low, best = middle + 1, ids
        else:
            high = middle
    return None if best is None else Fitted(best, True)


def padded(
    batch: Sequence[Ids], tokenizer: Any, device: Any, *, left: bool = False
) -> tuple[Any, Any]:
    """Token ids and attention mask (questions, longest), padded on the right or the left."""
    import torch

    longest = max(map(len, batch))
    ids = torch.full((len(batch), longest), filler(tokenizer), dtype=torch.long)
    mask = torch.zeros_like(ids)
    for row, question in enumerate(batch):
        place = slice(longest - len(question), longest) if left else slice(len(question))
        ids[row, place] = torch.tensor(question, dtype=torch.long)
        mask[row, place] = 1
    return ids.to(device), mask.to(device)


def filler(tokenizer: Any) -> int:
    """The padding; any token does, for none attends to it."""
    for token in (tokenizer.pad_token_id, tokenizer.eos_token_id):
        if token is not None:
            return int(token)
    return 0
