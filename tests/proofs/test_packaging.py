"""Distributions built from a clean clone hold everything and run where they are installed.

Needs git and whatever pip needs to install the dependencies.
"""

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = {
    "metamorph": "metamorph",
    "transforms": "metamorph/transforms",
    "oracles": "metamorph/oracles",
    "fixtures/corpus": "metamorph/corpus/sample",
}

pytestmark = pytest.mark.proof


def run(*command: str | Path, cwd: Path) -> str:
    """The standard output of a command that must succeed, away from this checkout's modules."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV_"))}
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def tracked(folder: Path) -> Iterator[str]:
    """The files of a clone's index, links left out."""
    for line in run("git", "ls-files", "--stage", "-z", cwd=folder).split("\0"):
        mode, _, path = line.partition("\t")
        if path and not mode.startswith("120000"):
            yield path


def clone(to: Path, *options: str) -> Path:
    run("git", *options, "clone", "-q", str(ROOT), str(to), cwd=ROOT)
    return to


def environment(at: Path) -> Path:
    """A fresh virtual environment; returns its folder of commands."""
    venv.create(at, with_pip=True)
    return at / ("Scripts" if sys.platform == "win32" else "bin")


def assert_it_works(commands: Path, away: Path) -> None:
    """The command, every room and the sample corpus are there, away from any checkout."""
    assert "usage: metamorph" in run(commands / "metamorph", "--help", cwd=away)
    assert "VN" in run(commands / "metamorph", "transforms", cwd=away)
    script = (
        "import metamorph.oracles, metamorph.transforms, metamorph.java.tree\n"
        "from metamorph.corpus import sample_path\n"
        "print(len(list(sample_path().rglob('*.java'))))"
    )
    found = run(commands / "python", "-c", script, cwd=away)
    assert int(found) == len(list((ROOT / "fixtures" / "corpus").rglob("*.java")))
    assert_a_study_can_be_made(commands / "metamorph", away)


def assert_a_study_can_be_made(metamorph: Path, away: Path) -> None:
    """Weights, schemas, pages and published numbers are read where they were installed."""
    asked = ("--transform", "VN,PS", "--limit", "20")
    for model in ("code2vec", "code2seq", "nlm"):
        assert "VN single" in run(
            metamorph, "run", "--model", model, *asked, "--out", model, cwd=away
        )
    for form in ("json", "csv", "md", "latex", "html", "junit"):
        assert run(metamorph, "report", "code2vec", "--format", form, cwd=away)
    run(metamorph, "report", "code2vec", "--paper", "--out", "kit", cwd=away)
    assert (away / "kit" / "tables").is_dir()
    assert "VN" in run(metamorph, "compare", "code2vec", "code2seq", cwd=away)
    script = (
        "from importlib.resources import files\n"
        "for name in 'java/checker/Checker.java', 'reports/schema/report.schema.json':\n"
        "    print(len((files('metamorph') / name).read_text(encoding='utf-8')))"
    )
    sizes = run(metamorph.parent / "python", "-c", script, cwd=away).split()
    assert len(sizes) == 2 and min(map(int, sizes)) > 1000


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return clone(tmp_path_factory.mktemp("clone") / "metamorph-java")


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", out, checkout, cwd=out)
    return next(out.glob("*.whl"))


def test_the_wheel_holds_every_module_weight_and_sample(checkout: Path, wheel: Path) -> None:
    expected = {
        place + path.removeprefix(folder)
        for path in tracked(checkout)
        for folder, place in SHIPPED.items()
        if path.startswith(folder + "/")
    }
    expected.add("metamorph_pytest.py")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == expected


def test_an_installed_wheel_works_outside_the_checkout(wheel: Path, tmp_path: Path) -> None:
    commands = environment(tmp_path / "venv")
    run(commands / "python", "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    assert_it_works(commands, tmp_path)


def test_an_editable_clone_without_symlinks_works(tmp_path: Path) -> None:
    checkout = clone(tmp_path / "clone", "-c", "core.symlinks=false")
    assert (checkout / "metamorph" / "transforms").is_file()
    commands = environment(tmp_path / "venv")
    run(commands / "python", "-m", "pip", "install", "-q", "-e", checkout, cwd=tmp_path)
    assert_it_works(commands, tmp_path)


def test_the_source_distribution_holds_all_tracked_files(checkout: Path, tmp_path: Path) -> None:
    script = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"
    commands = environment(tmp_path / "venv")
    run(commands / "python", "-m", "pip", "install", "-q", "setuptools>=77", cwd=tmp_path)
    run(commands / "python", "-c", script, tmp_path, cwd=checkout)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert set(tracked(checkout)) - held == {".gitignore"}
