"""Answers of a masked-token model: the method's name, filled in."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from metamorph.errors import UserError
from metamorph.models.hugging_face.checkpoint import Checkpoint
from metamorph.models.hugging_face.questions import NOT_A_NUMBER, Answer, Fitted, Ids, fit, padded
from metamorph.models.prompts import Prompt, sendable
from metamorph.models.protocol import Example
from metamorph.tasks.method_name import MASK

LONGEST = 3
"""The most tokens of a name."""

_PIECE = re.compile(r"(?:[ĠĊ▁]|##)?[A-Za-z0-9_$]+(?:</w>)?")


@dataclass(frozen=True, slots=True)
class Namer:
    """Names of one to three tokens in the place of the masked one; the best mean wins.

    Masks are filled from left to right, each with the likeliest token of letters and digits, the
    next one given it. A score is the geometric mean of the tokens' probabilities.
    pieces: whether a token of the vocabulary is made of letters and digits.
    """

    checkpoint: Checkpoint
    prompt: Prompt
    limit: int | None
    mask: str
    mask_id: int
    pieces: Any

    def question(self, example: Example) -> str:
        """The method with three masks in the place of its name."""
        return "".join(self._parts(example))

    def fit(self, example: Example) -> Fitted | None:
        """The same in tokens; the code is cut after the name only."""
        before, after = self._parts(example)

        def tokens(rest: str) -> Ids:
            return tuple(self.checkpoint.tokenizer(before + rest)["input_ids"])

        return fit(tokens, after, self.limit)

    def _parts(self, example: Example) -> tuple[str, str]:
        """The code up to the masks and these, and the code after them."""
        tree, node = example.tree, example.node
        name = tree.child(node, "name")
        code = sendable(self.prompt.task.code(tree, node))
        before = sendable(
            tree.data[tree.start[node] : tree.start[name]].decode("utf-8", "surrogateescape")
        )
        return before + self.mask * LONGEST, code[len(before) + len(MASK) :]

    def answers(self, batch: Sequence[Ids]) -> list[Answer]:
        """The best name of each length, likeliest first."""
        found = [self._filled(batch, length) for length in range(1, LONGEST + 1)]
        return [self._answer(list(names)) for names in zip(*found, strict=True)]

    def _filled(self, batch: Sequence[Ids], length: int) -> list[tuple[str, float]]:
        """Names of that many tokens, and their scores."""
        import torch

        places = [self._place(question) for question in batch]
        shorter = [q[:at] + q[at + LONGEST - length :] for q, at in zip(batch, places, strict=True)]
        tokenizer, model = self.checkpoint.tokenizer, self.checkpoint.model
        ids, attended = padded(shorter, tokenizer, model.device)
        rows = torch.arange(len(batch), device=ids.device)
        at = torch.tensor(places, device=ids.device)
        total = torch.zeros(len(batch), device=ids.device)
        for step in range(length):
            with torch.inference_mode():
                logits = model(input_ids=ids, attention_mask=attended).logits[rows, at + step]
            chances = logits.log_softmax(dim=-1)
            best, token = chances.masked_fill(~self.pieces, -torch.inf).max(dim=-1)
            ids[rows, at + step] = token
            total += best
        names = [tokenizer.decode(row[p : p + length]) for row, p in zip(ids, places, strict=True)]
        return list(zip(names, (total / length).exp().tolist(), strict=True))

    def _place(self, question: Ids) -> int:
        """Where the masks begin; one that is a word of the code stands alone."""
        masks = (self.mask_id,) * LONGEST
        return next(at for at in range(len(question)) if question[at : at + LONGEST] == masks)

    def _answer(self, names: list[tuple[str, float]]) -> Answer:
        if not all(isfinite(score) for _, score in names):
            return Answer("", error=NOT_A_NUMBER)
        ranked = sorted(names, key=lambda pair: -pair[1])
        candidates: dict[str, float] = {}
        for name, score in ranked:
            candidates.setdefault(self.prompt.task.label(name), score)
        candidates.pop("", None)
        if not candidates:
            return Answer("", error="empty-answer", text=ranked[0][0])
        label, score = next(iter(candidates.items()))
        return Answer(label, score, tuple(candidates.items()), text=ranked[0][0])


def namer(checkpoint: Checkpoint, prompt: Prompt) -> Namer:
    """A namer; raises UserError where the tokenizer has no mask."""
    import torch

    tokenizer, model = checkpoint.tokenizer, checkpoint.model
    if tokenizer.mask_token is None:
        raise UserError(f"model hf:{checkpoint.name}: its tokenizer has no mask token")
    if prompt.own:
        raise UserError(f"model hf:{checkpoint.name}: fills in names, and takes no --prompt")
    size = model.config.vocab_size
    pieces = torch.zeros(size, dtype=torch.bool)
    special = set(tokenizer.all_special_ids)
    for token, number in tokenizer.get_vocab().items():
        if number < size and number not in special and _PIECE.fullmatch(token):
            pieces[number] = True
    return Namer(
        checkpoint,
        prompt,
        checkpoint.limit,
        tokenizer.mask_token,
        tokenizer.mask_token_id,
        pieces.to(model.device),
    )
