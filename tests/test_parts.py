"""What several processes write together: the same bytes, whatever becomes of one of them."""

import json
import os
import shutil
import signal
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_shapes import GARBAGE, SHAPES
from studies import metamorph, start, write_corpus
from suites import contents, manifest
from test_interruptions import ended, tell_all, wait_for

from metamorph import plugins, transforms
from metamorph.corpus import sample_path
from metamorph.runs import parts

pytestmark = pytest.mark.usefixtures("folder")

FORMATS = "hf,java,c2v,c2s,codexglue-text,codexglue-search,codexglue-clone"
COMMANDS: dict[str, tuple[object, ...]] = {
    "tree": ("transform", "src", "--transform", "LX"),
    "tree-by-chance": ("transform", "src", "--transform", "UN", "--place", "random", "--seed", 7),
    "list": ("transform", "src", "--transform", "VN,PS,TC", "--format", "jsonl"),
    "files": (
        *("transform", "src", "a.zip", "--transform", "VN,UN", "--place", "single"),
        *("--format", "files"),
    ),
    "suite": (
        *("suite", "build", "src", "a.zip", "--transform", "VN,LX", "--place", "all"),
        *("--format", FORMATS, "--splits", "train:0.7,test:0.3"),
    ),
    "some-of-a-suite": (
        *("suite", "build", "src", "--transform", "VN,LX", "--place", "both"),
        *("--per-transform", 9, "--gzip", "--format", "codexglue-search"),
    ),
    "beginning-of-a-suite": ("suite", "build", "src", "--transform", "UN", "--limit", 60),
}


@pytest.fixture
def corpus(folder: Path) -> Path:
    """The sample corpus, hostile shapes, and what cannot be read: several tasks for workers."""
    src = folder / "src"
    shutil.copytree(sample_path(), src, ignore=shutil.ignore_patterns("__pycache__"))
    (src / "hostile").mkdir()
    for name, shape in (SHAPES | GARBAGE).items():
        (src / "hostile" / f"{name}.java").write_bytes(shape(4))
    (src / "hostile" / "Latin.java").write_bytes(b"class L { void \xe9(int \xe9) { int a = 1; } }")
    (src / "hostile" / "Gone.java").symlink_to("nowhere")
    (src / "hostile" / "Wide.java").write_text("class W { int w(int a) { return a; } }", "utf-16")
    (src / "hostile" / "notes.txt").write_text("notes")
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for name in ("../up/A.java", "A.java/B.java", "A.java"):
            archive.writestr(name, "class A { int two(int a) { int b = a; return b; } }")
    return src


def written(command: tuple[object, ...], workers: int, out: str) -> dict[str, bytes]:
    """What a command that must succeed writes, a suite's manifest but for its time and command."""
    assert metamorph(*command, "--workers", workers, "--out", out) == 0
    found = contents(Path(out))
    if command[0] == "suite":
        told = manifest(Path(out))
        found["manifest.json"] = json.dumps(told | {"command": "", "written": ""}).encode()
    assert not [path for path in Path().iterdir() if "unfinished" in path.name]
    return found


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.usefixtures("corpus")
def test_two_workers_write_what_one_process_writes(
    command: tuple[object, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    one = written(command, 1, "one")
    told = capfd.readouterr().err
    assert len(one["variants.jsonl"].splitlines()) > 99 if "jsonl" in command else len(one) > 5
    assert written(command, 2, "two") == one
    # A suite tells how it goes on, twice a minute; its counts are in the manifest.
    if command[0] == "transform":
        assert capfd.readouterr().err.replace("two", "one") == told


@pytest.mark.usefixtures("corpus")
def test_two_workers_find_what_one_process_finds_in_a_changed_suite(
    capsys: pytest.CaptureFixture[str],
) -> None:
    written(COMMANDS["suite"], 1, "one")
    capsys.readouterr()
    assert metamorph("suite", "verify", "one", "--workers", 2) == 0
    assert "every byte the same" in capsys.readouterr().out
    records = Path("one/data/test.jsonl")
    lines = records.read_text().splitlines(keepends=True)
    changed = lines[3].replace('"transform": "', '"transform": "X')
    assert changed != lines[3]
    records.write_text("".join([*lines[:3], changed, *lines[4:]]))
    told = []
    for workers in (1, 2):
        assert metamorph("suite", "verify", "one", "--workers", workers) == 1
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]
    assert "data/test.jsonl: line 4 differs from the one made anew" in told[0]


@pytest.mark.usefixtures("corpus")
def test_two_workers_write_the_parquet_that_one_process_writes() -> None:
    pytest.importorskip("pyarrow")
    command = ("suite", "build", "src", "--transform", "VN", "--format", "parquet")
    assert written(command, 2, "two") == written(command, 1, "one")


PLUGIN = """
import multiprocessing, os, pathlib, signal, time
from metamorph.java.edits import Edit
from metamorph.java.sites import Site

CODE = "ES"
NAME = "empty statement, after what the method's name says"
PLACES = ("single", "all")


def sites(method, choices):
    if method.name == "poison" and multiprocessing.parent_process():
        os.kill(os.getpid(), signal.SIGKILL)
    if method.name == "patience":
        here = pathlib.Path("pid.new")
        here.write_text(str(os.getpid()))
        here.rename("pid")
        while not os.path.exists("go"):
            time.sleep(0.02)
    at = method.tree.start[method.body] + 1
    yield Site(CODE, 0, at, (Edit(at, at, b" ;"),))
"""


@pytest.fixture
def plugin(folder: Path) -> Iterator[None]:
    """The transformation ES, in the folder where all processes look."""
    about = folder / "empty.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: empty\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[metamorph.transforms]\nES = empty\n")
    (folder / "empty.py").write_text(PLUGIN)
    _forget()
    yield
    _forget()
    sys.modules.pop("empty", None)


