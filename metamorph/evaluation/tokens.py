"""How well a language model predicts the tokens of a test set, unit by unit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metamorph.corpus import read_sources
from metamorph.duplicates.collections import Unit, UnitKind
from metamorph.evaluation.answers import Answers, numbers_of
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models.language import COUNTS, OF_IDENTIFIERS, LanguageModel, sums


@dataclass(frozen=True, slots=True)
class Measuring:
    """A test set whose tokens are predicted; the fields are those of `Asking`.

    Files need not parse. A method is predicted by itself: nothing of what stands before it is told.
    """

    name: str
    model: LanguageModel
    paths: Sequence[str]
    units: Sequence[Unit]
    unit_kind: UnitKind
    wanted: npt.NDArray[np.bool_]
    tell: Callable[[str, str], None]

    def answers(self) -> Answers:
        """Read the test set and predict all its tokens; a row a unit."""
        units, rows = [], []
        tokens = 0.0
        for unit, data in self._texts():
            units.append(unit)
            rows.append(sums(self.model.token_scores(data)))
            tokens += rows[-1][0]
            self.tell(self.name, f"{tokens:,.0f} tokens")
        names = (*COUNTS, *OF_IDENTIFIERS)
        table = np.array(rows, np.float64).reshape(-1, len(names))
        counts = {name: table[:, number] for number, name in enumerate(names)}
        return Answers(self.name, np.array(units, np.int64), counts, {}, 0, 0)

    def _texts(self) -> Iterator[tuple[int, bytes]]:
        """The units that are wanted, and the text of each."""
        numbers = numbers_of(self.units)
        for source in read_sources(self.paths):
            known = numbers.get(source.path, [])
            if isinstance(source, SourceFile) and any(self.wanted[n] for n in known):
                for unit, text in zip(known, self._parts(source), strict=True):
                    if self.wanted[unit]:
                        yield unit, text

    def _parts(self, source: SourceFile) -> Iterator[bytes]:
        if self.unit_kind == "file":
            yield source.data
            return
        for method in methods(source, parse(source.data)):
            yield source.data[method.start : method.end]
