"""The fixture `metamorph`: what a test calls."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from metamorph.errors import UserError
from metamorph.testing import baselines, cases, recordings, studying
from metamorph.testing.cases import Case
from metamorph.testing.explaining import explanation, sentence
from metamorph.testing.models import model_of
from metamorph.testing.parameters import Parameters, merged
from metamorph.testing.results import Result
from metamorph.testing.sources import Source, read

_OF_VARIANTS = ("transforms", "place", "seed", "limit", "check")

Given = Source | Case | Sequence[Source]


class VariantError(AssertionError):
    """Predictions changed that should not have, or nothing could be judged."""


class MisuseError(UserError):
    """A test or a file that must be mended before anything can be judged."""


# pytest shows the names of exceptions with their module, at the cost of what they say.
VariantError.__module__ = MisuseError.__module__ = "builtins"


class Metamorph:
    """Studies models for one test, and keeps a record of what came out."""

    def __init__(self, request: pytest.FixtureRequest, records: list[dict[str, Any]]) -> None:
        self._request = request
        self._config = request.config
        self._node: pytest.Item = request.node
        self._records = records

    def __repr__(self) -> str:
        return "<metamorph>"

    def run(self, model: object = None, source: Given | None = None, **parameters: Any) -> Result:
        """The outcomes of a model on the variants of a source.

        model: a name, an object with `predict`, or a function from code to label; without it, the
        fixture `metamorph_model`. source: text, a path, a folder, a suite, several of these, or a
        case. parameters: see `testing.parameters`; those of the marker hold where none are given.
        """
        __tracebackhide__ = True
        try:
            return self._studied(model, source, parameters)[0]
        except UserError as error:
            _stop(error)

    def assert_invariant(
        self, model: object = None, source: Given | None = None, **parameters: Any
    ) -> Result:
        """Fail where more than `max_change` of the variants change the prediction.

        Takes what `run` takes. Skips the test where all that was answered is inconclusive.
        """
        __tracebackhide__ = True
        try:
            result, asked = self._studied(model, source, parameters)
        except UserError as error:
            _stop(error)
        self._demand(result, asked)
        if result.change_rate > asked.max_change:
            said = f"change rate {result.change_rate:.4g} is above {asked.max_change:g}"
            raise VariantError(self._told(said, result))
        return result

    def assert_no_worse(
        self,
        model: object = None,
        source: Given | None = None,
        *,
        baseline: str | os.PathLike[str] | None = None,
        **parameters: Any,
    ) -> Result:
        """Fail where the paired test tells that more changes than in the baseline.

        baseline: its file, from the folder of the test; `metamorph-baseline.json` if not given.
        With --metamorph-update the file is written, and the test passes.
        """
        __tracebackhide__ = True
        path = Path(self._node.path.parent, baseline or baselines.NAME)
        try:
            result, asked = self._studied(model, source, parameters)
            record = self._records[-1]
            self._demand(result, asked)
            if self._config.getoption("metamorph_update"):
                record["baseline"] = [str(path), record["test"], baselines.entry(result)]
                return result
            old = baselines.kept(path, record["test"])
            found = baselines.compare(result, old, str(path))
        except UserError as error:
            _stop(error)
        record["note"] = str(found)
        if found.worse:
            raise VariantError(self._told(f"worse than the baseline: {found}", result))
        return result

    def _studied(
        self, model: object, source: Given | None, given: Mapping[str, Any]
    ) -> tuple[Result, Parameters]:
        """The result, which is recorded before anything is judged."""
        __tracebackhide__ = True
        if source is None:
            raise UserError("no source: give text, a path, a folder, a suite or a case")
        asked = merged([*layers(self._node), ("the call", given)])
        if isinstance(source, Case) and (fixed := [n for n in _OF_VARIANTS if n in given]):
            raise UserError(f"{', '.join(fixed)}: a case is made already; tell it the marker")
        test = _key(self._node.nodeid, len(self._records))
        replayed = self._config.getoption("metamorph_replay")
        if replayed:
            path = self._config.invocation_params.dir / replayed
            result = recordings.recorded(path, _place(self._node, test), asked)
        else:
            result = self._asked(model, source, asked)
        self._records.append(self._record(test, result))
        return result, asked

    def _asked(self, model: object, source: Given, asked: Parameters) -> Result:
        __tracebackhide__ = True
        given = self._request.getfixturevalue("metamorph_model") if model is None else model
        using = model_of(given, asked.options)
        if isinstance(source, Case):
            return cases.result_of(using, source, asked)
        several = [source] if isinstance(source, str | os.PathLike) else list(source)
        return studying.result_of(using, read(several, folders(self._node)), asked)

    def _record(self, test: str, result: Result) -> dict[str, Any]:
        """What is told of a call to the process that sums up."""
        record: dict[str, Any] = {"test": test, "counts": result.counts, "note": ""}
        record |= {"judged": len(result.judged), "changed": len(result.changed)}
        if self._config.getoption("metamorph_record"):
            record["result"] = [_place(self._node, test), result.as_json()]
        return record

    def _demand(self, result: Result, asked: Parameters) -> None:
        """Skip or fail where there is too little to judge."""
        __tracebackhide__ = True
        if not result.judged and result.counts.get("inconclusive"):
            pytest.skip(f"inconclusive: the model contradicts itself: {sentence(result)}")
        if not result.judged:
            raise VariantError(self._told("nothing to judge", result))
        if result.originals < asked.min_originals:
            said = f"{result.originals} methods judged, min_originals is {asked.min_originals}"
            raise VariantError(self._told(said, result))

    def _told(self, said: str, result: Result) -> str:
        full = self._config.get_verbosity() >= 2
        lines = explanation(result, command(self._node), full=full)
        return "\n".join([said, *lines])


def _stop(error: UserError) -> NoReturn:
    """The user's fault, told without the frames in which it was found."""
    __tracebackhide__ = True
    raise MisuseError(str(error)) from None


