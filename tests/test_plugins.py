"""Models and transformations of other distributions."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import metamorph.plugins
import metamorph.transforms
from metamorph.cli import main

TRANSFORM = '''
"""Empty statement: puts a `;` at the head of a body."""

from metamorph.java.edits import Edit
from metamorph.java.sites import Site

CODE = "ES"
NAME = "empty statement"
PLACES = ("single",)


def sites(method, choices):
    at = method.tree.start[method.body] + 1
    yield Site(CODE, 0, at, (Edit(at, at, b" ;"),))
'''
MODEL = """
from metamorph.errors import UserError
from metamorph.models import Prediction


class Shouting:
    def __init__(self, rest, options):
        self.name, self.rest, self.task = f"shout:{rest}", rest, options.task
        self.identity = {"kind": "shout", "task": options.task}

    def label(self, method_name):
        return method_name

    def predict(self, batch):
        return [Prediction(e.id, self.rest + "!" * e.code.count(";")) for e in batch]


def load(rest, options):
    if rest == "fault":
        raise UserError("shout: no voice; rest a while")
    if rest == "crash":
        raise RuntimeError("out of breath\\nreally")
    return Shouting(rest, options)
"""
ENTRIES = """
[metamorph.transforms]
es = acme_transform
[metamorph.models]
shout = acme_model
"""

Install = Callable[..., None]


@pytest.fixture(autouse=True)
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "A.java").write_text("class A { int two() { return 2; } void none() { } }")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a distribution of these modules and entry points onto the path."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    names: set[str] = set()

    def installed(
        entries: str = ENTRIES, name: str = "acme-metamorph", version: str = "1.2", **modules: str
    ) -> None:
        modules = modules or {"acme_transform": TRANSFORM, "acme_model": MODEL}
        folder = tmp_path / "site" / f"{name.replace('-', '_')}.dist-info"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        (folder / "entry_points.txt").write_text(entries)
        for module, text in modules.items():
            (tmp_path / "site" / f"{module}.py").write_text(text)
        names.update(modules)
        forget()

    yield installed
    forget()
    for module in names:
        sys.modules.pop(module, None)


def forget() -> None:
    """What a process found, it keeps; the next test finds something else."""
    metamorph.plugins._found.cache_clear()
    metamorph.transforms._loaded.cache_clear()


def run(*arguments: str) -> int:
    """`metamorph run` over the corpus."""
    return main(["run", "A.java", "--out", "out", *arguments])


def test_plugins_stand_in_the_lists_with_their_distribution(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install()
    assert main(["transforms"]) == main(["models", "list"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "ES empty statement single plugin of acme-metamorph 1.2" in lines
    assert "shout plugin of acme-metamorph 1.2" in lines
    assert not {"acme_model"} & sys.modules.keys()


def test_a_plugin_is_explained_as_any_transformation(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install()
    assert main(["transforms", "es"]) == 0
    told = capsys.readouterr().out
    assert "Empty statement: puts a `;` at the head of a body." in told
    assert "+    int score(int[] marks, int kind) { ;" in told


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_uses_plugins_and_its_manifest_names_them(install: Install, workers: str) -> None:
    install()
    assert run("--model", "shout:hey", "--transform", "ES,VN", "--workers", workers) == 0
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert manifest["plugins"] == {"ES": "acme-metamorph 1.2", "shout": "acme-metamorph 1.2"}
    assert manifest["counts"]["variants"] == 2
    main(["report", "out", "--format", "json"])


def test_a_run_without_plugins_names_none(install: Install) -> None:
    install()
    assert run("--model", "code2vec", "--transform", "VN") == 0
    assert json.loads(Path("out/manifest.json").read_text())["plugins"] == {}


def test_all_means_the_same_with_and_without_plugins(install: Install) -> None:
    install()
    assert run("--model", "shout:hey", "--transform", "all") == 0
    plan = json.loads(Path("out/manifest.json").read_text())["settings"]["plan"]
    assert "ES" not in [code for code, _ in plan]


def test_a_run_does_not_go_on_with_another_version_of_a_plugin(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install()
    assert run("--model", "shout:hey", "--transform", "ES") == 0
    install(version="1.3")
    assert run("--model", "shout:hey", "--transform", "ES", "--resume") == 2
    assert "a plugin's version changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import no_such_thing", "ModuleNotFoundError: No module named 'no_such_thing'"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        (TRANSFORM.replace('"ES"', '"EX"'), "its CODE is 'EX', not 'ES'"),
        (TRANSFORM.replace("CODE =", "CODES ="), "its CODE is None, not 'ES'"),
        (TRANSFORM.replace("NAME =", "NAMES ="), "it has no NAME"),
        (TRANSFORM.replace('("single",)', '("everywhere",)'), "its PLACES are not among"),
        (TRANSFORM.replace("PLACES =", "PLACE ="), "its PLACES are not among"),
        (TRANSFORM.replace("def sites", "def site"), "it has no function sites"),
    ],
)
def test_a_broken_transformation_costs_a_line_and_stops_only_who_asks_for_it(
    install: Install, capsys: pytest.CaptureFixture[str], text: str, fault: str
) -> None:
    install(acme_transform=text, acme_model=MODEL)
    assert main(["transforms"]) == 0
    told = capsys.readouterr()
    assert "VN" in told.out and "empty statement" not in told.out
    (line,) = told.err.splitlines()
    assert line.startswith(f"metamorph: warning: plugin ES of acme-metamorph 1.2: {fault}")
    assert run("--model", "shout:hey", "--transform", "VN") == 0
    assert "warning" not in capsys.readouterr().err
    assert run("--model", "shout:hey", "--transform", "VN,ES") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"metamorph: error: plugin ES of acme-metamorph 1.2: {fault}")


@pytest.mark.parametrize(
    ("text", "name", "fault"),
    [
        ("import no_such_thing", "shout", "plugin shout of acme-metamorph 1.2: ModuleNotFoundErr"),
        ("loads = 3", "shout", "plugin shout of acme-metamorph 1.2: it has no function load"),
        (MODEL, "shout:crash", "load failed with RuntimeError: out of breath"),
        (MODEL, "shout:fault", "error: shout: no voice; rest a while"),
        (MODEL.replace("def predict", "def guess"), "shout", "its model has no predict"),
    ],
)
def test_a_broken_model_is_one_line_for_who_asks_for_it(
    install: Install, capsys: pytest.CaptureFixture[str], text: str, name: str, fault: str
) -> None:
    install(acme_transform=TRANSFORM, acme_model=text)
    assert main(["models", "list"]) == 0
    assert run("--model", name, "--transform", "VN") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert fault in line


def test_a_name_that_is_built_in_is_refused_with_a_line(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install(
        "[metamorph.transforms]\nvn = acme_transform\n[metamorph.models]\npython = acme_model\n"
    )
    assert run("--model", "code2vec", "--transform", "VN") == 0
    told = capsys.readouterr().err.splitlines()
    for name in ("VN", "python"):
        line = f"metamorph: warning: plugin {name} of acme-metamorph 1.2: the name is built in"
        assert f"{line}; the built-in one stays" in told
    assert main(["transforms"]) == 0
    assert "plugin" not in capsys.readouterr().out


def test_of_two_plugins_with_one_name_the_first_distribution_has_it(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install()
    install(name="zeta-metamorph", version="0.1")
    assert main(["transforms"]) == 0
    told = capsys.readouterr()
    assert "plugin of acme-metamorph 1.2" in told.out
    assert "plugin ES of zeta-metamorph 0.1: acme-metamorph 1.2 has that name too" in told.err


def test_an_unknown_model_suggests_the_nearest_name(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install()
    assert run("--model", "shoot:x", "--transform", "VN") == 2
    assert "unknown model 'shoot:x': did you mean shout? known are " in capsys.readouterr().err
    assert run("--model", "cod2vec", "--transform", "VN") == 2
    assert "did you mean code2vec?" in capsys.readouterr().err
    assert run("--model", "1234", "--transform", "VN") == 2
    assert "unknown model '1234': known are " in capsys.readouterr().err


def test_an_unknown_transformation_is_told_with_the_plugins(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install()
    assert run("--model", "shout:x", "--transform", "QQ") == 2
    assert "VN, ES, joined by commas" in capsys.readouterr().err
