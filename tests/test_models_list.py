"""The list of models: short, honest, and light."""

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from metamorph.cli import main
from metamorph.models import adapters


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What the list says of each model."""
    assert main(["models", "list"]) == 0
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    return {usage.split(":")[0].split("[")[0]: about for usage, about in lines}


def test_every_adapter_has_a_module_and_says_what_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    about = listed(capsys)
    assert list(about) == list(adapters())
    for kind, adapter in adapters().items():
        assert importlib.util.find_spec(adapter.module) is not None
        assert len(about[kind]) > 20


def test_a_missing_extra_is_told_with_the_way_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    assert listed(capsys)["hf"].endswith("; not installed: pip install 'metamorph-java[hf]'")


def test_extras_of_adapters_are_those_of_the_distribution() -> None:
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    for adapter in adapters().values():
        wanted = [line.partition(">")[0] for line in extras.get(adapter.extra, ())]
        assert set(adapter.packages) <= set(wanted)


def test_the_list_loads_neither_torch_nor_what_speaks_http() -> None:
    script = (
        "import sys\n"
        "from metamorph.cli import main\n"
        "main(['models', 'list'])\n"
        "heavy = {'torch', 'transformers', 'requests'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
