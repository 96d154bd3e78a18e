"""Templates: how a foreign server is asked, and where its answer stands; see docs/servers.md."""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from metamorph.errors import UserError

_FIELDS = {"method", "headers", "body", "answer", "score", "error"}
_PLACE = re.compile(r"\{(code|id|prompt|task)\}")
_ENVIRONMENT = re.compile(r"\{env:(\w+)\}")
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+|\*)\]")
_METHODS = ("POST", "PUT")

Steps = tuple[str | int, ...]
ALL = "*"


@dataclass(frozen=True, slots=True)
class Template:
    """A request with places for the code, and the paths to what the answer holds.

    body: a JSON value; answer, score, error: paths, "" where there is none; sha256: of the file.
    """

    method: str
    headers: Mapping[str, str]
    body: object
    answer: Steps
    score: Steps | None
    error: Steps | None
    sha256: str

    def filled(self, values: Mapping[str, str]) -> object:
        """The body with its places filled; a filled-in text is not searched for places again."""
        return _filled(self.body, values)


def read_template(file: str) -> Template:
    """The template in a JSON file; raises UserError."""
    try:
        text = Path(file).read_text("utf-8")
        template = json.loads(text)
        fault = _fault(template)
    except OSError as error:
        raise UserError(f"template {file}: {error.strerror}; give a JSON file") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"template {file}: not JSON ({error})") from None
    if fault:
        raise UserError(f"template {file}: {fault}")
    return Template(
        template.get("method", "POST"),
        {name: _with_environment(value, file) for name, value in template["headers"].items()}
        if "headers" in template
        else {},
        template["body"],
        _steps(template["answer"]),
        _steps(template["score"]) if "score" in template else None,
        _steps(template["error"]) if "error" in template else None,
        hashlib.sha256(text.encode()).hexdigest(),
    )


def found(value: object, steps: Steps) -> list[object]:
    """What lies at a path; several values where it has a `*`, none where it leads nowhere."""
    reached = [value]
    for step in steps:
        reached = [after for before in reached for after in _stepped(before, step)]
    return reached


def _stepped(value: object, step: str | int) -> list[object]:
    if step == ALL:
        return value if isinstance(value, list) else []
    if isinstance(value, list) and str(step).isdecimal():
        return value[int(step) : int(step) + 1]
    key = str(step)
    return [value[key]] if isinstance(value, dict) and key in value else []


def _steps(path: str) -> Steps:
    """The steps of a path; raises ValueError where it is none."""
    steps: list[str] = []
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None or (at == 0 and path[0] == "."):
            raise ValueError(f"{path!r} is not a path such as choices[0].message.content")
        steps.append(step[1] or step[2])
        at = step.end()
    if steps.count(ALL) > 1:
        raise ValueError(f"{path!r} has more than one [*]")
    return tuple(steps)


def _fault(template: object) -> str:
    """What is wrong with a template, "" if nothing is."""
    if not isinstance(template, dict):
        return "not a JSON object"
    unknown = sorted(set(template) - _FIELDS)
    if unknown:
        return f"unknown field {unknown[0]!r}; known are {', '.join(sorted(_FIELDS))}"
    if not {"body", "answer"} <= set(template):
        return "needs the fields body and answer"
    if template.get("method", "POST") not in _METHODS:
        return f"method {template['method']!r}; give {' or '.join(_METHODS)}"
    headers = template.get("headers", {})
    if not isinstance(headers, dict) or not all(isinstance(v, str) for v in headers.values()):
        return "headers must be an object of texts"
    if not _has_code(template["body"]):
        return "neither {code} nor {prompt} in the body, so that all programs would look alike"
    return _path_fault(template)


def _path_fault(template: Mapping[str, object]) -> str:
    for field in ("answer", "score", "error"):
        path = template.get(field, "")
        if not isinstance(path, str):
            return f"{field} must be a path"
        try:
            steps = _steps(path)
        except ValueError as error:
            return f"{field}: {error}"
        if field == "error" and ALL in steps:
            return "error must lead to one value"
        if field == "score" and field in template and (ALL in steps) != _many(template["answer"]):
            return "answer and score must both have a [*], or neither"
    return ""


def _many(path: object) -> bool:
    return ALL in _steps(str(path))


def _has_code(body: object) -> bool:
    mark = "\x7f"
    return mark in json.dumps(_filled(body, {"code": mark, "prompt": mark}), ensure_ascii=False)


def _filled(value: object, values: Mapping[str, str]) -> object:
    """A copy of a JSON value; templates are a person's, so that they are not deep."""
    if isinstance(value, dict):
        return {key: _filled(each, values) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, values) for each in value]
    if isinstance(value, str):
        return _PLACE.sub(lambda place: values.get(place[1], ""), value)
    return value


def _with_environment(value: str, file: str) -> str:
    """A header with `{env:NAME}` replaced: secrets need not stand in the file."""
    for name in _ENVIRONMENT.findall(value):
        if name not in os.environ:
            raise UserError(f"template {file}: the environment has no {name}; set it")
    return _ENVIRONMENT.sub(lambda place: os.environ[place[1]], value)
