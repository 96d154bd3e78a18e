"""The changed programs of a task, each with where its lines went."""

import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from metamorph.codrep.images import Images, images
from metamorph.codrep.movers import MOVERS
from metamorph.codrep.reading import Question, without_artefact
from metamorph.codrep.renames import renamed
from metamorph.errors import UserError
from metamorph.java.edits import Edit, OverlapError, spliced
from metamorph.java.methods import Method, methods
from metamorph.java.sites import Site
from metamorph.java.source import SourceFile, line_of, line_starts
from metamorph.java.tree import Tree
from metamorph.java.variants import BrokenVariantError, Variant, make_variant, reparse
from metamorph.limits import Guard, Limits, within
from metamorph.runs.limited import all_steps, read
from metamorph.runs.plans import Plan, plan
from metamorph.runs.settings import Settings
from metamorph.runs.variations import found
from metamorph.transforms import parse_codes


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be changed: pairs of transformation and place, and movers.

    per_task: variants of each, 0 for all; near: only in the methods around the line pointed at;
    spare: no variant that edits that line.
    """

    plan: Plan
    movers: tuple[str, ...]
    place: str = "random"
    seed: int = 0
    per_task: int = 1
    near: bool = False
    spare: bool = False

    @property
    def names(self) -> list[str]:
        """All transformations and movers in their order."""
        return [*(code for code, _ in self.plan), *self.movers]

    @property
    def settings(self) -> Settings:
        """As the sites of methods are found by."""
        return Settings((), "", self.plan, self.place, self.seed)


@dataclass(frozen=True, slots=True)
class Change:
    """A changed program, and the inserted line as it means the same there.

    original: the program before; method: whose method was changed, "" for the whole file.
    """

    transform: str
    method: str
    original: bytes
    question: Question
    edits: tuple[Edit, ...]

    @property
    def images(self) -> Images:
        """Where the lines went, made anew at each call: it takes more room than the program."""
        return images(self.original, self.edits, self.question.program)


@dataclass(slots=True)
class Left:
    """What did not become a variant, counted by transformation and reason."""

    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note(self, transform: str, reason: str) -> None:
        """Once more."""
        self.reasons[transform, reason] += 1


def wanted(text: str, place: str) -> tuple[Plan, tuple[str, ...], list[str]]:
    """`VN,PS,comment` or `all` -> the plan, the movers, notes for the user; raises UserError."""
    words = [word.strip() for word in text.split(",")]
    if text.strip().lower() == "all":
        words = ["all", *MOVERS]
    movers = tuple(dict.fromkeys(word.lower() for word in words if word.lower() in MOVERS))
    rest = [word for word in words if word.lower() not in MOVERS]
    if not rest:
        return (), movers, []
    try:
        pairs, notes = plan(parse_codes(",".join(rest)), place)
    except ValueError as error:
        raise UserError(f"{error}; to move lines {', '.join(MOVERS)}") from error
    return pairs, movers, notes


def parsed(question: Question) -> Tree | None:
    """The program's tree, a diff's last line left out; None where it cannot be read."""
    return read(SourceFile("", without_artefact(question.program)), Limits()).tree


def changes(
    question: Question, tree: Tree, line: int | None, asked: Wanted, left: Left
) -> Iterator[Change]:
    """The variants of a task's program; line: that of the solution, or else the one pointed at."""
    file = SourceFile("", tree.data)
    for code, place in asked.plan:
        count = 0
        for variant in _variants(file, tree, (code, place), line, asked, left):
            inserted = renamed(question.inserted, variant, line)
            yield _change(question, inserted, code, variant.original.title, variant.edits)
            count += 1
            if count == asked.per_task:
                break
        if not count:
            left.note(code, "no-variant")
    for name in asked.movers:
        edits = MOVERS[name](tree, chance(asked.seed, name, question))
        if edits:
            yield _change(question, question.inserted, name, "", edits)
        else:
            left.note(name, "no-variant")


def chance(seed: int, name: str, question: Question) -> random.Random:
    """Random numbers that depend on the seed and the task's text, not on where it lies."""
    key = f"{seed}\0{name}\0".encode() + question.data
    return random.Random(hashlib.sha256(key).digest())


def _variants(
    file: SourceFile,
    tree: Tree,
    pair: tuple[str, str],
    line: int | None,
    asked: Wanted,
    left: Left,
) -> Iterator[Variant]:
    """Variants that parse, one of each method in random order, or all of all in theirs."""
    rng = chance(asked.seed, pair[0], Question(b"", file.data))
    chosen = list(methods(file, tree))
    if asked.near:
        chosen = [method for method in chosen if line is not None and line in _lines(method)]
    if asked.per_task:
        rng.shuffle(chosen)
    guard = Guard(Limits())
    note = partial(left.note, pair[0])
    for method in chosen:
        sought = within(guard, partial(found, method, *pair, asked.settings))
        if isinstance(sought, str):
            note(sought)
            continue
        groups, refusals = sought
        for refusal in refusals:
            note(refusal.reason)
        if asked.per_task:
            rng.shuffle(groups)
        for sites in groups:
            made = all_steps(guard, partial(_sound, method, sites, pair, left), note)
            if not made:
                continue
            [variant] = made
            if asked.spare and line is not None and _touches(variant, line):
                left.note(pair[0], "touches-the-line")
                continue
            yield variant
            if asked.per_task:
                break


def _sound(
    method: Method, sites: Sequence[Site], pair: tuple[str, str], left: Left
) -> Iterator[Variant]:
    """The variant of these sites, if it parses."""
    try:
        variant = make_variant(method, sites, pair[1])
        reparse(variant)
    except (BrokenVariantError, OverlapError) as error:
        left.note(pair[0], f"broken: {error}")
        return
    yield variant


def _lines(method: Method) -> range:
    starts = line_starts(method.file.data)
    return range(method.line, line_of(starts, method.end - 1) + 1)


def _touches(variant: Variant, line: int) -> bool:
    return not any(first <= line <= last for first, last, _ in variant.line_map)


def _change(
    question: Question, inserted: bytes, transform: str, method: str, edits: Sequence[Edit]
) -> Change:
    program = question.program
    ordered = tuple(sorted(edits, key=lambda edit: (edit.start, edit.end, edit.rank)))
    after = spliced(program, ordered, 0, len(program))
    return Change(transform, method, program, Question(inserted, after), ordered)
