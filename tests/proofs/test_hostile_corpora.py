"""Corpora of hostile sizes: every command that reads them ends, within bounds of memory."""

import random
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from studies import column

JAVA = b"class X%d { int f(int a) { int b = a; return b; } }\n"
PLAIN = b"class X%d { int f() { return 1; } }\n"
METHOD = b"int f%d(int a) { int b = a; if (b > 0) { b++; } while (b < 9) { b += 2; } return b; }\n"
RECORD = b'{"code": "int f(int a) { int b = a; return b; }"}\n'
ZEROS = 10_000_000_000

BOUNDED = """
import resource, sys
from metamorph.cli import main
code = main(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=open("used", "w"))
sys.exit(code)
"""


def large_class(folder: Path, size: int) -> None:
    """A class of so many bytes that is Java."""
    with open(folder / "A.java", "wb") as out:
        out.write(b"class A {\n")
        for number in range(size // len(METHOD)):
            out.write(METHOD % number)
        out.write(b"}\n")


def zeros(folder: Path) -> None:
    """A bomb, and a file beside it."""
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("Bomb.java", "w", force_zip64=True) as member:
            for _ in range(ZEROS >> 24):
                member.write(bytes(1 << 24))
        archive.writestr("Y.java", JAVA % 1)


def small(number: int) -> bytes:
    """A class, one in twenty with something to rename: to ask a model of each takes an hour."""
    return (PLAIN if number % 20 else JAVA) % number


def members(folder: Path, many: int, end: str, text: Callable[[int], bytes]) -> None:
    """An archive of so many members."""
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for number in range(many):
            archive.writestr(zipfile.ZipInfo(f"d{number % 100}/X{number}{end}"), text(number))


def many_files(folder: Path) -> None:
    """100,000 files side by side."""
    for number in range(100_000):
        (folder / f"X{number}.java").write_bytes(small(number))


def long_line(folder: Path) -> None:
    """A line of a gigabyte, of zeros that take no room on the disk, and a record after it."""
    with open(folder / "a.jsonl", "wb") as out:
        out.seek(1 << 30)
        out.write(b"\n" + RECORD)


def garbage(folder: Path) -> None:
    """Bytes by chance."""
    (folder / "A.java").write_bytes(random.Random(0).randbytes(10_000_000))


CORPORA: dict[str, tuple[Callable[[Path], None], dict[str, int], int]] = {
    "too-large": (lambda f: large_class(f, 100_000_000), {"too-large": 1}, 300),
    "60-megabytes": (lambda f: large_class(f, 60_000_000), {"time-limit": 1}, 2500),
    "garbage": (garbage, {"time-limit": 1}, 1500),
    "bomb": (zeros, {"too-large": 1, "parsed": 1}, 300),
    "a-million-empty-members": (lambda f: members(f, 1_000_000, ".txt", lambda _: b""), {}, 1000),
    "members": (lambda f: members(f, 200_000, ".java", small), {"parsed": 200_000}, 1000),
    "files": (many_files, {"parsed": 100_000}, 600),
    "long-line": (long_line, {"too-large": 1, "parsed": 1}, 400),
}
"""How each is made, what becomes of its files, and the megabytes that no command goes beyond."""

LIMITS = ("--time-limit", "5", "--memory-limit", "1500")
COMMANDS = {
    "run": ("--model", "code2vec", "--transform", "VN", "--out", "out", "--workers", "1", *LIMITS),
    "contexts": ("--style", "code2vec", *LIMITS),
    "transform": ("--transform", "all", "--format", "jsonl", "--out", "out", *LIMITS),
    "duplicates find": (),
}


@pytest.mark.proof
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", CORPORA)
def test_a_command_over_a_hostile_corpus_ends_within_bounds(
    name: str, command: str, tmp_path: Path
) -> None:
    make, statuses, megabytes = CORPORA[name]
    (tmp_path / "src").mkdir()
    make(tmp_path / "src")
    inside = [*(tmp_path / "src").iterdir()]
    path = "src" if inside[0].suffix == ".java" else f"src/{inside[0].name}"
    words = (*command.split(), path, *COMMANDS[command])
    with open(tmp_path / "printed", "wb") as out:
        done = subprocess.run(
            [sys.executable, "-c", BOUNDED, *words], cwd=tmp_path, stdout=out, timeout=3600
        )
    # Where nothing can be read, one line tells so.
    assert done.returncode in ((0,) if "parsed" in statuses else (0, 2))
    assert float((tmp_path / "used").read_text()) < megabytes
    if command == "run" and statuses:
        assert Counter(column(tmp_path / "out", "files", "status")) == statuses
