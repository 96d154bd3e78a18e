"""Answers that a causal or a seq2seq model writes, token after token."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite
from typing import Any

from metamorph.errors import UserError
from metamorph.models.answers import read_answer
from metamorph.models.hugging_face.checkpoint import CAUSAL, Checkpoint
from metamorph.models.hugging_face.questions import (
    NOT_A_NUMBER,
    Answer,
    Fitted,
    Ids,
    filler,
    fit,
    padded,
)
from metamorph.models.options import Options
from metamorph.models.prompts import Prompt, sendable
from metamorph.models.protocol import Example

CUT_OFF = "cut-off"
"""The error of a name or a label that was not finished within the longest answer."""

_DATE = "01 Jan 2025"
_FIXED = (
    "bos_token_id",
    "decoder_start_token_id",
    "eos_token_id",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "suppress_tokens",
    "begin_suppress_tokens",
)


@dataclass(frozen=True, slots=True)
class Writer:
    """The likeliest token at each step, or the best of a beam.

    chats: the question is a turn of a talk, as the tokenizer's template writes it; ends: the
    tokens that end an answer; a score is the geometric mean of the tokens' probabilities.
    """

    checkpoint: Checkpoint
    prompt: Prompt
    limit: int | None
    beam: int
    chats: bool
    ends: frozenset[int]

    def question(self, example: Example) -> str:
        """The prompt with the code in it."""
        return self._text(self._code(example))

    def fit(self, example: Example) -> Fitted | None:
        """The prompt in tokens; what is cut is the code, never the prompt around it."""
        return fit(self._tokens, self._code(example), self.limit)

    def _code(self, example: Example) -> str:
        return sendable(self.prompt.task.code(example.tree, example.node))

    def _text(self, code: str) -> str:
        """The question; templates that would tell today's date get one that stays."""
        asked = self.prompt.asked(code)
        if not self.chats:
            return asked
        turn: str = self.checkpoint.tokenizer.apply_chat_template(
            [{"role": "user", "content": asked}],
            tokenize=False,
            add_generation_prompt=True,
            enable_thinking=False,
            date_string=_DATE,
        )
        return turn

    def _tokens(self, code: str) -> Ids:
        tokenizer = self.checkpoint.tokenizer
        ids = tokenizer(self._text(code), add_special_tokens=not self.chats)["input_ids"]
        ended = ids and ids[-1] == tokenizer.eos_token_id
        if ended and not self.chats and self.checkpoint.kind == CAUSAL:
            ids = ids[:-1]  # The model is to go on.
        return tuple(ids)

    def answers(self, batch: Sequence[Ids]) -> list[Answer]:
        """What the model writes; the other ends of a beam are candidates."""
        import torch

        causal = self.checkpoint.kind == CAUSAL
        model = self.checkpoint.model
        ids, mask = padded(batch, self.checkpoint.tokenizer, model.device, left=causal)
        chances = _Chances()
        with torch.inference_mode():
            out = model.generate(
                input_ids=ids,
                attention_mask=mask,
                logits_processor=[] if self.beam > 1 else [chances],
            )
        texts = out.sequences[:, ids.shape[1] if causal else 1 :].tolist()
        if self.beam > 1:
            scores = out.sequences_scores.exp().tolist()
        else:
            steps = torch.stack(chances.steps, dim=1).tolist()
            scores = [
                _mean(step[: self._end(text) + 1]) for step, text in zip(steps, texts, strict=True)
            ]
        width = max(self.beam, 1)
        rows = range(0, len(texts), width)
        return [self._answer(texts[n : n + width], scores[n : n + width]) for n in rows]

    def _end(self, text: Sequence[int]) -> int:
        """Where the token stands that ends the text, or the text's length."""
        return next((at for at, token in enumerate(text) if token in self.ends), len(text))

    def _answer(self, texts: Sequence[list[int]], scores: Sequence[float]) -> Answer:
        """The answer of the first text."""
        end = self._end(texts[0])
        written = min(end + 1, len(texts[0]))
        if not isfinite(scores[0]):
            return Answer("", error=NOT_A_NUMBER, written=written)
        candidates: dict[str, float] = {}
        for text, score in zip(texts, scores, strict=True):
            label, _ = self._read(text)
            if label:
                candidates.setdefault(label, score)
        label, error = self._read(texts[0])
        reason = "stop" if end < len(texts[0]) else "length"
        told = tuple(candidates.items()) if label else ()
        return Answer(label, scores[0], told, error, reason, written, self._spoken(texts[0]))

    def _spoken(self, text: Sequence[int]) -> str:
        kept = text[: self._end(text)]
        spoken: str = self.checkpoint.tokenizer.decode(kept, skip_special_tokens=True)
        return spoken

    def _read(self, text: Sequence[int]) -> tuple[str, str]:
        """(label, "") or ("", error); of a text task whatever was written counts.

        A causal model that does not chat goes on with the prompt: its first line is the answer.
        """
        task, spoken = self.prompt.task, self._spoken(text)
        whole = self._end(text) < len(text) or task.name.startswith("text")
        if self.checkpoint.kind == CAUSAL and not self.chats and not task.name.startswith("text"):
            spoken, end, _ = spoken.lstrip().partition("\n")
            whole = whole or bool(end)
        return read_answer(spoken, task) if whole else ("", CUT_OFF)


def writer(checkpoint: Checkpoint, prompt: Prompt, options: Options) -> Writer:
    """A writer of plain text, whatever the checkpoint's own habits of sampling are.

    Raises UserError where the model's positions leave no room for a question.
    """
    limit = checkpoint.limit
    if limit is not None and checkpoint.kind == CAUSAL:
        limit -= options.max_tokens
        if limit < 1:
            raise UserError(
                f"model hf:{checkpoint.name}: answers of {options.max_tokens} tokens leave no room "
                f"in the {checkpoint.limit} that it holds; lower --max-tokens"
            )
    _set_up(checkpoint, options)
    ends = checkpoint.model.generation_config.eos_token_id
    ends = [] if ends is None else ends if isinstance(ends, list) else [ends]
    chats = bool(getattr(checkpoint.tokenizer, "chat_template", None))
    return Writer(checkpoint, prompt, limit, options.beam, chats, frozenset(ends))


def _set_up(checkpoint: Checkpoint, options: Options) -> None:
    """Keep the special tokens of the checkpoint's generation settings, and nothing else."""
    import transformers

    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    kept: dict[str, Any] = {
        name: getattr(model.generation_config, name, None)
        for name in _FIXED
        if getattr(model.generation_config, name, None) is not None
    }
    kept.setdefault("eos_token_id", tokenizer.eos_token_id)
    beam = max(options.beam, 1)
    model.generation_config = transformers.GenerationConfig(
        **kept,
        pad_token_id=filler(tokenizer),
        max_new_tokens=options.max_tokens,
        do_sample=False,
        num_beams=beam,
        num_return_sequences=beam,
        return_dict_in_generate=True,
        output_scores=beam > 1,
    )


class _Chances:
    """Notes at each step the log-probability of the likeliest token, which greedy search takes."""

    def __init__(self) -> None:
        self.steps: list[Any] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        self.steps.append(scores.max(dim=-1).values - scores.logsumexp(dim=-1))
        return scores


def _mean(logs: Sequence[float]) -> float:
    return exp(sum(logs) / len(logs)) if logs else 0.0
