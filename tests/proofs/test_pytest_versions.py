"""The pytest plugin, installed from a wheel, under the versions of pytest it is made for.

Needs git and whatever pip needs to install the dependencies.
"""

import shutil
from pathlib import Path

import pytest
from test_packaging import ROOT, clone, environment, run

pytestmark = pytest.mark.proof

FILES = (
    "conftest.py",
    "studies.py",
    "suites_of_users.py",
    "test_pytest_baselines.py",
    "test_pytest_neighbours.py",
    "test_pytest_plugin.py",
    "test_strategies.py",
)


@pytest.mark.parametrize("version", ["8.0.*", "8.*", "9.*"])
@pytest.mark.parametrize("extra", [(), ("pytest-xdist",)], ids=["alone", "with-xdist"])
def test_the_plugin_works(tmp_path: Path, version: str, extra: tuple[str, ...]) -> None:
    checkout = clone(tmp_path / "clone")
    commands = environment(tmp_path / "venv")
    wanted = (f"{checkout}[pytest]", f"pytest=={version}", *extra)
    run(commands / "python", "-m", "pip", "install", "-q", *wanted, cwd=tmp_path)
    tests = tmp_path / "suite" / "tests"
    tests.mkdir(parents=True)
    for name in FILES:
        shutil.copy(ROOT / "tests" / name, tests)
    shutil.copytree(
        ROOT / "fixtures" / "example-project", tmp_path / "suite" / "fixtures" / "example-project"
    )
    text = run(commands / "pytest", "-q", "tests", cwd=tmp_path / "suite")
    assert " passed" in text
