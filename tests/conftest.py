"""What holds for every test: the answers that users keep are neither read nor written."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache of the test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("METAMORPH_CACHE", str(folder))
    return folder
