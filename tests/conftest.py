"""What tests share: a cache of their own, the user's being left alone, and a folder to run in."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from studies import write_models

# Examples are always the same ones, except by `make fuzz`: whoever changes one thing is not told of
# another. How long one takes says what else the machine does.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=not os.environ.get("METAMORPH_FUZZ"),
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache of the test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("METAMORPH_CACHE", str(folder))
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a test of runs works, with the models of `studies` at hand."""
    write_models(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path
