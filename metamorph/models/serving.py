"""A model as a web service that `http:URL` can ask: `POST /predict`, `GET /health`."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree, parse
from metamorph.limits import Guard, Limits, within
from metamorph.models.contexts import method_label
from metamorph.models.entries import entry_of
from metamorph.models.http import OFFICIAL
from metamorph.models.protocol import Example, Model, Prediction

LARGEST_BODY = 8_000_000
"""Bytes of a request."""

MOST_PROGRAMS = 1024
"""Of a request."""

MOST_WAITING = 64
"""Requests that may wait for the model; others are told to come again."""

BODY_SECONDS = 60.0
"""In which the body of a request must have come."""

_READING = Limits(seconds=5.0)
"""Of a program, and ten times the time for those of a request: some garbage is read for ever."""

_LONGEST_ID = 256
_MOST_CANDIDATES = 100
_TRIAL = "getX2"
_FIELDS = {"task", "language", "programs", "top_k"}


class BadRequestError(ValueError):
    """A request that cannot be answered, with the HTTP status that says so."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Program:
    """A program of a request."""

    id: str
    code: str


class Json(JSONResponse):
    """JSON in ASCII: whatever a model answers can be sent."""

    def render(self, content: object) -> bytes:
        """The body."""
        return json.dumps(content, allow_nan=False).encode()


class Service:
    """The application: one thread asks the model, request after request."""

    def __init__(self, model: Model, task: str) -> None:
        self._model = model
        self._task = task
        self._thread = ThreadPoolExecutor(1, "model")
        self._waiting = 0
        about = json.dumps([model.name, dict(model.identity), task], sort_keys=True)
        self._revision = hashlib.sha256(about.encode("utf-8", "surrogateescape")).hexdigest()

    def application(self) -> Starlette:
        """The ASGI application."""
        return Starlette(
            routes=[
                Route("/predict", self._predict, methods=["POST"]),
                Route("/health", self._health, methods=["GET"]),
            ],
            lifespan=self._lifespan,
        )

    @asynccontextmanager
    async def _lifespan(self, application: Starlette) -> AsyncIterator[None]:
        """At the end requests that still wait are dropped."""
        yield
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _health(self, request: Request) -> Json:
        about = {"model": self._model.name, "revision": self._revision, "task": self._task}
        if self._task == "method-name" and self._model.label(_TRIAL) == method_label(_TRIAL):
            about["labels"] = OFFICIAL
        return Json({"status": "ok", **about})

    async def _predict(self, request: Request) -> Json:
        if self._waiting >= MOST_WAITING:
            return _refusal("too many requests are waiting", 503, {"Retry-After": "1"})
        self._waiting += 1
        try:
            body = await asyncio.wait_for(_body(request), BODY_SECONDS)
            programs, top = read_request(body, self._task)
            answers = await asyncio.get_running_loop().run_in_executor(
                self._thread, answered, self._model, programs
            )
        except BadRequestError as error:
            return _refusal(str(error), error.status)
        except TimeoutError:
            return _refusal(f"the body has not come within {BODY_SECONDS:g} seconds", 408)
        except ClientDisconnect:
            return _refusal("the client went away", 400)
        finally:
            self._waiting -= 1
        entries = [entry_of(answer, top) for answer in answers]
        return Json({"model": self._model.name, "predictions": entries})


def read_request(body: bytes, task: str) -> tuple[list[Program], int]:
    """The programs of a request, and how many candidates are wanted; raises BadRequestError."""
    try:
        asked: object = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequestError("the body is not JSON") from None
    if not isinstance(asked, dict):
        raise BadRequestError("the body is not a JSON object")
    unknown = sorted(set(asked) - _FIELDS)
    if unknown:
        raise BadRequestError(f"unknown field {unknown[0][:40]!r}; known: {sorted(_FIELDS)}")
    if asked.get("task", task) != task:
        raise BadRequestError(f"this server answers the task {task!r} only")
    if asked.get("language", "java") != "java":
        raise BadRequestError("this server reads the language 'java' only")
    top = asked.get("top_k", 10)
    if isinstance(top, bool) or not isinstance(top, int) or not 1 <= top <= _MOST_CANDIDATES:
        raise BadRequestError(f"top_k is not a number from 1 to {_MOST_CANDIDATES}")
    return _programs(asked.get("programs")), top


def _programs(listed: object) -> list[Program]:
    if not isinstance(listed, list):
        raise BadRequestError("programs is not a list")
    if len(listed) > MOST_PROGRAMS:
        raise BadRequestError(f"more than {MOST_PROGRAMS} programs; send them in parts", 413)
    programs = [_program(each) for each in listed]
    if len({program.id for program in programs}) < len(programs):
        raise BadRequestError("two programs have the same id")
    return programs


def _program(each: object) -> Program:
    given: Mapping[str, object] = each if isinstance(each, dict) else {}
    id, code = given.get("id"), given.get("code")
    if not isinstance(id, str) or not isinstance(code, str):
        raise BadRequestError("a program is an object with id and code, both texts")
    if len(id) > _LONGEST_ID:
        raise BadRequestError(f"an id is longer than {_LONGEST_ID} characters")
    return Program(id, code)


def answered(model: Model, programs: Sequence[Program]) -> list[Prediction]:
    """The model's answers in the order of the programs; each fault is that of its program.

    The model sees ids of our own.
    """
    guard = Guard(_READING)
    readings = [
        within(guard, partial(_example, str(number), program.code))
        for number, program in enumerate(programs)
    ]
    examples = [reading for reading in readings if isinstance(reading, Example)]
    answers = _asked(model, examples) if examples else {}
    found = []
    for number, (program, reading) in enumerate(zip(programs, readings, strict=True)):
        if isinstance(reading, str):
            found.append(Prediction(program.id, None, error=reading))
            continue
        answer = answers.get(str(number)) or Prediction("", None, error="missing-answer")
        found.append(_renamed(answer, program.id))
    return found


def _example(id: str, code: str) -> Example | str:
    """A program as a model takes it, or why it cannot be one: it must be one method."""
    data = code.encode("utf-8", "replace")
    tree = parse(data)
    if tree.has_error:
        return "does-not-parse"
    nodes = _outer_methods(tree, data)
    if len(nodes) != 1:
        return "several-methods" if nodes else "no-method"
    return Example(id, tree, nodes[0])


def _outer_methods(tree: Tree, data: bytes) -> list[int]:
    """The methods with a body that are not within another one."""
    found, reach = [], 0
    for method in methods(SourceFile("", data), tree):
        if method.node >= reach:
            found.append(method.node)
            reach = tree.after[method.node]
    return found


def _asked(model: Model, examples: Sequence[Example]) -> dict[str, Prediction]:
    try:
        return {answer.id: answer for answer in model.predict(examples)}
    except Exception as error:
        reason = f"model-raised-{type(error).__name__}"
        return {each.id: Prediction(each.id, None, error=reason) for each in examples}


def _renamed(answer: Prediction, id: str) -> Prediction:
    return Prediction(
        id,
        answer.label,
        answer.score,
        answer.candidates,
        answer.error,
        answer.truncated,
        usage=answer.usage,
    )


async def _body(request: Request) -> bytes:
    """The whole body; raises BadRequestError as soon as it is too long."""
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > LARGEST_BODY:
            raise BadRequestError(f"a request of more than {LARGEST_BODY:,} bytes", 413)
        pieces.append(piece)
    return b"".join(pieces)


def _refusal(message: str, status: int, headers: Mapping[str, str] | None = None) -> Json:
    return Json({"error": message}, status, headers)
