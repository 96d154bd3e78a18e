"""What the tests of runs share: small corpora, small models, and a look at all rows."""

import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from metamorph.cli import main
from metamorph.runs import store

MODEL = "python:models_for_tests:"

MODELS = '''
"""Models for tests: deterministic, unsteady, silent, slow, deadly."""

import itertools
import os
import re
import signal
import time
import zlib

_asked = itertools.count()


def word(code):
    """The word of the source with the smallest checksum: renaming may change it."""
    words = re.findall(r"[A-Za-z]\\w+", code)
    return min(words, key=lambda w: zlib.crc32(w.encode())) if words else None


def slow(code):
    time.sleep(float(os.environ.get("SLOW", "0")))
    until = time.monotonic() + float(os.environ.get("STUCK", "0")) * ("Stuck" in code)
    while time.monotonic() < until:  # In steps: a signal just before one is heard after it.
        time.sleep(0.05)
    return word(code)


def unsteady(code):
    return f"answer{'abcdefgh'[next(_asked) % 8]}"


def positional(codes: list[str]) -> list[str]:
    """Answers by the place in the batch, as a faulty server does."""
    return [f"answer{'abcdefgh'[n % 8]}" for n, _ in enumerate(codes)]


def silent(code):
    return None


def shy(code):
    return None if "var0" in code and "first" not in code else word(code)


def classify(code):
    return "risky" if code.count("+") > 2 else "safe"


def parameter(code):
    """A variable of the program: its answer follows a renaming."""
    return re.search(r"int (\\w+)[,)]", code)[1]


def deadly(code):
    if "poison" in code and os.environ.get("DEADLY"):
        os.kill(os.getpid(), signal.SIGKILL)
    return word(code)
'''


def write_models(folder: Path) -> None:
    """Put the models' module where `python:models_for_tests:NAME` finds it."""
    (folder / "models_for_tests.py").write_text(MODELS)


def write_corpus(folder: Path, files: int = 12, methods: int = 4) -> Path:
    """A corpus of small classes, no two alike."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        body = "\n".join(_method(number, m) for m in range(methods))
        (folder / f"C{number:03}.java").write_text(f"class C{number} {{\n{body}\n}}\n")
    return folder


def _method(number: int, m: int) -> str:
    return f"""\
    /** Adds up. */
    int sum{m}Of{number}(int first{m}, int second{number}) {{
        int total{m} = first{m} + {number};
        int rest{number} = second{number} * {m};
        for (int at = 0; at < total{m}; at++) {{
            rest{number} += at;
        }}
        return total{m} + rest{number};
    }}"""


def rows(run: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of a run's store."""
    connection = sqlite3.connect(run / "results.sqlite")
    try:
        tables = ("files", "methods", "variants", "refusals")
        return {t: sorted(connection.execute(f"SELECT * FROM {t}"), key=repr) for t in tables}
    finally:
        connection.close()


def column(run: Path, table: str, name: str) -> list[object]:
    """A column of a run's store."""
    with sqlite3.connect(run / "results.sqlite") as connection:
        return [row[0] for row in connection.execute(f"SELECT {name} FROM {table}")]


def metamorph(*arguments: object) -> int:
    """Run the command line in this process; its exit code."""
    return main([str(argument) for argument in arguments])


def study(out: str, *arguments: object, model: str = "word", transform: str = "VN") -> Path:
    """A run that must succeed; its folder."""
    options = ("--model", MODEL + model, "--transform", transform, "--out", out)
    assert metamorph("run", *arguments, *options) == 0
    return Path(out)


def start(
    folder: Path, *arguments: object, session: bool = False, **env: str
) -> "subprocess.Popen[str]":
    """Start the command line as a process of its own, in `folder`; with a session of its own?"""
    return subprocess.Popen(
        [sys.executable, "-m", "metamorph", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=session,
    )


def wait_for_files(run: Path, wanted: int, process: "subprocess.Popen[str]") -> None:
    """Until the process has stored so many files."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        if (run / store.NAME).is_file() and stored_files(run) >= wanted:
            return
        time.sleep(0.01)
    process.kill()
    pytest.fail(f"fewer than {wanted} files stored; {process.communicate()}")


def stored_files(run: Path) -> int:
    """How many files are stored; none before the tables are."""
    connection = sqlite3.connect(run / store.NAME)
    try:
        return store.count_files(connection)
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()
