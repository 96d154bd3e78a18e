"""Outcomes: what a transformation did to a prediction (paper, sections 4.2 and 6.2.2)."""

from dataclasses import dataclass

CCP = "CCP"
CIP = "CIP"
WWSP = "WWSP"
WCP = "WCP"
WWDP = "WWDP"
CATEGORIES = (CCP, CIP, WWSP, WCP, WWDP)
"""Correct to correct, correct to incorrect, wrong to same wrong, wrong to correct, wrong to
different wrong: table 8 of the paper, in its order."""

CHANGES = frozenset({CIP, WCP, WWDP})
"""The categories in which the prediction changed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Two labels, before and after a transformation, and the right one."""

    before: str
    after: str
    expected: str

    @property
    def changed(self) -> bool:
        """Whether the model contradicts itself: the metamorphic relation does not hold."""
        return self.before != self.after

    @property
    def category(self) -> str:
        """One of the five categories."""
        if self.before == self.expected:
            return CIP if self.changed else CCP
        if not self.changed:
            return WWSP
        return WCP if self.after == self.expected else WWDP
