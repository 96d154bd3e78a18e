"""Kept answers: the same question is asked once, another one never answered from the cache."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from studies import metamorph as cli
from tellers import Teller

from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models import Example, Options, Prediction
from metamorph.runs.cache import NAME, Cache, Remembering, remembering


class Stopping(Teller):
    """Tells its answers one by one, and fails at the third."""

    def answers(self, batch: Sequence[Example]) -> Iterator[Prediction]:
        for number, example in enumerate(batch):
            if number == 2:
                raise ConnectionError
            self.asked.append(example.id)
            yield self.answer(example)


CRASHED = (
    f"model-raised-ConnectionError (test_cache.py:{Stopping.answers.__code__.co_firstlineno + 3})"
)


def some(count: int) -> list[Example]:
    """Examples, no two alike."""
    body = " ".join(f"int f{n}() {{ return {10**n}; }}" for n in range(count))
    file = SourceFile("A.java", f"class A {{ {body} }}".encode())
    tree = parse(file.data)
    return [Example(f"{m.index}", tree, m.node) for m in methods(file, tree)]


def kept(model: Teller, options: Options | None = None) -> Remembering:
    """The model behind the cache."""
    behind = remembering(model, options or Options())
    assert isinstance(behind, Remembering)
    return behind


def test_a_model_that_tells_no_revision_is_believed_for_one_run() -> None:
    batch = some(2)
    asked = []
    for run in ("one", "one", "two"):
        model = Teller(revision="unknown")
        remembering(model, Options(), run).predict(batch)
        asked.append(len(model.asked))
    assert asked == [2, 0, 2]
    model = Teller(revision="unknown")
    assert remembering(model, Options()) is model


def test_a_question_is_asked_once_and_answered_alike() -> None:
    batch = some(3)
    first = {answer.id: answer for answer in kept(Teller()).predict(batch)}
    again = Teller()
    second = {answer.id: answer for answer in kept(again).predict(batch)}
    assert again.asked == []
    assert second == {id: replace(answer, cached=True) for id, answer in first.items()}
    assert not any(answer.cached for answer in first.values())
    assert first["0"].usage == (120, 7) and first["0"].candidates[1] == ("set", 0.25)


@pytest.mark.parametrize(
    "other",
    [
        Options(temperature=0.5),
        Options(sampling_seed=1),
        Options(max_tokens=9),
        Options(base_url="http://127.0.0.1:1/v1"),
        Options(extra={"top_p": 0.5}),
        Options(task="text"),
        Options(beam=3),
        Options(headers={"X-Model": "b"}),
    ],
)
def test_other_parameters_make_another_question(other: Options) -> None:
    batch = some(2)
    kept(Teller()).predict(batch)
    again = Teller()
    kept(again, other).predict(batch)
    assert sorted(again.asked) == ["0", "1"]


@pytest.mark.parametrize("other", [Teller(name="other"), Teller(revision="2")])
def test_another_model_or_revision_has_its_own_answers(other: Teller) -> None:
    batch = some(2)
    kept(Teller()).predict(batch)
    kept(other).predict(batch)
    assert sorted(other.asked) == ["0", "1"]


def test_a_prompt_file_counts_by_what_is_in_it(tmp_path: Path) -> None:
    for name, text in (("a", "One {code}"), ("b", "One {code}"), ("c", "Two {code}")):
        (tmp_path / name).write_text(text)
    batch = some(1)
    a, b, c = (Options(prompt=str(tmp_path / name)) for name in "abc")
    kept(Teller(), a).predict(batch)
    same, other = Teller(), Teller()
    kept(same, b).predict(batch)
    kept(other, c).predict(batch)
    assert (same.asked, other.asked) == ([], ["0"])


@pytest.mark.parametrize(
    "other",
    [
        Options(timeout=1, retries=0, max_connections=1),
        Options(equality="ignore-case"),
        Options(headers={"Authorization": "Bearer new", "X-API-Key": "new"}),
    ],
)
def test_how_an_answer_is_fetched_or_compared_does_not_matter(other: Options) -> None:
    old = Options(headers=dict.fromkeys(other.headers, "old"))
    kept(Teller(), old).predict(some(1))
    again = Teller()
    kept(again, other).predict(some(1))
    assert again.asked == []


def test_each_asking_is_a_question_of_its_own() -> None:
    (example,) = some(1)
    model = Teller()
    behind = kept(model)
    for repeat in (0, 1, 2, 1):
        behind.predict([replace(example, repeat=repeat)])
    assert len(model.asked) == 3


def test_equal_questions_of_one_batch_are_asked_once() -> None:
    (example,) = some(1)
    model = Teller()
    twins = [replace(example, id="a"), replace(example, id="b")]
    one, two = kept(model).predict(twins)
    assert model.asked == ["b"] or model.asked == ["a"]
    assert {one.id, two.id} == {"a", "b"} and one.label == two.label
    assert [one.cached, two.cached].count(True) == 1


def test_faults_are_asked_again_and_what_the_model_said_is_not() -> None:
    batch = some(1)
    for model, asked in (
        (Teller(error="http-500"), ["0"]),
        (Teller(error="timeout"), ["0"]),
        (Teller(error="cut-off", finish="length"), ["0"]),
        (Teller(), []),
    ):
        kept(model).predict(batch)
        assert model.asked == asked, model.error


def test_answers_that_came_before_a_crash_are_kept() -> None:
    batch = some(4)
    answers = kept(Stopping()).predict(batch)
    assert [a.error for a in answers] == ["", "", *[CRASHED] * 2]
    again = Teller()
    assert len(kept(again).predict(batch)) == 4
    assert sorted(again.asked) == ["2", "3"]


def test_a_model_without_questions_is_left_alone() -> None:
    class Plain:
        name, identity = "plain", {"kind": "plain"}

        def label(self, method_name: str) -> str:
            return method_name

        def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
            return []

    model = Plain()
    assert remembering(model, Options()) is model


@pytest.mark.parametrize("damage", [b"not a database at all, " * 400, b""])
def test_a_damaged_cache_costs_one_line(
    cache: Path, capsys: pytest.CaptureFixture[str], damage: bytes
) -> None:
    kept(Teller()).predict(some(2))
    for file in cache.iterdir():
        file.unlink()
    (cache / NAME).write_bytes(damage)
    model = Teller()
    behind = remembering(model, Options())
    assert len(behind.predict(some(2))) == 2 and sorted(model.asked) == ["0", "1"]
    assert capsys.readouterr().err.count("cannot be used") == (1 if damage else 0)


def test_a_cache_that_is_damaged_within_costs_one_line(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = Cache.open(cache)
    assert opened is not None
    batch = some(40)
    Remembering(Teller(), Options(), opened).predict(batch)
    opened.close()
    path = cache / NAME
    whole = bytearray(path.read_bytes())
    whole[4096:] = b"\x5a" * (len(whole) - 4096)
    path.write_bytes(bytes(whole))
    again = Teller()
    behind = kept(again)
    for _ in range(2):
        assert len(behind.predict(batch)) == 40
    assert len(again.asked) == 80
    assert capsys.readouterr().err.count("cannot be used") == 1


def test_a_cache_of_a_later_version_is_left_alone(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = sqlite3.connect(cache / NAME)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert isinstance(remembering(Teller(), Options()), Teller)
    assert "schema 99" in capsys.readouterr().err


def test_an_answer_that_cannot_be_read_is_asked_anew(cache: Path) -> None:
    kept(Teller()).predict(some(1))
    connection = sqlite3.connect(cache / NAME, isolation_level=None)
    connection.execute("UPDATE answers SET answer = ?", (json.dumps({"label": "x"}),))
    connection.close()
    model = Teller()
    kept(model).predict(some(1))
    assert model.asked == ["0"]


def test_a_cache_that_another_process_makes_at_the_moment_is_waited_for(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sqlite3.connect(cache / NAME, isolation_level=None)
    other.execute("CREATE TABLE answers (key BLOB PRIMARY KEY, answer TEXT NOT NULL)")
    other.execute("BEGIN")
    other.execute("SELECT * FROM answers").fetchall()
    waits: list[float] = []

    def pause(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            other.execute("COMMIT")

    connect = sqlite3.connect
    monkeypatch.setattr("sqlite3.connect", lambda *a, **b: connect(*a, **(b | {"timeout": 0.0})))
    monkeypatch.setattr("time.sleep", pause)
    opened = Cache.open(cache)
    assert opened is not None and opened.count() == 0
    assert len(waits) == 3
    opened.close()
    other.close()


WRITER = """
import sys
from metamorph.models import Prediction
from metamorph.runs.cache import Cache, folder
cache = Cache.open(folder())
for number in range(300):
    cache.put({f"{sys.argv[1]} {number}".encode(): Prediction("", "x")})
"""


def test_two_processes_write_at_once_and_lose_nothing(cache: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, name], stderr=subprocess.PIPE)
        for name in ("a", "b")
    ]
    assert [writer.communicate()[1] for writer in writers] == [b"", b""]
    found = Cache.open(cache)
    assert found is not None and found.count() == 600


def test_the_command_shows_and_empties_the_cache(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli("cache", "info") == 0
    assert "nothing is kept" in capsys.readouterr().out
    kept(Teller()).predict(some(3))
    assert cli("cache", "info") == 0
    assert f"{cache / NAME}: 3 answers" in capsys.readouterr().out
    assert cli("cache", "clear") == 0
    assert not os.listdir(cache)
