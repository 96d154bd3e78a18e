"""What a run has promised is on the disk before it is promised: seen by its system calls.

Needs strace. From what a run writes, and when it has the disk keep it, the folder is made that a
power cut would leave in the worst case, at every moment: all that was not kept yet is lost.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from studies import MODEL, rows, study, write_corpus
from studies import metamorph as cli
from test_durability import killed_moments

from metamorph.runs import manifest as manifests
from metamorph.runs import reading

pytestmark = [pytest.mark.proof, pytest.mark.usefixtures("folder")]

RUN = ("run", "src", "--model", f"{MODEL}slow", "--transform", "VN")
CALLS = "openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,unlink"
_CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")
_PATH = re.compile(r"^-?\w+<([^>]*)>")
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass
class Disk:
    """The files of a folder as programs see them, and as a power cut would leave them.

    names, kept_names: which file has which name; data, kept: bytes of each file.
    """

    folder: str
    names: dict[str, int] = field(default_factory=dict)
    kept_names: dict[str, int] = field(default_factory=dict)
    data: dict[int, bytearray] = field(default_factory=dict)
    kept: dict[int, bytes] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)

    def call(self, name: str, arguments: str, result: int) -> bool:
        """Do as a system call did; whether the disk keeps more since."""
        path = self.path(arguments)
        if name == "openat" and "O_CREAT" in arguments:
            path = bytes.fromhex(_TEXT.findall(arguments)[0].replace("\\x", "")).decode()
            path = os.path.basename(path) if self.folder in path else ""
            if path and path not in self.names:
                self.names[path] = len(self.data)
                self.data[len(self.data)] = bytearray()
            if "O_TRUNC" in arguments and path:
                del self.data[self.names[path]][:]
            self.ends[path] = 0
        elif name in ("rename", "unlink"):
            self.move(name, arguments)
        elif path == "" and name in ("fsync", "fdatasync"):
            self.kept_names = dict(self.names)
            return True
        elif path in self.names:
            return self.write(name, path, arguments, result)
        return False

    def path(self, arguments: str) -> str | None:
        """The name of the file of a descriptor, "" for the folder itself."""
        found = _PATH.match(arguments)
        place = found[1] if found else ""
        if place.endswith(self.folder):
            return ""
        return os.path.basename(place) if self.folder in place else None

    def move(self, name: str, arguments: str) -> None:
        names = [bytes.fromhex(t.replace("\\x", "")).decode() for t in _TEXT.findall(arguments)]
        if self.folder in names[0]:
            moved = self.names.pop(os.path.basename(names[0]), None)
            if name == "rename" and moved is not None:
                self.names[os.path.basename(names[1])] = moved

    def write(self, name: str, path: str, arguments: str, result: int) -> bool:
        file = self.names[path]
        data = self.data[file]
        if name in ("fsync", "fdatasync"):
            self.kept[file] = bytes(data)
            return True
        if name == "ftruncate":
            size = int(arguments.rsplit(",", 1)[1])
            del data[size:]
            data.extend(bytes(size - len(data)))
            return False
        text = bytes.fromhex(_TEXT.findall(arguments)[0].replace("\\x", ""))
        assert len(text) == result
        at = int(arguments.rsplit(",", 1)[1]) if name == "pwrite64" else self.ends.get(path, 0)
        self.ends[path] = at + result
        data.extend(bytes(max(0, at + result - len(data))))
        data[at : at + result] = text
        return False

    def after_a_cut(self, out: Path) -> None:
        """Write what the disk has kept."""
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        for name, file in self.kept_names.items():
            if not name.endswith("-shm"):
                (out / name).write_bytes(self.kept.get(file, b""))


def cuts(folder: Path, out: str, *options: str, **env: str) -> Iterator[Path]:
    """The folder as power cuts would leave it, at each moment at which the disk keeps more."""
    log = folder / "calls"
    trace = ["strace", "-f", "-y", "-xx", "-s", "1000000", "-e", f"trace={CALLS}", "-o", str(log)]
    command = [*trace, sys.executable, "-m", "metamorph", *RUN, "--out", out, *options]
    subprocess.run(command, cwd=folder, env={**os.environ, **env}, check=True, capture_output=True)
    disk = Disk(str(folder / out))
    for line in log.read_text().splitlines():
        call = _CALL.match(re.sub(r"<((?:\\x[0-9a-f]{2})*)>", _readable, line))
        if call and int(call[3]) >= 0 and disk.call(call[1], call[2], int(call[3])):
            disk.after_a_cut(folder / "cut")
            yield folder / "cut"


def _readable(path: "re.Match[str]") -> str:
    return f"<{bytes.fromhex(path[1].replace(chr(92) + 'x', '')).decode()}>"


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_a_power_cut_at_any_moment_leaves_a_run_that_goes_on(folder: Path) -> None:
    write_corpus(folder / "src", files=8)
    whole = rows(study("whole", "src", model="slow"))
    seen, complete = set(), 0
    for cut in cuts(folder, "out", SLOW="0.06"):
        blank = reading.is_blank(cut)
        if blank and not (cut / manifests.NAME).exists():
            continue
        stored = rows(cut)
        seen.add(len(stored["files"]))
        for table, found in stored.items():
            assert set(found) <= set(whole[table])
        if manifests.read(cut)["complete"]:
            complete += 1
            assert stored == whole
        assert cli(*RUN, "--resume", "--out", cut) == 0
        assert rows(cut) == whole
    assert complete and {0, 8} <= seen and len(seen) > 2


def test_a_run_killed_at_every_moment_goes_on_to_the_same_rows(folder: Path) -> None:
    assert len(killed_moments(folder, step=1)) > 60
