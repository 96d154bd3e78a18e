"""Answers of a sequence classifier: one of its classes."""

from collections.abc import Sequence
from dataclasses import dataclass

from metamorph.errors import UserError
from metamorph.models.hugging_face.checkpoint import Checkpoint
from metamorph.models.hugging_face.questions import (
    NOT_A_NUMBER,
    Answer,
    Fitted,
    Ids,
    filler,
    fit,
    padded,
)
from metamorph.models.prompts import Prompt, sendable
from metamorph.models.protocol import Example

_CANDIDATES = 10


@dataclass(frozen=True, slots=True)
class Classifier:
    """The likeliest class with its probability; the model reads the bare code.

    labels: the classes' names, as the checkpoint's configuration has them.
    """

    checkpoint: Checkpoint
    prompt: Prompt
    limit: int | None
    labels: tuple[str, ...]

    def question(self, example: Example) -> str:
        """The code, or the user's own prompt with the code in it."""
        return self._text(self._code(example))

    def fit(self, example: Example) -> Fitted | None:
        """The same in tokens."""
        return fit(self._tokens, self._code(example), self.limit)

    def _code(self, example: Example) -> str:
        return sendable(self.prompt.task.code(example.tree, example.node))

    def _text(self, code: str) -> str:
        return self.prompt.asked(code) if self.prompt.own else code

    def _tokens(self, code: str) -> Ids:
        return tuple(self.checkpoint.tokenizer(self._text(code))["input_ids"])

    def answers(self, batch: Sequence[Ids]) -> list[Answer]:
        """The classes by softmax, likeliest first; of equal ones the first in the configuration."""
        import torch

        model = self.checkpoint.model
        ids, mask = padded(batch, self.checkpoint.tokenizer, model.device)
        with torch.inference_mode():
            logits = model(input_ids=ids, attention_mask=mask).logits
        return [self._answer(row) for row in logits.softmax(dim=-1).tolist()]

    def _answer(self, chances: Sequence[float]) -> Answer:
        if any(chance != chance for chance in chances):
            return Answer("", error=NOT_A_NUMBER)
        ranked = sorted(zip(self.labels, chances, strict=True), key=lambda pair: -pair[1])
        label, score = ranked[0]
        return Answer(label, score, tuple(ranked[:_CANDIDATES]))


def classifier(checkpoint: Checkpoint, prompt: Prompt) -> Classifier:
    """A classifier into one of several classes; raises UserError for other heads."""
    config = checkpoint.model.config
    if config.num_labels < 2 or config.problem_type not in (None, "single_label_classification"):
        raise UserError(
            f"model hf:{checkpoint.name}: does not choose one of several classes "
            f"({config.num_labels} outputs, {config.problem_type}); a label needs that"
        )
    config.pad_token_id = filler(checkpoint.tokenizer)
    named = (config.id2label.get(number, number) for number in range(config.num_labels))
    labels = tuple(prompt.task.label(str(label)) for label in named)
    return Classifier(checkpoint, prompt, checkpoint.limit, labels)
