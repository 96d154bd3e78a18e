"""Runs, and what else is written, when the machine does what machines do."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from studies import MODEL, rows, start, study, wait_for_files, write_corpus
from studies import metamorph as cli

from metamorph.runs import manifest as manifests
from metamorph.runs import reading, store
from metamorph.runs.summary import summarise

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.usefixtures("folder")

SLOW = ("run", "src", "--model", f"{MODEL}slow", "--transform", "VN")
RUN = ("run", "src", "--model", f"{MODEL}word", "--transform", "VN")


def run(out: str, *options: object) -> int:
    return cli(*RUN, "--out", out, *options)


def killed_moments(folder: Path, step: int) -> list[int]:
    """The moments at which runs were killed that then went on to the same rows and counts."""
    write_corpus(folder / "src", files=2, methods=1)
    script = Path(__file__).with_name("killing.py")
    command = [sys.executable, str(script), str(step), *RUN]
    path = f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found = [[int(word) for word in line.split()] for line in done.stdout.splitlines()]
    *killed, (_, ended, _) = found
    assert ended == 0
    for moment, code, resumed in killed:
        assert (code, resumed) == (-signal.SIGKILL, 0), moment
        run = folder / f"killed-{moment}"
        assert rows(run) == rows(folder / "whole"), moment
        manifest = manifests.read(run)
        assert manifest["complete"] and manifest["counts"] == store_counts(run)
        assert sorted(os.listdir(run)) == [manifests.NAME, store.NAME]
    return [moment for moment, *_ in killed]


def store_counts(run: Path) -> dict[str, int]:
    with reading.reading(run) as connection:
        return store.counts(connection)


def test_a_run_that_is_killed_at_some_moment_goes_on_to_the_same_rows(folder: Path) -> None:
    assert len(killed_moments(folder, step=10)) > 6


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """No file of this process may grow larger, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 250 kB."""
    place = folder / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=250k", "none", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_stops_a_run_that_goes_on_when_there_is_room(
    small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(Path("src"), files=40)
    whole = study("whole", "src")
    filling = small_disk / "filling"
    filling.write_bytes(bytes(100_000))
    for _ in range(2):
        assert run("small/out", "--resume") == 3
        told = capsys.readouterr().err.splitlines()[-1]
        assert "disk is full; what is done is stored: go on with --resume" in told
    accounting = summarise(small_disk / "out").accounting
    assert 0 < accounting.files < 40
    assert cli("report", "small/out", "--format", "html", "--out", "small/report.html") == 2
    assert sorted(os.listdir(small_disk)) == ["filling", "out"]
    filling.unlink()
    subprocess.run(["mount", "-o", "remount,size=3000k", str(small_disk)], check=True)
    assert run("small/out", "--resume") == 0
    assert rows(small_disk / "out") == rows(whole)


@pytest.mark.parametrize("size", [0, 3_000, 40_000, 100_000])
def test_a_run_whose_files_cannot_grow_goes_on_when_they_can(
    size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(Path("src"), files=20)
    whole = study("whole", "src")
    with files_up_to(size):
        assert run("out") == 3
    (error,) = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
    assert error.endswith("what is done is stored: go on with --resume --out out")
    assert run("out", "--resume") == 0
    assert rows(Path("out")) == rows(whole)
    assert manifests.read(Path("out"))["complete"]


OUTPUTS = {
    "report": ("report", "whole", "--format", "json", "--out", "written"),
    "page": ("report", "whole", "--format", "html", "--out", "written"),
    "kit": ("report", "whole", "--paper", "--out", "written"),
    "tree": ("transform", "src", "--transform", "VN", "--out", "written"),
    "files": ("transform", "src", "--transform", "VN", "--format", "files", "--out", "written"),
    "list": ("transform", "src", "--transform", "VN", "--format", "jsonl", "--out", "written"),
    "suite": ("suite", "build", "src", "--transform", "VN", "--out", "written"),
    "tree-of-workers": (
        *("transform", "src", "--transform", "VN", "--workers", "2", "--out", "written"),
    ),
    "files-of-workers": (
        *("transform", "src", "--transform", "VN", "--format", "files"),
        *("--workers", "2", "--out", "written"),
    ),
    "suite-of-workers": (
        *("suite", "build", "src", "--transform", "VN", "--workers", "2", "--out", "written"),
    ),
    "programs": ("suite", "export", "src", "--transform", "VN", "--out", "written"),
    "copy": ("duplicates", "dedup", "src", "--write", "tree", "--out", "written"),
    "clusters": ("duplicates", "find", "src", "--format", "json", "--out", "written"),
}


@pytest.mark.parametrize("command", OUTPUTS.values(), ids=OUTPUTS)
def test_what_a_full_disk_cuts_off_does_not_look_whole(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(Path("src"), files=3)
    study("whole", "src")
    capsys.readouterr()
    with files_up_to(300):
        assert cli(*command) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[-1].startswith("metamorph: error: written") and "File too large" in told[-1]
    left = [path for path in Path().rglob("*") if "written" in str(path) and path.is_file()]
    assert all(path.stat().st_size < 300 and path.name[0] != "." for path in left)
    assert command[1:] == OUTPUTS["kit"][1:] or not Path("written").exists()


def test_a_file_that_cannot_be_replaced_stays_as_it_was() -> None:
    write_corpus(Path("src"), files=2)
    study("whole", "src")
    Path("report.json").write_text("old")
    with files_up_to(300):
        assert cli("report", "whole", "--format", "json", "--out", "report.json") == 2
    assert Path("report.json").read_text() == "old"
    assert not list(Path().glob(".report*"))


def left_by_a_kill(folder: Path) -> Path:
    """What a killed run leaves: rows that are in the log alone."""
    write_corpus(Path("src"), files=100)
    process = start(folder, *SLOW, "--out", "out", SLOW="0.005")
    wait_for_files(folder / "out", 2, process)
    process.kill()
    process.communicate()
    return folder / "out"


def test_what_a_killed_run_stored_is_read_where_nothing_can_be_put_beside_it(
    folder: Path,
) -> None:
    run = left_by_a_kill(folder)
    helper = run / f"{store.NAME}-shm"
    helper.unlink(missing_ok=True)
    helper.symlink_to("nowhere/at/all")
    with pytest.raises(sqlite3.OperationalError):
        sqlite3.connect(run / store.NAME).execute("SELECT * FROM files").fetchall()
    assert summarise(run).accounting.files >= 2
    assert cli("report", run, "--format", "json", "--out", "report.json") == 0


DAMAGES = {
    "truncated": lambda path: os.truncate(path, path.stat().st_size // 3),
    "overwritten": lambda path: path.write_bytes(b"\xff" * path.stat().st_size),
    "empty": lambda path: path.write_bytes(b""),
    "missing": Path.unlink,
}


@pytest.mark.parametrize("name", [store.NAME, manifests.NAME])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_run_is_told_in_one_line(
    name: str, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(Path("src"), files=10)
    study("out", "src")
    study("other", "src")
    DAMAGES[damage](Path("out") / name)
    capsys.readouterr()
    for command in (
        ("report", "out"),
        ("report", "out", "--format", "html"),
        ("compare", "other", "out"),
        (*RUN, "--resume", "--out", "out"),
    ):
        assert cli(*command) == 2, command
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("metamorph: error: ") and "out" in line and ";" in line


def test_results_without_a_manifest_are_not_swept_away(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_corpus(Path("src"), files=2)
    before = rows(study("out", "src"))
    Path("out/manifest.json").unlink()
    assert run("out") == 2
    assert "not empty" in capsys.readouterr().err
    assert rows(Path("out")) == before


def test_a_run_goes_on_after_its_folder_was_moved() -> None:
    write_corpus(Path("src"), files=20)
    with files_up_to(100_000):
        assert run("out") == 3
    Path("out").rename("elsewhere")
    assert run("elsewhere", "--resume") == 0
    assert rows(Path("elsewhere")) == rows(study("whole", "src"))


def test_a_run_does_not_go_on_after_a_file_is_gone(capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(Path("src"), files=20)
    with files_up_to(100_000):
        assert run("out") == 3
    assert 0 < len(rows(Path("out"))["files"]) < 20
    Path("src/C019.java").unlink()
    assert run("out", "--resume") == 2
    assert "the corpus changed" in capsys.readouterr().err


def test_drafts_of_killed_runs_are_put_away() -> None:
    write_corpus(Path("src"), files=20)
    with files_up_to(100_000):
        assert run("out") == 3
    Path("out/.manifest.json.1234").write_text("{")
    assert run("out", "--resume") == 0
    assert sorted(os.listdir("out")) == [manifests.NAME, store.NAME]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(Path("src"), files=1)
    study("out", "src")
    Path("out").chmod(0o500)
    assert run("out", "--resume") == 2
    assert "out: may not be written" in capsys.readouterr().err
    assert cli("report", "out", "--format", "json") == 0
    Path("out").chmod(0o700)


def test_where_folders_cannot_be_locked_a_file_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on network file systems, which lock only what is open for writing."""
    fcntl = pytest.importorskip("fcntl")
    flock = fcntl.flock

    def of_files_alone(descriptor: int, operation: int) -> None:
        if os.path.isdir(f"/proc/self/fd/{descriptor}"):
            raise OSError(9, "Bad file descriptor")
        flock(descriptor, operation)

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("no /proc")
    monkeypatch.setattr(fcntl, "flock", of_files_alone)
    write_corpus(Path("src"), files=1)
    study("out", "src")
    with open("out/.lock", "r+") as lock:
        flock(lock, fcntl.LOCK_EX)
        assert run("out", "--resume") == 2
    assert "another run is going on there" in capsys.readouterr().err
    assert run("out", "--resume") == 0
