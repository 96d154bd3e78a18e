"""A model that is told a text, and runs of it, for tests of how it is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from metamorph.corpus import Survey
from metamorph.models import Example, Prediction
from metamorph.oracles.summaries import Summary
from metamorph.runs.engines import Crew
from metamorph.runs.execute import Progress, Request, execute
from metamorph.runs.settings import Settings
from metamorph.runs.summary import summarise


@dataclass
class Teller:
    """A model that is told a text, and notes what it was asked."""

    name: str = "teller"
    revision: str = "1"
    error: str = ""
    finish: str = ""
    asked: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    @property
    def identity(self) -> Mapping[str, str]:
        return {"kind": "teller", "revision": self.revision}

    def label(self, method_name: str) -> str:
        return method_name

    def question(self, example: Example) -> str:
        return f"Name this: {example.code}"

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        self.asked += [example.id for example in batch]
        self.told += [self.question(example) for example in batch]
        return [self.answer(example) for example in reversed(batch)]

    def answer(self, example: Example) -> Prediction:
        """What it says."""
        if self.error:
            return Prediction(example.id, None, error=self.error, finish_reason=self.finish)
        label = f"get|{len(example.code)}|é\ud800"
        ranked = ((label, 0.5), ("set", 0.25))
        return Prediction(
            example.id, label, 0.5, ranked, "", True, "stop", (120, 7), f"It is {label}."
        )


class Watch:
    """An observer that stops a run after so many files."""

    def __init__(self, files: int = 0) -> None:
        self.files = files

    def begin(self, survey: Survey, finished: int) -> None: ...

    def advance(self, done: Progress) -> None:
        if done.files == self.files:
            raise KeyboardInterrupt

    def stopping(self) -> None: ...


def request(corpus: Path, model: Teller, out: str = "out", **changes: object) -> Request:
    """A run of VN over the corpus; changes: of the settings, or of the request."""
    mine = {k: changes.pop(k) for k in ("cache", "resume", "prices") if k in changes}
    settings = Settings((str(corpus),), "teller", (("VN", "single"),))
    settings = replace(settings, **changes)  # type: ignore[arg-type]
    made = Request(settings, model, Path(out), Crew(), False, "metamorph run")
    return replace(made, **mine)  # type: ignore[arg-type]


def run(asked: Request) -> Summary:
    """Carry it out."""
    assert execute(asked, Watch()) == "done"
    return summarise(asked.out)
