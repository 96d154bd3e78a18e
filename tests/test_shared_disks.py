"""Runs on the disks of a network: no write-ahead log, and the same rows."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from metamorph.cli import main
from metamorph.corpus import sample_path
from metamorph.runs import shared_disks, store
from metamorph.runs.reading import reading

MOUNTS = r"""
/dev/sda1 / ext4 rw 0 0
server:/export /net/nfs nfs4 rw,vers=4.2 0 0
/dev/sdb1 /net/nfs/scratch xfs rw 0 0
mds@tcp:/fs /lustre lustre rw,flock 0 0
bucket /net/two\040words fuse.s3fs rw 0 0
gvfsd-fuse /run/user/gvfs fuse.gvfsd-fuse rw 0 0
"""


def mount(folder: Path, monkeypatch: pytest.MonkeyPatch, mounts: str) -> None:
    """Let this be what the system has mounted."""
    (folder / "mounts").write_text(mounts)
    monkeypatch.setattr(shared_disks, "MOUNTS", folder / "mounts")


@pytest.mark.parametrize(
    ("folder", "shared"),
    [
        ("/net/nfs/run", True),
        ("/net/nfs/scratch/run", False),
        ("/net/nfsother/run", False),
        ("/lustre", True),
        ("/net/two words/run", True),
        ("/srv/run", False),
    ],
)
def test_the_innermost_mount_tells_whether_a_folder_is_shared(
    tmp_path: Path, folder: str, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mount(tmp_path, monkeypatch, MOUNTS)
    assert shared_disks.is_shared(Path(folder)) is shared
    (tmp_path / "mounts").unlink()
    assert not shared_disks.is_shared(Path(folder))


def test_a_run_without_a_write_ahead_log_has_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = ["--model", "python:builtins:len", "--transform", "VN", "--limit", "30", "--out"]
    assert main(["run", str(sample_path()), *plan, str(tmp_path / "local")]) == 0
    mount(tmp_path, monkeypatch, f"server:/export {tmp_path} nfs4 rw 0 0")
    assert main(["run", str(sample_path()), *plan, str(tmp_path / "shared")]) == 0
    found = []
    for name in ("local", "shared"):
        with reading(tmp_path / name) as connection:
            found.append(connection.execute("SELECT * FROM variants").fetchall())
    assert found[0] == found[1] != []


def test_without_a_write_ahead_log_the_run_waits_for_a_report_being_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mount(tmp_path, monkeypatch, f"server:/export {tmp_path} nfs4 rw 0 0")
    with closing(store.create(tmp_path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        reader = sqlite3.connect(tmp_path / store.NAME, check_same_thread=False)
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM files").fetchone()
        ending = threading.Timer(0.3, reader.rollback)
        ending.start()
        began = time.monotonic()
        store.forget(connection, [1])
        connection.execute("CREATE TABLE later (x)")
        assert time.monotonic() - began > 0.2
        ending.join()
        reader.close()
