"""A model that is told a text, for tests of how it is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from metamorph.models import Example, Prediction


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
