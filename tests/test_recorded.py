"""Answers from a file."""

import gzip
import hashlib
import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from asked import examples

from metamorph.errors import UserError
from metamorph.models import Options, load
from metamorph.models.protocol import Prediction
from metamorph.models.recorded import Answers, content_key
from metamorph.tasks import load as load_task

SOURCE = b"int two() { return 2; } int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }"
TWO = "int METHOD_NAME() { return 2; }"
KEY = hashlib.sha256(TWO.encode()).hexdigest()

Record = dict[str, object]
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes objects as lines of a file."""

    def written(*records: Record, name: str = "answers.jsonl") -> Path:
        path = tmp_path / name
        text = "".join(f"{json.dumps(record)}\n" for record in records).encode()
        path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
        return path

    return written


def answers(path: Path, source: bytes = SOURCE) -> list[Prediction]:
    """What the file says of the methods."""
    return list(load(f"recorded:{path}").predict(examples(source)))


def test_a_program_is_known_by_the_hash_of_its_masked_code(write: Write) -> None:
    found = answers(write({"id": KEY, "label": "getTwo"}))
    assert found == [
        Prediction("two", "get|two"),
        Prediction("fact", None, error="not-recorded"),
    ]


@pytest.mark.parametrize("key", [KEY, KEY.upper()])
def test_sha256_is_another_word_for_the_id(write: Write, key: str) -> None:
    assert answers(write({"sha256": key, "label": "x"}))[0].label == "x"


def test_a_packed_file_says_the_same(write: Write) -> None:
    record: Record = {"id": KEY, "candidates": [{"label": "get_two", "score": 0.5}]}
    plain, packed = write(record), write(record, name="a.jsonl.gz")
    assert answers(plain) == answers(packed)
    assert answers(plain)[0].candidates == (("get|two", 0.5),)
    assert load(f"recorded:{plain}").identity == load(f"recorded:{packed}").identity


def test_an_error_is_kept_as_the_reason(write: Write) -> None:
    found = answers(write({"id": KEY, "error": "out of memory"}))
    assert found[0] == Prediction("two", None, error="out of memory")


def test_a_repeated_question_has_an_answer_of_its_own(write: Write) -> None:
    path = write({"id": KEY, "label": "first"}, {"id": f"{KEY}#1", "label": "second"})
    model = load(f"recorded:{path}")
    two = examples(SOURCE)[0]
    asked = [replace(two, repeat=number) for number in range(3)]
    assert [a.label or a.error for a in model.predict(asked)] == ["first", "second", "not-recorded"]


def test_equal_answers_may_stand_twice(write: Write) -> None:
    path = write(
        {"id": KEY, "label": "get_two"},
        {"id": "other", "label": "x"},
        {"id": KEY, "label": "getTwo"},
    )
    assert answers(path)[0].label == "get|two"
    assert len(Answers(path, load_task("method-name"))) == 2


def test_two_different_answers_to_one_program_are_refused(write: Write) -> None:
    path = write(
        {"id": KEY, "label": "a"}, {"id": "other", "label": "x"}, {"id": KEY, "label": "b"}
    )
    with pytest.raises(UserError, match=f"two different answers to {KEY}"):
        answers(path)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"3", 'no object with an "id"'),
        (b'{"label": "x"}', 'no object with an "id"'),
        (b'{"id": "a", "label": 3}', "label is no text"),
        (
            b'{"id": "a", "candidates": [{"label": "x", "score": NaN}]}',
            "a score is no finite number",
        ),
    ],
)
def test_a_line_that_is_no_answer_is_named(tmp_path: Path, line: bytes, fault: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'\n{"id": "z", "label": "x"}\n' + line + b"\n")
    with pytest.raises(UserError, match=f"answers.jsonl:3: {fault}"):
        answers(path)


@pytest.mark.parametrize("content", [b"\x1f\x8bcut short", b"\x1f\x8b"])
def test_a_damaged_packed_file_is_the_users_fault(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(content)
    with pytest.raises(UserError, match="cannot be read"):
        answers(tmp_path / "a.jsonl.gz")


def test_a_missing_file_and_no_file_are_the_users_fault(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nothing\.jsonl: cannot be read \(No such file"):
        answers(tmp_path / "nothing.jsonl")
    with pytest.raises(UserError, match="names no file"):
        load("recorded:")


def test_every_one_of_many_answers_is_found(write: Write) -> None:
    keys = [content_key(f"program {number}") for number in range(3000)]
    random.Random(0).shuffle(keys)
    path = write(*({"id": key, "label": f"n{number}"} for number, key in enumerate(keys)))
    found = Answers(path, load_task("method-name"))
    assert [record and record["label"] for record in map(found.get, keys)] == [
        f"n{number}" for number in range(3000)
    ]
    assert found.get(content_key("another")) is None


def test_other_tasks_see_the_whole_method(write: Write) -> None:
    key = hashlib.sha256(b"int two() { return 2; }").hexdigest()
    model = load(f"recorded:{write({'id': key, 'label': 'Safe Code'})}", Options(task="label"))
    assert model.predict(examples(SOURCE))[0].label == "Safe Code"


def test_bytes_that_are_no_text_have_a_key_too() -> None:
    (example,) = examples(b'String s() { return "\xff"; }')
    code = load_task("method-name").code(example.tree, example.node)
    key = hashlib.sha256(b'String METHOD_NAME() { return "\xff"; }').hexdigest()
    assert content_key(code) == key
