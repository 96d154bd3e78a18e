"""What a language model is: it tells of every token of a program how much it surprises."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class TokenScores:
    """A row a token, in order.

    bits: the surprise, -log2 of the probability that the model gave to the token, or to the
    unknown token in its place; ranks: how many the model thought likelier, and one; known: whether
    the token is in the vocabulary; identifiers: whether it is a name.
    """

    bits: npt.NDArray[np.float64]
    ranks: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
    identifiers: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.bits)


@runtime_checkable
class LanguageModel(Protocol):
    """A model that can be measured token by token."""

    def token_scores(self, data: bytes) -> TokenScores:
        """Each token of a source, given those before it in that source."""
        ...


COUNTS = ("tokens", "right", "reciprocal", "bits")
"""Tokens, those that the model thought likeliest, the sum of 1 / rank, the sum of bits."""

OF_IDENTIFIERS = tuple(f"id {name}" for name in COUNTS)


def sums(scores: TokenScores) -> tuple[float, ...]:
    """COUNTS over all tokens, then over the identifiers.

    A token that is not in the vocabulary is never right and its 1 / rank is 0 (Allamanis 2019,
    section 4.1); its bits are those of the unknown token.
    """
    right = (scores.ranks == 1) & scores.known
    reciprocal = scores.known / scores.ranks
    columns = (np.ones(len(scores)), right, reciprocal, scores.bits)
    names = scores.identifiers
    return (*(float(c.sum()) for c in columns), *(float(c[names].sum()) for c in columns))


def measures(summed: tuple[float, ...]) -> dict[str, float]:
    """Accuracy, mean reciprocal rank and perplexity, of all tokens and of identifiers."""
    found: dict[str, float] = {}
    for suffix, (tokens, right, reciprocal, bits) in (("", summed[:4]), ("-ID", summed[4:])):
        of = max(tokens, 1.0)
        found |= {f"Acc{suffix}": right / of, f"MRR{suffix}": reciprocal / of}
        found[f"PPL{suffix}"] = 2 ** (bits / of)
    return {"tokens": summed[0], **found}
