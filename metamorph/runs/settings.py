"""What a run is asked to do, and the chance that it takes."""

import hashlib
import random
from dataclasses import dataclass, field

from metamorph.java.methods import Method
from metamorph.limits import MEGABYTES, SECONDS, Limits
from metamorph.models.options import Options

PLACES = {
    "single": ("single",),
    "all": ("all",),
    "random": ("random",),
    "both": ("single", "all"),
}
"""The choices of `--place`, and the places that each stands for."""

CHECKS = ("none", "syntax", "javac")

HANDLERS = ("rethrow", "print")
"""What the `catch` of an inserted `try` does."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that the results of a run depend on, the corpus aside.

    plan: (transformation, place) pairs in their order; limit: the first so many methods only;
    classpath: for the check by javac; handler: what an inserted `catch` does; options: the model's;
    time_limit, memory_limit: see `limits`; train_corpus: what the model was trained on, empty
    where that is not told.
    """

    paths: tuple[str, ...]
    model: str
    plan: tuple[tuple[str, str], ...]
    place: str = "single"
    seed: int = 0
    limit: int | None = None
    check: str = "syntax"
    repeat: int = 1
    classpath: str = ""
    handler: str = "rethrow"
    options: Options = field(default_factory=Options)
    time_limit: float = SECONDS
    memory_limit: int = MEGABYTES
    train_corpus: tuple[str, ...] = ()

    @property
    def limits(self) -> Limits:
        """Those on the work on a method, and on its file."""
        return Limits(self.time_limit, self.memory_limit)


def chance(seed: int, method: Method, transform: str, place: str) -> random.Random:
    """The random numbers of one transformation of one method.

    They depend on the seed, the method's own source and its place among the file's methods:
    not on where the corpus lies, nor on the order in which, or by how many workers, it is read.
    """
    own = method.file.data[method.start : method.end]
    key = f"{seed}\0{transform}\0{place}\0{method.index}\0".encode() + own
    return random.Random(hashlib.sha256(key).digest())
