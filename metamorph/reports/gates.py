"""Gates: limits of change rates that the user sets, judged on the summary of a run."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from metamorph.oracles.summaries import Summary
from metamorph.oracles.tallies import Tally

PASSED = "passed"
FAILED = "failed"
NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Gates:
    """The limits; `own` those of a transformation ("VN") or of one place of it ("VN:all").

    limit: of all transformations without one of their own, controls left out; basis: what is
    set against a limit, the rate itself (`point`) or a bound of its interval (`lower`, `upper`);
    least: with fewer originals a row is not judged.
    """

    limit: float | None = None
    own: dict[str, float] = field(default_factory=dict)
    basis: str = "point"
    least: int = 1

    def __bool__(self) -> bool:
        """Whether there is any limit."""
        return self.limit is not None or bool(self.own)

    def of(self, row: Tally) -> float | None:
        """The limit that holds for the row, the most particular one."""
        general = None if row.control else self.limit
        return self.own.get(f"{row.transform}:{row.place}", self.own.get(row.transform, general))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A row set against its limit; detail: the numbers, or why it is not judged."""

    row: Tally
    limit: float
    result: str
    detail: str

    @property
    def sentence(self) -> str:
        """The verdict in one line."""
        return f"{self.row.transform} {self.row.place}: {self.detail}"


def gates(text: str) -> Gates:
    """The limits of a text such as `VN=0.3,PS:single=0.1,0.5`; raises ValueError."""
    limit: float | None = None
    own: dict[str, float] = {}
    for part in text.split(","):
        name, equals, rate = part.strip().rpartition("=")
        if equals and not name:
            raise ValueError(f"{part.strip()!r} names no transformation")
        if name in own or (not name and limit is not None):
            raise ValueError(f"{text!r} sets {name or 'the general limit'} twice")
        if name:
            own[name] = _rate(rate)
        else:
            limit = _rate(rate)
    return Gates(limit, own)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate <= 1:
        raise ValueError(f"{text!r} is not a share between 0 and 1")
    return rate


def unknown(gates: Gates, plan: list[tuple[str, str]]) -> list[str]:
    """The names that have a limit and do not occur in the plan."""
    known = {code for code, _ in plan} | {f"{code}:{place}" for code, place in plan}
    return [name for name in gates.own if name not in known]


def judge(summary: Summary, gates: Gates) -> list[Verdict]:
    """A verdict for each row of the tally that has a limit."""
    return list(_verdicts(summary.tally, gates))


def _verdicts(tally: list[Tally], gates: Gates) -> Iterator[Verdict]:
    for row in tally:
        limit = gates.of(row)
        if limit is not None:
            yield _verdict(row, limit, gates)


def _verdict(row: Tally, limit: float, gates: Gates) -> Verdict:
    if row.change_rate is None:
        return Verdict(row, limit, NOT_JUDGED, "not judged: no prediction to compare")
    if row.originals < gates.least:
        few = f"{row.originals:,} originals, fewer than {gates.least:,}"
        return Verdict(row, limit, NOT_JUDGED, f"not judged: {few}")
    # Where there is no interval nothing is known of the rate: it may be anything.
    low, high = row.interval or (0.0, 1.0)
    value = {"point": row.change_rate, "lower": low, "upper": high}[gates.basis]
    said = _SAID[gates.basis].format(value)
    if value > limit:
        return Verdict(row, limit, FAILED, f"{said} is above {limit:g}")
    return Verdict(row, limit, PASSED, f"{said} is not above {limit:g}")


_SAID = {
    "point": "change rate {:.4f}",
    "lower": "lower bound {:.4f} of the change rate",
    "upper": "upper bound {:.4f} of the change rate",
}
