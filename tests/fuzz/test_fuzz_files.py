"""Whatever is done to a file that users pass on, it is read, or refused in one line."""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from official import FIXTURES
from splices import budget
from studies import metamorph

from metamorph.errors import UserError
from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models import load
from metamorph.models.protocol import Example
from metamorph.models.vocabularies import vocabulary_of
from metamorph.runs.summary import summarise

_JAVA = b"class A { int size(int a) { int b = a; return b; } int twice() { return 2 * size(1); } }"
RANDOM = st.randoms(use_true_random=True)


def damage(data: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, lost or added, or the end cut off."""
    found = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(found) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            found[at : at + 1] = rng.randbytes(1)
        elif kind == 1:
            del found[at : at + rng.choice((1, 4, 100))]
        elif kind == 2:
            found[at:at] = rng.choice((rng.randbytes(4), b"\xff" * 8, bytes(found[at : at + 50])))
        else:
            del found[at:]
    return bytes(found)


@contextmanager
def damaged(folder: Path, rng: random.Random) -> Iterator[Path]:
    """A copy of a folder, one file of it damaged."""
    with TemporaryDirectory() as place:
        copy = shutil.copytree(folder, Path(place) / "copy")
        path = rng.choice(sorted(each for each in copy.rglob("*") if each.is_file()))
        path.write_bytes(damage(path.read_bytes(), rng))
        yield copy


def only_users_faults(work: Callable[[], object]) -> None:
    """Do it; a fault of the user may come of it, of one line, and nothing else."""
    try:
        work()
    except UserError as error:
        assert str(error)


def ask(name: str) -> None:
    """Load a model and put a method to it."""
    tree = parse(_JAVA)
    model = load(name)
    for method in methods(SourceFile("A.java", _JAVA), tree):
        [answer] = model.predict([Example("0", tree, method.node)])
        assert answer.label is not None or answer.error


@given(RANDOM, st.sampled_from(["code2vec", "code2seq"]))
@budget(40)
def test_damaged_checkpoints_are_read_or_refused(rng: random.Random, kind: str) -> None:
    with damaged(FIXTURES / "official" / kind, rng) as copy:
        [index] = copy.glob("*.index")
        only_users_faults(lambda: ask(f"{kind}:{index.with_suffix('')}"))


def _imported() -> Iterator[tuple[str, bytes]]:
    with TemporaryDirectory() as place:
        for kind in ("code2vec", "code2seq"):
            [index] = (FIXTURES / "official" / kind).glob("*.index")
            out = Path(place) / kind
            name = f"{kind}:{index.with_suffix('')}"
            assert metamorph("models", "import", name, "--out", out) == 0
            yield kind, out.read_bytes()


IMPORTED: dict[str, bytes] = {}


@given(RANDOM, st.sampled_from(["code2vec", "code2seq"]))
@budget(40)
def test_damaged_weights_are_read_or_refused(rng: random.Random, kind: str) -> None:
    IMPORTED.update({} if IMPORTED else _imported())
    with TemporaryDirectory() as place:
        path = Path(place) / "weights.safetensors"
        path.write_bytes(damage(IMPORTED[kind], rng))
        only_users_faults(lambda: ask(f"{kind}:{path}"))


ANSWERS = b"".join(
    json.dumps({"id": n, "prediction": "size", "score": 0.5}).encode() + b"\n" for n in range(4)
)


@given(RANDOM)
@budget(40)
def test_damaged_answers_are_read_or_refused(rng: random.Random) -> None:
    with TemporaryDirectory() as place:
        path = Path(place) / "answers.jsonl"
        path.write_bytes(damage(ANSWERS, rng))
        only_users_faults(lambda: ask(f"recorded:{path}"))


def _manifest_parts(told: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    """The place of every value of a JSON document."""
    yield path
    if isinstance(told, dict):
        for key in told:
            yield from _manifest_parts(told[key], (*path, key))


HOSTILE_VALUES = (None, -1, 10**400, 0.5, "", "x\n\x1b[31m", [], {}, [[]], {"a": 1}, True, "\ud800")
RUN: list[Path] = []
PLACE = TemporaryDirectory()


def _run() -> Path:
    """The folder of a small run."""
    if not RUN:
        source = Path(PLACE.name) / "A.java"
        source.write_bytes(_JAVA)
        out = Path(PLACE.name) / "run"
        made = ("--model", "code2vec", "--transform", "VN", "--out", out)
        assert metamorph("run", source, *made) == 0
        RUN.append(out)
    return RUN[0]


@given(RANDOM)
@budget(40)
def test_runs_whose_manifest_was_changed_are_read_or_refused(rng: random.Random) -> None:
    with TemporaryDirectory() as place:
        copy = shutil.copytree(_run(), Path(place) / "run")
        path = copy / "manifest.json"
        told = json.loads(path.read_text())
        *above, last = rng.choice([p for p in _manifest_parts(told) if p])
        holder = told
        for key in above:
            holder = holder[key]
        if rng.randrange(3):
            holder[last] = rng.choice(HOSTILE_VALUES)
        else:
            del holder[last]
        path.write_text(json.dumps(told))
        only_users_faults(lambda: summarise(copy))
        format = rng.choice(("table", "json", "html", "junit"))
        assert metamorph("report", copy, "--format", format, "--out", copy / "r") in (0, 2)


def test_words_that_damage_left_no_text_are_words() -> None:
    words = vocabulary_of(["a", "b"], 1)
    damaged = replace(words, text=np.array([0xA3, 0x62], np.uint8))
    assert [damaged.word(1), damaged.word(2)] == ["\ufffd", "b"]
