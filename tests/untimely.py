"""A limit that comes at a step of one's choice, and what is studied then and afterwards.

    OMP_NUM_THREADS=1 python untimely.py MODEL FIRST.java OTHER.java EVERY [PART]

studies the first file, with a limit at the first step at each line, at EVERY such line or less
often, the other file, and the first again; prints how many steps there were, and each fault. PART
is a part of a file's name, to which the steps are confined.
"""

import linecache
import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TypeVar

import metamorph
import metamorph.java.constants  # It is imported late, as transformations are.
from metamorph import limits, transforms
from metamorph.java.source import SourceFile
from metamorph.limits import TIME, OverLimitError
from metamorph.models import load
from metamorph.runs.packing import Packed, packed
from metamorph.runs.pipeline import study_each
from metamorph.runs.settings import Settings

Step = tuple[str, int]
"""A file of ours, and which of the steps in it, from 1: a step is a line that is come to."""

_T = TypeVar("_T")

_OURS = os.path.dirname(os.path.realpath(metamorph.__file__))
_SECONDS = 120


@dataclass
class Untimely:
    """Follows the work under limits, and at one step says that it is over them.

    first: the first step at each line that is come to. A limit does not come where `with` is left,
    which Python does in one.
    """

    at: Step | None = None
    first: dict[tuple[str, int], int] = field(default_factory=dict)
    came: bool = False
    _steps: dict[str, int] = field(default_factory=dict)

    def follow(self, work: Callable[[], _T]) -> _T:
        """What the work gives."""
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            return work()
        finally:
            sys.settrace(before)

    def _call(self, frame: FrameType, event: str, argument: object) -> object:
        name = frame.f_code.co_filename
        wanted = name.startswith(_OURS) if self.at is None else name == self.at[0]
        return self._line if wanted and name != limits.__file__ else None

    def _line(self, frame: FrameType, event: str, argument: object) -> object:
        guard = limits.current()
        if event != "line" or guard is None or guard.held:
            return self._line
        name, line = frame.f_code.co_filename, frame.f_lineno
        step = self._steps[name] = self._steps.get(name, 0) + 1
        if self.at is None:
            if not linecache.getline(name, line).lstrip().startswith("with "):
                self.first.setdefault((name, line), step)
        elif step == self.at[1]:
            self.came = True  # What a trace function raises ends its tracing.
            guard._told = TIME
            raise OverLimitError(TIME)
        return self._line


def in_child(work: Callable[[], _T]) -> _T:
    """What the work gives in a process that begins where this one is, and is thrown away."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(_SECONDS)
        try:
            with open(writes, "wb") as stream:
                pickle.dump(work(), stream)
        finally:
            os._exit(0)
    os.close(writes)
    with open(reads, "rb") as stream:
        told = stream.read()
    _, status = os.waitpid(child, 0)
    assert told, f"the process ended without a word, or after {_SECONDS} s ({status})"
    found: _T = pickle.loads(told)
    return found


class Trial:
    """Studies of two files, by all transformations: the first one is disturbed, or is not."""

    def __init__(self, model: str, sources: Sequence[Path]) -> None:
        self._model = load(model)
        self._first, self._other = (SourceFile(each.name, each.read_bytes()) for each in sources)
        plan = tuple((code, place) for code in transforms.codes() for place in ("single", "all"))
        self._settings = Settings((), model, plan)
        self.expected = in_child(lambda: (self._study(self._first), self._study(self._other)))

    def _study(self, source: SourceFile) -> Packed:
        [row] = study_each([(0, source)], self._model, self._settings)
        return packed(row)

    def steps(self) -> list[Step]:
        """The first step at each line that works under limits."""

        def found() -> dict[tuple[str, int], int]:
            untimely = Untimely()
            untimely.follow(lambda: self._study(self._first))
            return untimely.first

        return sorted((name, step) for (name, _), step in in_child(found).items())

    def faults(self, step: Step) -> list[str]:
        """What differs from what is expected after a limit has come at that step."""

        def disturbed() -> tuple[bool, list[Packed]]:
            untimely = Untimely(step)
            first = untimely.follow(lambda: self._study(self._first))
            return untimely.came, [first, self._study(self._other), self._study(self._first)]

        came, (first, other, again) = in_child(disturbed)
        whole, others = self.expected
        return [
            *([] if came else ["no limit came"]),
            *([] if _others_are(first, whole) else ["the other methods' rows"]),
            *([] if other == others else ["the next file's rows"]),
            *([] if again == whole else ["the same file's rows"]),
        ]


def _others_are(found: Packed, expected: Packed) -> bool:
    """Whether all but the methods that were refused, if not the whole file, are as expected."""
    if found.files != expected.files:
        return TIME in str(found.files) and not (found.methods or found.variants)
    refused = {row[0] for row in found.refusals if TIME in row}
    tables = ("methods", "variants", "refusals")
    return len(refused) < 2 and all(
        [row for row in getattr(found, table) if row[0] not in refused]
        == [row for row in getattr(expected, table) if row[0] not in refused]
        for table in tables
    )


def main(model: str, first: str, other: str, every: str, part: str = "") -> None:
    """Print how many steps were tried, and the faults."""
    trial = Trial(model, [Path(first), Path(other)])
    steps = [step for step in trial.steps() if part in step[0]][:: int(every)]
    for step in steps:
        for fault in trial.faults(step):
            print(f"{os.path.relpath(step[0], _OURS)}, step {step[1]}: {fault}", flush=True)
    print(len(steps), "steps")


if __name__ == "__main__":
    main(*sys.argv[1:])
