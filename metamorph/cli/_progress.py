"""How a run tells of its progress on stderr: a bar on a terminal, else a line now and then."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from metamorph.cli._telling import Pace, say
from metamorph.corpus import Survey
from metamorph.runs.execute import Observer, Request
from metamorph.runs.execute import Progress as Done


@contextmanager
def watch(request: Request) -> Iterator[Observer]:
    """An observer for the time of the run."""
    if not sys.stderr.isatty():
        yield _Lines(request)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[counts]}"),
        TimeRemainingColumn(compact=True),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(request, bar)


@dataclass(slots=True)
class _Lines:
    request: Request
    files: int = 0
    pace: Pace = field(default_factory=Pace)

    def begin(self, survey: Survey, finished: int) -> None:
        self.files = survey.files - finished
        self.pace = Pace()
        say(_opening(self.request, survey, finished))

    def advance(self, done: Done) -> None:
        if self.pace.is_due():
            say(f"{done.files:,} of {self.files:,} files, {done.methods:,} {_variants(done)}")

    def stopping(self) -> None:
        say(_STOPPING)


@dataclass(slots=True)
class _Bar:
    request: Request
    bar: Progress
    task: TaskID = field(default=TaskID(0))

    def begin(self, survey: Survey, finished: int) -> None:
        self.bar.console.print(
            f"metamorph: {_opening(self.request, survey, finished)}", style="dim"
        )
        limit = self.request.settings.limit
        total = survey.files - finished if limit is None else limit
        self.task = self.bar.add_task("", total=total, counts="files")

    def advance(self, done: Done) -> None:
        limited = self.request.settings.limit is not None
        counts = _variants(done) if limited else f"files, {_short(done.methods)} {_variants(done)}"
        completed = done.methods if limited else done.files
        self.bar.update(self.task, completed=completed, counts=counts)

    def stopping(self) -> None:
        self.bar.console.print(f"metamorph: {_STOPPING}")


_STOPPING = "stopping when the work in flight is done; interrupt again to stop at once"


def _opening(request: Request, survey: Survey, finished: int) -> str:
    plan = " ".join(f"{transform}/{place}" for transform, place in request.settings.plan)
    done = f", {finished:,} done before" if finished else ""
    size = f"{survey.bytes / 1e6:.1f} MB" if survey.bytes >= 1e5 else f"{survey.bytes:,} bytes"
    files = "1 file" if survey.files == 1 else f"{survey.files:,} files"
    return f"{request.settings.model}, {plan}: {files}, {size}{done}"


def _variants(done: Done) -> str:
    return f"methods, {_short(done.variants)} variants, {_short(done.changed)} changed"


def _short(count: int) -> str:
    return f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}k"
