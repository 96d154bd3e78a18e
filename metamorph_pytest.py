"""The pytest plugin of metamorph.

It stands beside the package, and imports nothing of it before a test uses it: a suite that does
not use it may have modules and folders of any name, `metamorph` too, and loads neither numpy nor
the grammar.
"""

# Some of the names in annotations are younger than the oldest pytest that loads this.
from __future__ import annotations

import os
import shlex
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from metamorph.testing.fixture import Metamorph

_Records = list[dict[str, Any]]

_OF_ITEM = pytest.StashKey[_Records]()
_CASES = pytest.StashKey[dict[object, list[Any]]]()

_MARKER = (
    "metamorph(*sources, transforms, place, seed, repeat, limit, task, equality, check, "
    "max_change, min_originals): parameters of the fixture metamorph; with sources, one test item "
    "a variant, which the test takes as its argument case"
)
_SHOWN = 20

_DEFAULTS = {
    "model": "a model's name, for tests that give none",
    "transforms": "transformations, as VN,PS; or all",
    "place": "single, all, random or both",
    "seed": "seed of all choices",
    "repeat": "how often originals are asked, to know those whose answers vary",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options and their namesakes in the configuration file."""
    group = parser.getgroup("metamorph", "metamorphic testing of models of Java code")
    for name, help in _DEFAULTS.items():
        group.addoption(f"--metamorph-{name}", metavar=name.upper(), default=None, help=help)
        parser.addini(f"metamorph_{name}", f"{help}; --metamorph-{name} goes first", default="")
    group.addoption(
        "--metamorph-update",
        action="store_true",
        help="write baselines instead of judging by them",
    )
    group.addoption(
        "--metamorph-record",
        metavar="FILE",
        default=None,
        help="keep what models answered, to be judged again with --metamorph-replay",
    )
    group.addoption(
        "--metamorph-replay",
        metavar="FILE",
        default=None,
        help="judge what was recorded; no model is asked",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _MARKER)
    config.stash[_CASES] = {}
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Collector(config), "metamorph-collector")


@pytest.fixture
def metamorph(request: pytest.FixtureRequest) -> Metamorph:
    """Studies models: `run`, `assert_invariant`, `assert_no_worse`."""
    _own_package()
    from metamorph.testing.fixture import Metamorph

    records = request.node.stash.setdefault(_OF_ITEM, [])
    records.clear()
    return Metamorph(request, records)


@pytest.fixture
def metamorph_model(pytestconfig: pytest.Config) -> object:
    """The model of tests that give none: override it, or set metamorph_model."""
    return (
        pytestconfig.getoption("metamorph_model") or pytestconfig.getini("metamorph_model") or None
    )


def _own_package() -> None:
    """Stop where `metamorph` is not ours: the user has a package of that name."""
    try:
        import metamorph.testing
    except ModuleNotFoundError as error:
        if error.name not in ("metamorph", "metamorph.testing"):
            raise
        import metamorph

        place = getattr(metamorph, "__file__", None) or list(metamorph.__path__)
        raise pytest.UsageError(
            f"the plugin needs the package metamorph of metamorph-java, but {place} has its name; "
            "rename that, or run with --import-mode=importlib"
        ) from None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item for each variant of the sources that the marker names."""
    mark = next((m for m in metafunc.definition.iter_markers("metamorph") if m.args), None)
    if mark is None:
        return
    place = metafunc.definition.nodeid
    if "case" not in metafunc.fixturenames:
        raise pytest.UsageError(f"{place}: metamorph_cases: the test takes no argument `case`")
    _own_package()
    from metamorph.errors import UserError
    from metamorph.testing import cases
    from metamorph.testing.fixture import folders, layers
    from metamorph.testing.parameters import merged

    node = metafunc.definition
    try:
        parameters = merged(layers(node))
        kept = metafunc.config.stash[_CASES]
        key = (mark.args, parameters, tuple(folders(node)))
        if key not in kept:
            kept[key] = cases.collect(mark.args, parameters, folders(node))
    except UserError as error:
        raise pytest.UsageError(f"{place}: {error}") from None
    metafunc.parametrize("case", [pytest.param(case, id=case.id) for case in kept[key]])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send what a test recorded along with its report, which xdist carries to its controller."""
    report = yield
    records = item.stash.get(_OF_ITEM, None)
    if records and report.when == "call":
        report.metamorph = list(records)  # type: ignore[attr-defined]
    return report


def pytest_assertrepr_compare(
    left: object, right: object, op: str, config: pytest.Config
) -> list[str] | None:
    """Explain a failed comparison of a change rate."""
    rates = [side for side in (left, right) if type(side).__module__ == "metamorph.testing.results"]
    result = getattr(rates[0], "result", None) if rates else None
    if result is None:
        return None
    from metamorph.testing.explaining import explanation

    full = config.get_verbosity() >= 2
    nodeid = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]
    lines = explanation(result, shlex.join(["pytest", nodeid]), full=full)
    return [f"change rate {left!r:.6} {op} {right!r:.6}", *lines]


class _Collector:
    """Gathers what all tests recorded, in the one process that sums up."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._records: dict[str, _Records] = {}
        self._said: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the records of a test, those of its last run if it is run again."""
        if report.when == "call" and hasattr(report, "metamorph"):
            self._records[report.nodeid] = report.metamorph

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write baselines and the recording that were asked for."""
        if not self._records:
            return
        from metamorph.testing import baselines, recordings

        every = [record for records in self._records.values() for record in records]
        fresh: dict[str, dict[str, Any]] = {}
        for path, test, entry in (r["baseline"] for r in every if "baseline" in r):
            fresh.setdefault(path, {})[test] = entry
        try:
            for path, entries in fresh.items():
                baselines.write(Path(path), entries)
                self._said.append(f"baseline written: {path} ({len(entries)} tests)")
            if name := self._config.getoption("metamorph_record"):
                place = self._config.invocation_params.dir / name
                recordings.write(place, dict(r["result"] for r in every))
                self._said.append(f"recorded: {place}")
        except OSError as error:
            self._said.append(f"error: {error.filename}: {error.strerror}; nothing is written")
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """A line for each test that studied a model; nothing where none did."""
        if not self._records:
            return
        terminalreporter.section("metamorph")
        lines = [*_summed(self._records)]
        for line in lines[:_SHOWN]:
            terminalreporter.write_line(line)
        if len(lines) > _SHOWN:
            terminalreporter.write_line(f"... and {len(lines) - _SHOWN} more tests")
        for line in self._said:
            terminalreporter.write_line(line)


def _summed(found: dict[str, _Records]) -> Iterator[str]:
    """The counts of each test function, all its items and calls together."""
    functions: dict[str, _Records] = {}
    for nodeid in sorted(found):
        functions.setdefault(nodeid.partition("[")[0], []).extend(found[nodeid])
    for name, records in functions.items():
        judged = sum(record["judged"] for record in records)
        changed = sum(record["changed"] for record in records)
        said = f"{name}: {changed:,} of {judged:,} variants changed"
        if judged:
            said += f", {changed / judged:.1%}"
        for word in ("inconclusive", "no_answer", "broken"):
            if count := sum(record["counts"].get(word, 0) for record in records):
                said += f"; {count:,} {word.replace('_', ' ')}"
        yield said
        yield from (f"    {record['note']}" for record in records if record["note"])
