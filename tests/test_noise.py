"""The noise floor: answers that vary though nothing changed, and how that is told."""

from pathlib import Path

import pytest
from studies import rows, study, write_corpus
from tellers import Teller, request, run

from metamorph.models import Example, Prediction
from metamorph.runs.questions import varies
from metamorph.runs.summary import summarise

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize(
    ("labels", "found"),
    [
        (["a", "a", "a"], ""),
        (["a", None, "a"], ""),
        (["a", None, None], None),
        (["a"], None),
        (["a", "b"], "unknown"),
        (["a", "a", "b"], "unknown"),
        (["a", "a", "a", "b"], "batch"),
        (["b", "a", "a", "a"], "batch"),
        (["a", "a", "b", "a"], "chance"),
        (["a", "b", "c", "d"], "chance"),
        (["a", "b", None, "b"], "unknown"),
    ],
)
def test_how_answers_vary_is_told_as_far_as_it_shows(
    labels: list[str | None], found: str | None
) -> None:
    assert varies(labels, str.__eq__) == found


def test_answers_that_count_as_the_same_do_not_vary() -> None:
    assert varies(["A", "a"], lambda one, other: one.lower() == other.lower()) == ""


@pytest.mark.parametrize(
    ("model", "repeat", "how"),
    [
        ("unsteady", 4, "by chance"),
        ("positional", 4, "answers depend on what else is in a batch"),
        ("positional", 2, "--repeat 4 or more tells"),
    ],
)
def test_answers_that_vary_by_themselves_are_noise_and_not_change(
    folder: Path, capsys: pytest.CaptureFixture[str], model: str, repeat: int, how: str
) -> None:
    corpus = write_corpus(folder / "src", files=4)
    summary = summarise(study("out", corpus, "--repeat", repeat, model=model))
    (tally,) = summary.tally
    assert tally.noise_floor is not None and tally.noise_floor > 0.5
    assert tally.inconclusive > 0
    assert tally.variants == tally.judged + tally.inconclusive
    assert summary.accounting.answered == summary.accounting.variants
    assert how in " ".join(capsys.readouterr().out.split())


def test_a_steady_model_has_no_noise(folder: Path) -> None:
    summary = summarise(study("out", write_corpus(folder / "src", files=2), "--repeat", 3))
    assert summary.tally[0].noise_floor == 0 and summary.tally[0].inconclusive == 0


def test_noise_that_was_not_measured_is_not_zero(folder: Path) -> None:
    summary = summarise(study("out", write_corpus(folder / "src", files=1)))
    assert summary.tally[0].noise_floor is None


def test_an_answer_that_fails_to_come_again_is_no_noise(folder: Path) -> None:
    class Overrun(Teller):
        def answer(self, example: Example) -> Prediction:
            if example.repeat and "first0" in example.code:
                return Prediction(example.id, None, error="http-429")
            return super().answer(example)

    corpus = write_corpus(folder / "src", files=2, methods=2)
    summary = run(request(corpus, Overrun(), repeat=3))
    assert summary.tally[0].noise_floor == 0 and summary.tally[0].inconclusive == 0
    measured = [row[-2] for row in rows(folder / "out")["methods"]]
    assert measured == [None, 0, None, 0]
