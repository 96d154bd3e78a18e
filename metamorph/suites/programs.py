"""The programs of a suite: all that a run would put to a model, each once, one a line."""

import hashlib
import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from metamorph.corpus.suites import listed_sources
from metamorph.models.protocol import Example, Prediction
from metamorph.models.recorded import content_key
from metamorph.runs.pipeline import study_each
from metamorph.runs.rows import FileRow
from metamorph.runs.settings import Settings
from metamorph.suites.manifest import PROGRAMS
from metamorph.tasks import Task
from metamorph.tasks import load as load_task


class Copyist:
    """In the place of a model: writes down what it is asked, and answers nothing of use.

    What was written is known by its key, in a database that goes to disk where it grows large.
    """

    name = "suite export"

    def __init__(self, task: Task, stream: BinaryIO, keys: sqlite3.Connection) -> None:
        self.identity = {"kind": "suite"}
        self.programs = 0
        self.fault: Exception | None = None
        self._digest = hashlib.sha256()
        self._task = task
        self._stream = stream
        self._keys = keys
        keys.execute("CREATE TABLE keys (key BLOB PRIMARY KEY) WITHOUT ROWID")

    @property
    def sha256(self) -> str:
        """Of the lines so far."""
        return self._digest.hexdigest()

    def label(self, method_name: str) -> str:
        """In the form of the task."""
        return self._task.label(method_name)

    def predict(self, batch: Sequence[Example]) -> list[Prediction]:
        """Write the programs that are new; a fault is kept, for the run would go on without."""
        try:
            for example in batch:
                self._write(example)
        except Exception as error:
            self.fault = error
            raise
        return [Prediction(example.id, "?") for example in batch]

    def _write(self, example: Example) -> None:
        code = self._task.code(example.tree, example.node)
        id = content_key(code, example.repeat)
        key = id.encode()
        if not self._keys.execute("INSERT OR IGNORE INTO keys VALUES (?)", (key,)).rowcount:
            return
        about: dict[str, object] = {"id": id, "task": self._task.name, "language": "java"}
        if example.repeat:
            about["repeat"] = example.repeat
        about |= {"prompt": self._task.prompt(code), "code": code}
        line = json.dumps(about).encode() + b"\n"
        self._stream.write(line)
        self._digest.update(line)
        self.programs += 1


@dataclass(slots=True)
class Counts:
    """What a suite holds."""

    files: int = 0
    methods: int = 0
    variants: int = 0
    refusals: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, row: FileRow) -> None:
        """Count a file."""
        self.files += 1
        self.methods += len(row.methods)
        for method in row.methods:
            self.variants += len(method.variants)
            for refused in method.refusals:
                reasons = self.refusals.setdefault(refused.transform, {})
                reasons[refused.reason] = reasons.get(refused.reason, 0) + 1


def write_programs(
    folder: Path, settings: Settings, advance: Callable[[Counts], None]
) -> dict[str, Any]:
    """Write the programs of the sources that are listed in the folder; facts for the manifest.

    advance: told what is counted so far, after each file.
    """
    task = load_task(settings.options.task, settings.options.equality)
    counts = Counts()
    with open(folder / PROGRAMS, "xb") as stream, closing(sqlite3.connect("")) as keys:
        copyist = Copyist(task, stream, keys)
        for row in study_each(enumerate(listed_sources(str(folder))), copyist, settings):
            if copyist.fault is not None:
                raise copyist.fault
            counts.add(row)
            advance(counts)
    return {
        "counts": {
            "files": counts.files,
            "methods": counts.methods,
            "variants": counts.variants,
            "programs": copyist.programs,
            "refusals": counts.refusals,
        },
        "programs_sha256": copyist.sha256,
    }
