"""A model of an OpenAI-compatible server, asked in words by chat completions."""

import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence

from metamorph.errors import UserError
from metamorph.models.answers import read_answer
from metamorph.models.connections import Connection, Failure, Reply, streamed
from metamorph.models.dialects import Dialect
from metamorph.models.entries import kept, usage_of
from metamorph.models.options import Options, only
from metamorph.models.prompts import prompt_of
from metamorph.models.protocol import Example, Prediction
from metamorph.models.spoken import joined

BASE_URL = "https://api.openai.com/v1"
KEYS = ("METAMORPH_API_KEY", "OPENAI_API_KEY")
"""Where the key is looked for; the first that is set counts."""

_TAKEN = (
    "base_url",
    "extra",
    "headers",
    "max_tokens",
    "prompt",
    "sampling_seed",
    "temperature",
)
_LONGEST_REASON = 60
_OURS = {"model", "messages", "stream"}
_STOPPED = {"length": "cut-off", "max_tokens": "cut-off", "content_filter": "filtered"}
_TOO_LONG = re.compile(
    r"context[_ ](?:length|window|size)|maximum (?:input|prompt)|(?:prompt|input) is too long", re.I
)


class OpenAI:
    """Chat completions; the key is read from the environment and kept nowhere but in a header."""

    def __init__(self, name: str, options: Options) -> None:
        self.name = f"openai:{name}"
        self._model = name
        self._options = options
        self._prompt = prompt_of(options)
        base = (options.base_url or BASE_URL).rstrip("/")
        headers = {**_authorization(options), **options.headers}
        self._connection = Connection(f"{base}/chat/completions", headers, options)
        self._extra = _extra(options)
        self._dialect = Dialect(_sampling(options))
        self.identity: Mapping[str, str] = {
            "kind": "openai",
            "model": name,
            "url": base,
            "task": self._prompt.task.name,
            "prompt": self._prompt.sha256,
            "parameters": json.dumps(_sampling(options) | self._extra, sort_keys=True),
        }

    @property
    def adapted(self) -> tuple[str, ...]:
        """What had to be said otherwise, or left out, for this server to answer."""
        return self._dialect.changes()

    def label(self, method_name: str) -> str:
        """The name in the task's form."""
        return self._prompt.task.label(method_name)

    def question(self, example: Example) -> str:
        """The prompt with the code in it."""
        return self._prompt.text(example)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The server's answers; what fails is the error of the example concerned."""
        return list(self.answers(batch))

    def answers(self, batch: Sequence[Example]) -> Iterator[Prediction]:
        """The same, as they come."""
        return streamed(self._ask, batch, self._options.max_connections)

    def _ask(self, example: Example, stop: threading.Event) -> Prediction:
        outcome = self._send(self.question(example), stop)
        if isinstance(outcome, Reply):
            return self._read(example.id, outcome.body)
        error = "too-long" if _is_too_long(outcome) else outcome.error
        return Prediction(example.id, None, error=error, text=kept(outcome.message))

    def _send(self, question: str, stop: threading.Event) -> Reply | Failure:
        """The server's answer, in the dialect that it is found to understand."""
        while True:
            parameters = self._dialect.parameters()
            outcome = self._connection.send(self._body(question, parameters), stop)
            if isinstance(outcome, Reply) or _is_too_long(outcome):
                return outcome
            if outcome.about != "request" or not self._dialect.learn(parameters, outcome.message):
                return outcome

    def _body(self, question: str, parameters: Mapping[str, object]) -> dict[str, object]:
        messages = [{"role": "user", "content": question}]
        return {"model": self._model, "messages": messages, **parameters, **self._extra}

    def _read(self, id: str, body: object) -> Prediction:
        """The first choice by its index, wherever it stands."""
        told = body if isinstance(body, dict) else {}
        usage = told.get("usage")
        counted = usage_of(usage) if isinstance(usage, Mapping) else None
        choice = _choice(told.get("choices"))
        if choice is None:
            text = kept(json.dumps(told.get("error") or body))
            return Prediction(id, None, error="no-choice", usage=counted, text=text)
        message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        text = joined(message.get("content")) or joined(choice.get("text"))
        reason = choice.get("finish_reason")
        reason = reason[:_LONGEST_REASON] if isinstance(reason, str) else ""
        label, error = read_answer(text, self._prompt.task)
        if message.get("refusal") and not text.strip():
            text, label, error = joined(message["refusal"]), "", "refused"
        error = _STOPPED.get(reason, error)
        return Prediction(
            id,
            None if error else label,
            error=error,
            finish_reason=reason,
            usage=counted,
            text=kept(text),
        )


def load(rest: str, options: Options) -> OpenAI:
    """The model of that name at the server of the options; raises UserError."""
    if not rest:
        raise UserError("model openai: no name; write openai:NAME, as the server calls it")
    only(options, "openai", *_TAKEN)
    return OpenAI(rest, options)


def _is_too_long(failure: Failure) -> bool:
    return failure.about == "request" and _TOO_LONG.search(failure.message) is not None


def _extra(options: Options) -> dict[str, object]:
    """Further parameters, as JSON can carry them; raises UserError."""
    for name in _OURS & set(options.extra):
        raise UserError(f"parameter {name}: set by metamorph itself; leave it out")
    try:
        json.dumps(dict(options.extra), allow_nan=False)
    except ValueError:
        raise UserError("a parameter that is not a finite number; give another") from None
    return dict(options.extra)


def _sampling(options: Options) -> dict[str, object]:
    """The parameters that are always given, unless the user gives them otherwise."""
    own = {
        "temperature": options.temperature,
        "seed": options.sampling_seed,
        "max_tokens": options.max_tokens,
    }
    if "max_completion_tokens" in options.extra:
        del own["max_tokens"]
    return {name: value for name, value in own.items() if name not in options.extra}


def _choice(choices: object) -> Mapping[str, object] | None:
    """The choice of index 0; one alone may have no index."""
    found = (
        [each for each in choices if isinstance(each, dict)] if isinstance(choices, list) else []
    )
    first = [each for each in found if each.get("index") == 0]
    if len(first) == 1:
        return first[0]
    return found[0] if len(found) == 1 and found[0].get("index") is None else None


def _authorization(options: Options) -> dict[str, str]:
    """The header with the key; faults are told without it."""
    if any(name.lower() == "authorization" for name in options.headers):
        return {}
    name = next((name for name in KEYS if os.environ.get(name, "").strip()), "")
    if not name:
        if options.base_url:
            return {}
        raise UserError(f"no key for {BASE_URL}: set {KEYS[1]}, or give another --base-url")
    key = os.environ[name].strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UserError(f"{name}: not a key: it has spaces, line ends or other characters in it")
    return {"Authorization": f"Bearer {key}"}
