"""The paper's own figures, to be set beside those of a run.

`published/preprint.csv` has the tables of the preprint (Rabin and Alipour 2020, arXiv:2004.07313):
table 1, tables 2 to 7, table 8. `published/journal.csv` has what figures 3 to 5 show, as the
authors published it beside the journal version (Rabin et al. 2021,
doi:10.1016/j.infsof.2021.106552). The two are kept apart, for permute statement is not the same in
both. All in percent but counts.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

PREPRINT = "preprint"
JOURNAL = "journal"

DATA_SETS = ("Java-Small", "Java-Med", "Java-Large")
MODELS = ("code2vec", "code2seq", "ggnn")

TABLES = {
    (model, data_set): 2 + 3 * m + d
    for m, model in enumerate(MODELS[:2])
    for d, data_set in enumerate(DATA_SETS)
}
"""The numbers of the tables of changes, by model and data set."""

Key = tuple[int, str, str, str, str]
"""Number of the table or figure, model, data set, transformation or "", what."""


@dataclass(frozen=True, slots=True)
class Published:
    """What the paper tells of one model on one data set; nothing where either is not the paper's.

    `number` is that of the table of changes, None where the paper has none.
    """

    model: str = ""
    data_set: str = ""

    @property
    def number(self) -> int | None:
        """The number of the table of changes: 2 to 7."""
        return TABLES.get((self.model, self.data_set))

    def score(self, what: str) -> float | None:
        """Table 1; what: precision, recall or f1."""
        return self._value(PREPRINT, 1, "", what)

    def change(self, transform: str, what: str) -> float | None:
        """Tables 2 to 7; what: originals, variants, changed, or change, which is in percent."""
        return None if self.number is None else self._value(PREPRINT, self.number, transform, what)

    def category(self, transform: str, what: str) -> float | None:
        """Table 8; what: one of the five categories."""
        return self._value(PREPRINT, 8, transform, what)

    def figure(self, number: int, transform: str, what: str) -> float | None:
        """A change rate of the journal version.

        what: single or all (figure 3), correct or incorrect (figure 4), a bin of lengths or `any`
        (figure 5; the first bin holds methods without a statement too).
        """
        return self._value(JOURNAL, number, transform, what)

    def _value(self, version: str, number: int, transform: str, what: str) -> float | None:
        return _values(version).get((number, self.model, self.data_set, transform, what))


NOTHING = Published()


def published(model: str, data_set: str) -> Published:
    """What the paper tells of a model, by kind, on a data set, by the paper's own name."""
    known = data_set_name(data_set)
    return Published(model, known) if known and model in MODELS else NOTHING


def data_set_name(name: str) -> str | None:
    """The paper's spelling of one of its data sets, None for other data."""
    plain = {known.lower(): known for known in DATA_SETS}
    return plain.get(name.strip().lower())


@lru_cache(maxsize=2)
def _values(version: str) -> Mapping[Key, float]:
    path = files("metamorph.reports.paper") / "published" / f"{version}.csv"
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))[1:]
    return {(int(row[0]), row[1], row[2], row[3], row[4]): float(row[5]) for row in rows}
