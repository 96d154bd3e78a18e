"""Datasets of CodRep for tests, written by hand."""

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

PROGRAM = b"""\
package a.b;

import java.util.List;
import java.util.Map;

/** Counts. */
public class Counter {
    private int limit = 10;

    int count(List<String> names, int least) {
        int found = 0;
        int index = 0;
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).length() > least) {
                found++;
            }
        }
        return found;
    }
}
"""
INSERTED = b"if (names.get(i).length() >= least) {"
SOLUTION = 14


def write_dataset(
    folder: Path,
    *tasks: tuple[bytes, int | None],
    inserted: bytes = INSERTED,
) -> Path:
    """A dataset of programs with their solutions, numbered from 1; no file where it is None."""
    for name in ("Tasks", "Solutions"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for number, (program, solution) in enumerate(tasks, 1):
        (folder / "Tasks" / f"{number}.txt").write_bytes(inserted + b"\n\n" + program)
        if solution is not None:
            (folder / "Solutions" / f"{number}.txt").write_text(str(solution))
    return folder


def on_stdin(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    """What the next command reads."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))
