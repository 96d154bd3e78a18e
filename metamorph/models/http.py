"""A model behind HTTP, asked by metamorph's own protocol or as a template says."""

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from urllib.parse import urljoin, urlsplit

from metamorph.models.answers import EMPTY, read_answer
from metamorph.models.connections import Connection, Failure, checked_url, streamed
from metamorph.models.contexts import method_label
from metamorph.models.entries import kept, prediction_of, ranked, score_of, words_of
from metamorph.models.options import Options, only
from metamorph.models.prompts import prompt_of, sendable
from metamorph.models.protocol import Example, Prediction
from metamorph.models.templates import ALL, Template, found, read_template

TOP = 10
"""The candidates that a server is asked for."""

_SUBTOKENS = re.compile(r"\w+(?:\|\w+)+")


OFFICIAL = "official"
"""The form of labels of which code2vec and code2seq are; others have the task's."""


@dataclass(frozen=True, slots=True)
class _AsTold:
    """Labels that are in their form already."""

    def label(self, answer: str) -> str:
        """The answer itself."""
        return answer


class Http:
    """A server that speaks metamorph's protocol: several programs a request, answers by id."""

    def __init__(self, name: str, url: str, options: Options) -> None:
        self.name = name
        self._options = options
        self._task = prompt_of(options).task
        self._connection = Connection(url, options.headers, options)
        about = self._connection.look("health")
        about = about if isinstance(about, dict) else {}
        self._official = about.get("labels") == OFFICIAL
        self.identity: Mapping[str, str] = {
            "kind": "http",
            "url": url,
            "task": self._task.name,
            "top_k": str(TOP),
            "labels": OFFICIAL if self._official else "task",
            "revision": _revision(about.get("revision")),
        }

    def label(self, method_name: str) -> str:
        """The name in the form of the server's labels."""
        return method_label(method_name) if self._official else self._task.label(method_name)

    def question(self, example: Example) -> str:
        """The method's code, as the task shows it."""
        return sendable(self._task.code(example.tree, example.node))

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The server's answers; what fails is the error of the examples concerned."""
        return list(self.answers(batch))

    def answers(self, batch: Sequence[Example]) -> Iterator[Prediction]:
        """The same, as they come."""
        size = self._options.batch
        parts = [batch[at : at + size] for at in range(0, len(batch), size)]
        return chain.from_iterable(streamed(self._ask, parts, self._options.max_connections))

    def _ask(self, part: Sequence[Example], stop: threading.Event) -> list[Prediction]:
        programs = [{"id": each.id, "code": self.question(each)} for each in part]
        asked = {"task": self._task.name, "language": "java", "programs": programs, "top_k": TOP}
        outcome = self._connection.send(asked, stop)
        if isinstance(outcome, Failure):
            return [_failed(each.id, outcome) for each in part]
        body = outcome.body
        entries = body.get("predictions") if isinstance(body, dict) else None
        if not isinstance(entries, list):
            return [Prediction(each.id, None, error="no-predictions") for each in part]
        return self._matched(part, [entry for entry in entries if isinstance(entry, dict)])

    def _matched(
        self, part: Sequence[Example], entries: Sequence[Mapping[str, object]]
    ) -> list[Prediction]:
        """Each example's own answer; an id that was not asked for spoils those left unanswered."""
        given = {str(entry.get("id")): entry for entry in entries}
        often = Counter(str(entry.get("id")) for entry in entries)
        lost = "wrong-id" if set(given) - {each.id for each in part} else "missing-id"
        answers = []
        for id in (each.id for each in part):
            if id not in given:
                answers.append(Prediction(id, None, error=lost))
            elif often[id] > 1:
                answers.append(Prediction(id, None, error="duplicate-id"))
            else:
                answers.append(
                    prediction_of(given[id], id, _AsTold() if self._official else self._task)
                )
        return answers


class Foreign:
    """A server that is asked by a template: one program a request."""

    def __init__(self, name: str, url: str, template: Template, options: Options) -> None:
        self.name = name
        self._options = options
        self._template = template
        self._prompt = prompt_of(options)
        headers = {**template.headers, **options.headers}
        self._connection = Connection(url, headers, options, template.method)
        self.identity: Mapping[str, str] = {
            "kind": "http",
            "url": url,
            "task": self._prompt.task.name,
            "template": template.sha256,
            "prompt": self._prompt.sha256,
            "revision": "unknown",
        }

    def label(self, method_name: str) -> str:
        """The name in the task's form."""
        return self._prompt.task.label(method_name)

    def question(self, example: Example) -> str:
        """The body of the request, its id left out."""
        return json.dumps(self._body(example, ""), ensure_ascii=False)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """The server's answers; what fails is the error of the example concerned."""
        return list(self.answers(batch))

    def answers(self, batch: Sequence[Example]) -> Iterator[Prediction]:
        """The same, as they come."""
        return streamed(self._ask, batch, self._options.max_connections)

    def _body(self, example: Example, id: str) -> object:
        task = self._prompt.task
        return self._template.filled(
            {
                "code": sendable(task.code(example.tree, example.node)),
                "prompt": self._prompt.text(example),
                "task": task.name,
                "id": id,
            }
        )

    def _ask(self, example: Example, stop: threading.Event) -> Prediction:
        outcome = self._connection.send(self._body(example, example.id), stop)
        if isinstance(outcome, Failure):
            return _failed(example.id, outcome)
        return self._read(example.id, outcome.body)

    def _read(self, id: str, body: object) -> Prediction:
        """The answer where the template says that it lies."""
        template = self._template
        errors = [each for each in found(body, template.error or ()) if template.error and each]
        if errors:
            return Prediction(id, None, error="server-error", text=kept(words_of(errors[0])))
        told = found(body, template.answer)
        if not told:
            fault = "empty-answer" if ALL in template.answer else "no-answer-at-path"
            return Prediction(id, None, error=fault, text=kept(json.dumps(body)))
        scores = found(body, template.score) if template.score is not None else []
        if len(scores) != len(told):
            scores = [None] * len(told)
        read = [self._label(each) for each in told]
        text = kept(words_of(told[0]))
        pairs = [(read[i][0], score_of(scores[i])) for i in range(len(told)) if read[i][0]]
        if not pairs:
            return Prediction(id, None, error=read[0][1], text=text)
        return ranked(id, pairs, text)

    def _label(self, told: object) -> tuple[str, str]:
        """(label, error) of a value; names in subtokens need no reading."""
        words = words_of(told)
        if _SUBTOKENS.fullmatch(words):
            return self._prompt.task.label(words), EMPTY
        return read_answer(words, self._prompt.task)


def load(rest: str, options: Options) -> Http | Foreign:
    """The model at the address; one without a path is asked at `/predict`. Raises UserError."""
    url = checked_url(f"http:{rest}" if rest.startswith("//") else rest)
    if options.template:
        only(options, "http", "headers", "prompt", "template")
        return Foreign(f"http:{rest}", url, read_template(options.template), options)
    if urlsplit(url).path in ("", "/"):
        url = urljoin(url, "/predict")
    only(options, "http without --template", "headers")
    return Http(f"http:{rest}", url, options)


def _failed(id: str, failure: Failure) -> Prediction:
    return Prediction(id, None, error=failure.error, text=kept(failure.message))


def _revision(told: object) -> str:
    """What tells the server's model from another behind the same address."""
    return told if isinstance(told, str) and 0 < len(told) <= 200 else "unknown"
