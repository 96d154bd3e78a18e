"""Programs for fuzzers: real Java, in which parts are exchanged for others of their kind."""

import os
import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from hypothesis import settings

from metamorph.java.tree import parse

CASES = Path(__file__).parents[2] / "fixtures" / "transforms"

FUZZING = bool(os.environ.get("METAMORPH_FUZZ"))
"""Whether this is `make fuzz`."""


def budget(most: int) -> settings:
    """So many examples; ten times that by `make fuzz`."""
    return settings(max_examples=10 * most if FUZZING else most)


@cache
def programs() -> Sequence[bytes]:
    """The programs of the transformations' cases."""
    return [path.read_bytes() for path in sorted(CASES.glob("*/*/before.java"))]


@cache
def _parts() -> dict[str, list[bytes]]:
    """Parts of the programs by their kind."""
    found: dict[str, list[bytes]] = {}
    for program in programs():
        tree = parse(program)
        for node, kind in enumerate(tree.kind):
            if tree.named[node]:
                found.setdefault(kind, []).append(tree.bytes_of(node))
    return found


def spliced(rng: random.Random, most: int = 6) -> bytes:
    """A program in which up to so many parts are exchanged for others of their kind."""
    data = rng.choice(programs())
    for _ in range(rng.randrange(most + 1)):
        tree = parse(data)
        node = rng.randrange(len(tree.kind))
        other = _parts().get(tree.kind[node])
        if other:
            data = data[: tree.start[node]] + rng.choice(other) + data[tree.end[node] :]
    return data


def broken(rng: random.Random) -> bytes:
    """A program with a few bytes of it lost, changed or doubled."""
    data = bytearray(spliced(rng, 2))
    for _ in range(rng.randrange(1, 5)):
        at, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        end = min(end, at + rng.choice((1, 2, 8, 100)))
        data[at:end] = rng.choice((b"", bytes(data[at:end] * 2), rng.randbytes(2)))
    return bytes(data)