def _forget() -> None:
    plugins._found.cache_clear()
    transforms._loaded.cache_clear()


def write_special(folder: Path, name: str) -> Path:
    """A corpus of two tasks and more, in which a method in the midst is special."""
    src = write_corpus(folder / "src", files=40)
    (src / "C020.java").write_text(
        f"class P {{ int first(int a) {{ return a; }} int {name}(int b) {{ return b; }} }}"
    )
    return src


WITH_ES: dict[str, tuple[object, ...]] = {
    "tree": ("transform", "src", "--transform", "ES"),
    "files": ("transform", "src", "--transform", "ES", "--format", "files"),
    "suite": ("suite", "build", "src", "--transform", "ES", "--format", "java"),
}


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("name", WITH_ES)
def test_a_file_that_kills_its_worker_is_told_and_left_out(
    name: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    src = write_special(folder, "poison")
    found = written(WITH_ES[name], 2, "two")
    err = capfd.readouterr().err
    assert "src/C020.java: worker-died (SIGKILL); skipped" in err
    assert "worker-died 1" in err and "Traceback" not in err
    poison = src / "C020.java"
    text = poison.read_bytes()
    # As a file with a syntax error, it gives nothing but a count.
    poison.write_text("class {")
    expected = written(WITH_ES[name], 1, "one")
    if name == "tree":
        assert found == expected | {"C020.java": text}
        return
    assert found.keys() == expected.keys()
    same = {"sources/src/C020.java", "sources.jsonl", "manifest.json"}
    assert all(found[path] == expected[path] for path in found.keys() - same)


@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("name", WITH_ES)
def test_a_worker_that_is_killed_in_the_midst_changes_no_byte(name: str, folder: Path) -> None:
    write_special(folder, "patience")
    process = start(folder, *WITH_ES[name], "--workers", 2, "--out", "two")
    wait_for(folder / "pid")
    killed = int((folder / "pid").read_text())
    assert killed != process.pid
    os.kill(killed, signal.SIGKILL)
    (folder / "go").touch()
    _, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert "worker-died" not in err
    assert contents(folder / "two") == without_manifest(written(WITH_ES[name], 1, "one"))


def without_manifest(found: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in found.items() if path != "manifest.json"}


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.usefixtures("plugin")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", WITH_ES)
def test_told_to_stop_workers_end_and_nothing_is_left(name: str, number: int, folder: Path) -> None:
    write_special(folder, "patience")
    before = sorted(path.name for path in folder.iterdir())
    process = start(folder, *WITH_ES[name], "--workers", 2, "--out", "out", session=True)
    wait_for(folder / "pid")
    tell_all(process, number)
    _, err = ended(process)
    assert err.splitlines()[-1] == "metamorph: interrupted"
    (folder / "pid").unlink()
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.usefixtures("plugin")
def test_workers_whose_parent_was_killed_end(folder: Path) -> None:
    write_special(folder, "patience")
    process = start(folder, *WITH_ES["files"], "--workers", 2, "--out", "out", session=True)
    wait_for(folder / "pid")
    process.kill()
    ended(process, -signal.SIGKILL)
    assert not (folder / "out").exists()


def startless(workers: int) -> None:
    """A process that ends before its first task."""
    os._exit(5)


@pytest.mark.parametrize("name", ["tree", "list", "suite"])
@pytest.mark.usefixtures("corpus")
def test_workers_that_cannot_begin_are_told_in_one_line(
    name: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parts, "_start", startless)
    assert metamorph(*COMMANDS[name], "--workers", 2, "--out", "out") == 2
    told = "--workers 2: a worker process ended at its start (5); give fewer"
    assert capfd.readouterr().err.splitlines()[-1] == f"metamorph: error: {told}"
    assert not Path("out").exists()


def test_a_fault_in_a_worker_is_that_of_the_command(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A pair of clones that cannot be: two functions with one idx."""
    rows = [{"func": f"int f{n}(int a) {{ int b = a; return b; }}", "idx": 1} for n in range(2)]
    (folder / "data.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "test.txt").write_text("1\t1\t1\n")
    command = ("suite", "build", "data.jsonl", "--transform", "VN", "--format", "codexglue-clone")
    for workers in (1, 2):
        assert metamorph(*command, "--workers", workers, "--out", "out") == 2
        assert "1: the idx of two functions; give each its own" in capfd.readouterr().err
        assert not Path("out").exists()
