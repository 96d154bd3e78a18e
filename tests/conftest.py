"""What tests share: a cache of their own, the user's being left alone, and a folder to run in."""

import os
import signal
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

# In the background of a script, and under nohup, these are ignored, by all that is started too.
for name, handler in {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}.items():
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


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
