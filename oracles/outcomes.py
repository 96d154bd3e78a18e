"""Outcomes: what a transformation did to a prediction (paper, sections 4.2 and 6.2.2)."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import eq

CCP = "CCP"
CIP = "CIP"
WWSP = "WWSP"
WCP = "WCP"
WWDP = "WWDP"
CATEGORIES = (CCP, CIP, WWSP, WCP, WWDP)
"""Correct to correct, correct to incorrect, wrong to same wrong, wrong to correct, wrong to
different wrong: table 8 of the paper, in its order."""

SAME = "same"
CHANGED = "changed"
WITHOUT_GOLD = (SAME, CHANGED)
"""What is known of a pair of answers where the right one is not: neither was right or wrong."""

CHANGES = frozenset({CIP, WCP, WWDP})
"""The categories in which the prediction changed; without gold it is `CHANGED` alone."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Two labels, before and after a transformation, and the right one if it is known.

    All three in the names of the variant, where the task has them follow a renaming. same: when
    two labels count as the same.
    """

    before: str
    after: str
    expected: str | None
    same: Callable[[str, str], bool] = eq

    @property
    def changed(self) -> bool:
        """Whether the model contradicts itself: the metamorphic relation does not hold.

        Where `same` is tolerant, two right answers do not contradict each other however they
        differ, and a right and a wrong one do however alike they are.
        """
        return self.category in CHANGES or self.category == CHANGED

    @property
    def category(self) -> str:
        """One of the five categories, or of `WITHOUT_GOLD`."""
        unchanged = self.same(self.before, self.after)
        if self.expected is None:
            return SAME if unchanged else CHANGED
        right = self.same(self.after, self.expected)
        if self.same(self.before, self.expected):
            return CCP if right else CIP
        if right:
            return WCP
        return WWSP if unchanged else WWDP