def command(node: pytest.Item) -> str:
    """The command that repeats a test with the options that matter."""
    words = ["pytest", node.nodeid]
    for name in ("model", "transforms", "place", "seed", "repeat"):
        value = node.config.getoption(f"metamorph_{name}")
        words += [] if value is None else [f"--metamorph-{name}", str(value)]
    return shlex.join(words)


def folders(node: pytest.Item | pytest.Collector) -> list[Path]:
    """Where paths are looked for: beside the test, then from the root of the suite."""
    return [node.path.parent, node.config.rootpath]


def layers(node: pytest.Item | pytest.Collector) -> list[tuple[str, Mapping[str, Any]]]:
    """What configuration, options and markers say, the closest marker last."""
    marks = [*node.iter_markers("metamorph")][::-1]
    return [*configured(node.config), *(("@pytest.mark.metamorph", mark.kwargs) for mark in marks)]


def configured(config: pytest.Config) -> list[tuple[str, Mapping[str, Any]]]:
    """What the configuration file and the options say."""
    said: list[tuple[str, Mapping[str, Any]]] = []
    for name in ("transforms", "place", "seed", "repeat"):
        for who, value in (
            (f"metamorph_{name}", config.getini(f"metamorph_{name}")),
            (f"--metamorph-{name}", config.getoption(f"metamorph_{name}")),
        ):
            if value not in (None, ""):
                said.append((who, {name: _number(who, value) if name in _NUMBERS else value}))
    return said


_NUMBERS = ("seed", "repeat")


def _number(who: str, value: str) -> int:
    try:
        return int(value)
    except ValueError as error:
        raise UserError(f"{who}: {value!r} is not a whole number") from error


def _key(nodeid: str, call: int) -> str:
    """A call, by file and test: `test_names.py::test_it`; further calls: `...::test_it#2`."""
    path, _, name = nodeid.partition("::")
    return f"{path.rpartition('/')[2]}::{name}" + (f"#{call + 1}" if call else "")


def _place(node: pytest.Item, test: str) -> str:
    """The call within the suite."""
    return node.nodeid.partition("::")[0].rpartition("/")[0] + f"/{test}"
