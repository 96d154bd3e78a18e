"""Hugging Face checkpoints, from a folder or the hub: `hf:FOLDER`, `hf:NAME[@REVISION]`.

A checkpoint answers in one of four ways, by its architecture or by `kind` in the options: causal
and seq2seq write an answer, a classifier gives a label, a mask model fills in a method's name.
"""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from metamorph.errors import UserError, fault_of
from metamorph.models.hugging_face.checkpoint import CLASSIFIER, MASK, Checkpoint, open_checkpoint
from metamorph.models.hugging_face.classes import classifier
from metamorph.models.hugging_face.naming import namer
from metamorph.models.hugging_face.questions import Answer, Fitted, Reader
from metamorph.models.hugging_face.writing import writer
from metamorph.models.options import Options, only
from metamorph.models.prompts import Prompt, prompt_of
from metamorph.models.protocol import Example, Prediction
from metamorph.tasks import Task

TOO_LONG = "prompt-too-long"
"""The error where the model cannot hold the question even without any code."""

BATCH_TOKENS = 512
"""How many tokens each question of a batch may have on average, so that memory is bounded."""

_ARGUMENTS: dict[str, type] = {"kind": str, "max_length": int, "threads": int}


@dataclass(frozen=True, slots=True)
class HuggingFace:
    """A checkpoint at work on a task.

    Of equal questions one is asked. Questions are put together by their length and text, so that
    a batch depends on what is asked and not on the order; its composition can still move the last
    digits of a score, and with batches of one it cannot. lock: the model does one batch at a time.
    """

    name: str
    identity: Mapping[str, str]
    task: Task
    batch: int
    reader: Reader
    lock: threading.Lock = field(default_factory=threading.Lock, compare=False)

    def label(self, method_name: str) -> str:
        """The right answer to the task method-name, in the task's form."""
        return self.task.label(method_name)

    def question(self, example: Example) -> str:
        """The text that is put to the tokenizer, before it is cut to what the model holds."""
        return self.reader.question(example)

    def tokens(self, example: Example) -> int:
        """The tokens that the model reads."""
        fitted = self.reader.fit(example)
        return len(fitted.ids) if fitted else 0

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The answers, in any order."""
        return list(self.answers(batch))

    def answers(self, batch: Sequence[Example]) -> Iterator[Prediction]:
        """The answers, a batch of the model's at a time."""
        waiting: dict[Fitted, list[str]] = {}
        for example in batch:
            fitted = self.reader.fit(example)
            if fitted is None:
                yield Prediction(example.id, None, error=TOO_LONG, truncated=True)
            else:
                waiting.setdefault(fitted, []).append(example.id)
        asked = sorted(waiting, key=lambda fitted: (len(fitted.ids), fitted.ids))
        for chunk in _chunks(asked, self.batch):
            for fitted, answer in zip(chunk, self._answers(chunk), strict=True):
                yield from (_prediction(id, fitted, answer) for id in waiting[fitted])

    def _answers(self, chunk: Sequence[Fitted]) -> Sequence[Answer]:
        try:
            with self.lock:
                return self.reader.answers([fitted.ids for fitted in chunk])
        except Exception as error:
            return [Answer("", error=f"model-raised-{fault_of(error)}")] * len(chunk)


def _chunks(asked: Sequence[Fitted], most: int) -> Iterator[Sequence[Fitted]]:
    """Questions, the longest last, in batches bounded by number and by padded length."""
    start = 0
    for at, fitted in enumerate(asked):
        tokens = (at - start + 1) * len(fitted.ids)
        if at > start and (at - start == most or tokens > most * BATCH_TOKENS):
            yield asked[start:at]
            start = at
    if asked:
        yield asked[start:]


def _prediction(id: str, fitted: Fitted, answer: Answer) -> Prediction:
    return Prediction(
        id,
        answer.label or None,
        answer.score if answer.label else None,
        answer.candidates,
        answer.error,
        fitted.truncated,
        answer.finish_reason,
        (len(fitted.ids), answer.written),
        answer.text,
    )


def load(rest: str, options: Options) -> HuggingFace:
    """The checkpoint `rest`, ready for the task; raises UserError."""
    _check(rest, options)
    _limit_threads(rest, options)
    checkpoint = open_checkpoint(rest, options)
    prompt = prompt_of(options)
    reader = _reader(checkpoint, prompt, options)
    return HuggingFace(
        f"hf:{rest}", _identity(checkpoint, reader), prompt.task, options.batch, reader
    )


def _reader(checkpoint: Checkpoint, prompt: Prompt, options: Options) -> Reader:
    if checkpoint.kind == CLASSIFIER:
        return classifier(checkpoint, prompt)
    if checkpoint.kind == MASK:
        return namer(checkpoint, prompt)
    return writer(checkpoint, prompt, options)


def _identity(checkpoint: Checkpoint, reader: Reader) -> dict[str, str]:
    limit = str(reader.limit) if reader.limit is not None else "none"
    return {"kind": f"hf {checkpoint.kind}", **checkpoint.identity, "input_tokens": limit}


def _check(rest: str, options: Options) -> None:
    """Faults that show before anything heavy is loaded."""
    if not rest:
        raise UserError("model hf: names no checkpoint; write hf:FOLDER or hf:NAME of the hub")
    if options.temperature:
        raise UserError(f"model hf:{rest}: answers greedily; leave --temperature at 0")
    only(options, "hf", "prompt", "max_tokens", "beam", "device", "extra")
    for name, value in options.extra.items():
        wanted = _ARGUMENTS.get(name)
        if wanted is None:
            known = ", ".join(_ARGUMENTS)
            raise UserError(f"model hf:{rest}: unknown argument {name!r}; it takes {known}")
        if type(value) is not wanted or (isinstance(value, int) and value < 1):
            raise UserError(f"model hf:{rest}: argument {name}={value} makes no sense")


def _limit_threads(rest: str, options: Options) -> None:
    """One thread, unless the user says otherwise here or in the environment."""
    try:
        import torch
        import transformers
    except ImportError as error:
        if error.name not in ("torch", "transformers"):
            raise
        raise UserError(
            f"model hf:{rest}: needs torch and transformers, which are not installed; "
            "pip install 'metamorph-java[hf]'"
        ) from None
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    threads = options.extra.get("threads")
    if isinstance(threads, int):
        torch.set_num_threads(threads)
    elif "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(1)
