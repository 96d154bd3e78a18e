"""Results: what became of the variants of one call, as plain values."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from metamorph.oracles.outcomes import CATEGORIES, CHANGED, CHANGES, WITHOUT_GOLD

JUDGED = (*CATEGORIES, *WITHOUT_GOLD)
INCONCLUSIVE = "inconclusive"
NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True)
class Judged:
    """A variant and what became of it.

    id: `StringUtils.indexOf[VN-2]`; original: the name of its method; result: a category, `same`
    or `changed`, `inconclusive`, `no_answer` or `broken`, of which `reason` tells the why; before,
    after: the answers; digest: of the method and the edits; diff: of those that changed alone.
    """

    id: str
    original: str
    transform: str
    place: str
    sites: tuple[int, ...]
    path: str
    line: int
    result: str
    reason: str
    before: str | None
    after: str | None
    expected: str | None
    digest: str
    diff: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether the prediction changed."""
        return self.result in CHANGES or self.result == CHANGED

    @property
    def judged(self) -> bool:
        """Whether it is known if the prediction changed."""
        return self.result in JUDGED


class ChangeRate(float):
    """A change rate that knows its result, so that a failed comparison can be explained."""

    result: "Result"

    def __new__(cls, value: float, result: "Result") -> "ChangeRate":
        rate = super().__new__(cls, value)
        rate.result = result
        return rate


@dataclass(frozen=True, slots=True)
class Result:
    """What a model does on the variants of some methods.

    study: the parameters that outcomes depend on; named: the model was given by that name, from
    which every program can load it; unstable: of so many
    originals that were asked again, those whose answers varied; refusals: transformation -> reason
    -> candidates left alone; skipped: path -> why it was not studied.
    """

    outcomes: tuple[Judged, ...]
    study: Mapping[str, object]
    model: str
    named: bool
    fingerprint: str
    paths: tuple[str, ...]
    methods: int
    repeated: int
    unstable: int
    refusals: Mapping[str, Mapping[str, int]]
    skipped: Mapping[str, str]

    @property
    def change_rate(self) -> ChangeRate:
        """Changed variants as a share of all judged; not a number where none is."""
        judged = len(self.judged)
        return ChangeRate(len(self.changed) / judged if judged else float("nan"), self)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % bounds of the change rate, over originals; None with fewer than two of them."""
        from metamorph.oracles.bootstrap import Resampling
        from metamorph.oracles.rates import rate

        columns = arrays(self.judged)
        if not len(columns[0]):
            return None
        clusters, changed, judged = columns
        return rate(Resampling(clusters, self.seed), changed, judged).interval

    @property
    def seed(self) -> int:
        """The seed of all choices."""
        return int(str(self.study["seed"]))

    @property
    def judged(self) -> tuple[Judged, ...]:
        """Those of which it is known whether the prediction changed."""
        return tuple(outcome for outcome in self.outcomes if outcome.judged)

    @property
    def changed(self) -> tuple[Judged, ...]:
        """Those whose prediction changed."""
        return tuple(outcome for outcome in self.outcomes if outcome.changed)

    @property
    def originals(self) -> int:
        """The methods that have judged variants."""
        return len({outcome.original for outcome in self.judged})

    @property
    def counts(self) -> dict[str, int]:
        """How many variants came out as what."""
        return dict(sorted(Counter(outcome.result for outcome in self.outcomes).items()))

    @property
    def noise_floor(self) -> float | None:
        """The share of originals whose answers vary by themselves; None where not measured."""
        return self.unstable / self.repeated if self.repeated else None

    def as_json(self) -> dict[str, Any]:
        """The result as JSON holds it."""
        return asdict(self)


def from_json(data: Mapping[str, Any]) -> Result:
    """The result that JSON holds; raises KeyError or TypeError where it holds none."""
    names = [field.name for field in fields(Result)]
    given = {name: data[name] for name in names}
    outcomes = tuple(_judged(outcome) for outcome in data["outcomes"])
    return Result(**(given | {"outcomes": outcomes, "paths": tuple(data["paths"])}))


def _judged(data: Mapping[str, Any]) -> Judged:
    return Judged(**(dict(data) | {"sites": tuple(data["sites"]), "diff": tuple(data["diff"])}))


def arrays(outcomes: Iterable[Judged]) -> Any:
    """Three columns with a row for each outcome: its cluster, whether it changed, and ones."""
    import numpy as np

    rows = list(outcomes)
    numbers: dict[str, int] = {}
    clusters = [numbers.setdefault(row.original, len(numbers)) for row in rows]
    changed = [int(row.changed) for row in rows]
    return np.array([clusters, changed, [1] * len(rows)], dtype=np.int64)
