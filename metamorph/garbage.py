"""Python's collector of cyclic garbage, which our values hardly need."""

import gc

_ALLOCATIONS = 100_000


def collect_seldom() -> None:
    """Look for cycles less often: parsing makes many objects and no cycles.

    At Python's own pace, looking takes two fifths of the time of flattening a tree.
    """
    gc.set_threshold(_ALLOCATIONS, 50, 50)
