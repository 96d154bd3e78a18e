"""Training of the language model: what it reads, what it learns, and that it goes on."""

import csv
import importlib.util
import io
import itertools
import json
import math
import runpy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from language_models import model_in

from metamorph.cli import main
from metamorph.duplicates.lexing import in_order
from metamorph.models.nlm import numbered
from metamorph.training.token_streams import Reading, Streams, read_part

SPLIT = {"one": "train", "two": "train", "three": "valid", "four": "test"}


def source(project: str, number: int) -> str:
    lines = "\n".join(
        f"  int get{project}{number}{n}() {{ return this.{project}{n} + {number}; }}"
        for n in range(8)
    )
    return f"package {project};\nclass C{number} {{\n{lines}\n}}\n"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for project in SPLIT:
        (folder / project).mkdir()
        for number in range(3):
            (folder / project / f"C{number}.java").write_text(source(project, number))
    (folder / "one" / "Copy.java").write_text(source("four", 0))
    (folder / "one" / "Large.java").write_text("int a;" * 100_000)
    lines = [f"{project}\t{part}\n" for project, part in SPLIT.items()]
    (folder / "split.tsv").write_text("".join(lines))
    return folder


def arguments(corpus: Path, out: Path, *more: str) -> list[str]:
    words = ["models", "train", "--model", "nlm", "--corpus", str(corpus), "--out", str(out)]
    sizes = ["--size", "12", "--context", "3", "--vocabulary", "60", "--batch", "16"]
    return [*words, "--split", str(corpus / "split.tsv"), *sizes, *more]


def test_the_vocabulary_is_of_the_most_frequent_tokens_of_the_training_files(corpus: Path) -> None:
    streams, counts = read_part(corpus, SPLIT, "train", Reading())
    vocabulary = streams.vocabulary(12)
    assert len(vocabulary) == 12
    assert {b"{", b"}", b"(", b")", b";", b"return", b"int", b"this", b"."} <= set(vocabulary)
    assert counts["one"].as_dict() | {"tokens": 0} == {
        "files": 5,
        "too_large": 1,
        "near_copies": 0,
        "tokens": 0,
    }
    assert sum(each.tokens for each in counts.values()) == len(streams.flat) == sum(streams.sizes)


def test_streams_are_files_with_padding_before_each() -> None:
    streams = Streams()
    streams.add([b"a", b"b", b"a"])
    streams.add([b"c", b"a"])
    assert streams.vocabulary(2) == [b"a", b"b"]
    numbers = numbered([b"a", b"b"])
    assert streams.numbered(numbers, 2).tolist() == [0, 0, 2, 3, 2, 0, 0, 1, 2]


def test_tokens_with_a_line_feed_are_in_no_vocabulary() -> None:
    streams = Streams()
    streams.add([b'"""\nx"""', b'"""\nx"""', b"a"])
    assert streams.vocabulary(5) == [b"a"]


def test_files_left_out_and_the_limit_of_tokens_are_heeded(corpus: Path) -> None:
    whole, _ = read_part(corpus, SPLIT, "train", Reading())
    left_out = Reading(left_out=frozenset({"one/Copy.java", "two/C0.java"}))
    streams, counts = read_part(corpus, SPLIT, "train", left_out)
    assert len(streams.sizes) == len(whole.sizes) - 2
    assert [counts[name].near_copies for name in ("one", "two")] == [1, 1]
    few, counts = read_part(corpus, SPLIT, "train", Reading(most_tokens=1))
    assert len(few.sizes) == 2, "a file of each project"
    again, _ = read_part(corpus, SPLIT, "train", Reading(most_tokens=1))
    assert list(again.flat) == list(few.flat)


@pytest.fixture(scope="module")
def trained(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    out = tmp_path_factory.mktemp("trained") / "whole"
    assert main(arguments(corpus, out, "--epochs", "8", "--rate", "0.03")) == 0
    return out


def log_of(out: Path) -> list[dict[str, object]]:
    lines = (out / "log.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["valid"] for line in lines]


def test_it_learns_and_the_card_tells_what_ships(trained: Path) -> None:
    found = log_of(trained)
    assert found[-1]["perplexity"] < found[0]["perplexity"] < 70  # type: ignore[operator]
    model = model_in(trained / "nlm.safetensors")
    card = (trained / "nlm.md").read_text("utf-8")
    assert model.identity["sha256"] in card
    assert "Left out are 1 training files that are near-copies of a held-out file" in card
    assert "1 files of more than 400 kB" in card
    for option in ("--context 3", "--size 12", "--vocabulary 60", "--seed 0", "--epochs 8"):
        assert option in card
    lists = [(trained / f"{part}.txt").read_text("utf-8") for part in ("train", "valid", "test")]
    assert [text.count("\n") for text in lists] == [7, 3, 3]
    code = source("four", 0).encode()
    scores, closing = model.token_scores(code), in_order(code).index(b")")
    assert scores.bits[closing] < 0.5 and scores.ranks[closing] == 1, "after ( comes )"


def test_an_interrupted_training_goes_on_as_if_nothing_had_happened(
    corpus: Path, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metamorph.training.loop import Trainer

    step = Trainer._rate
    calls = itertools.count()

    def failing(trainer: "Trainer[object]") -> float:
        if next(calls) == 100:
            trainer.save()
            raise KeyboardInterrupt
        return step(trainer)

    words = ("--epochs", "8", "--rate", "0.03")
    monkeypatch.setattr(Trainer, "_rate", failing)
    assert main(arguments(corpus, tmp_path, *words)) == 130
    monkeypatch.setattr(Trainer, "_rate", step)
    assert main(arguments(corpus, tmp_path, *words)) == 2, "not resumed"
    assert main(arguments(corpus, tmp_path, *words, "--resume")) == 0
    assert log_of(trained) == log_of(tmp_path)
    name = "nlm.safetensors"
    assert (trained / name).read_bytes() == (tmp_path / name).read_bytes()


def test_another_seed_makes_another_model(corpus: Path, trained: Path, tmp_path: Path) -> None:
    words = ("--epochs", "8", "--rate", "0.03", "--seed", "1")
    assert main(arguments(corpus, tmp_path, *words)) == 0
    name = "nlm.safetensors"
    assert (trained / name).read_bytes() != (tmp_path / name).read_bytes()


@pytest.mark.parametrize(
    ("model", "option", "value"),
    [
        ("nlm", "--shards", "x"),
        ("nlm", "--most-methods", "5"),
        ("nlm", "--width", "5"),
        ("code2vec", "--context", "5"),
        ("code2seq", "--most-tokens", "5"),
    ],
)
def test_an_option_in_vain_is_refused(
    model: str, option: str, value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["models", "train", "--model", model, "--corpus", ".", "--out", str(tmp_path)]
    assert main([*words, option, value]) == 2
    assert f"{model} takes no {option}" in capsys.readouterr().err


def losses_by_sample(sampled: int) -> Iterator[float]:
    """The loss of one batch again and again, so many of the rarer tokens drawn each time."""
    torch = pytest.importorskip("torch")
    from metamorph.training.nlm import Nlm, NlmSizes

    torch.manual_seed(3)
    sizes = NlmSizes(context=2, size=4, head=5, sampled=sampled)
    network = Nlm(40, sizes, 3)
    rows = np.array([[1, 2, 3], [4, 5, 39], [7, 8, 20]], np.int64)
    with torch.no_grad():
        network.dense["bias"] += torch.linspace(0, 1, 40)
        vectors, wanted = network._vectors(rows[:, :-1]), torch.from_numpy(rows[:, -1] - 1)
        while True:
            yield float(network._loss(vectors, wanted))


def test_a_sample_of_the_softmax_comes_to_the_whole_in_the_mean() -> None:
    (whole,) = itertools.islice(losses_by_sample(35), 1)
    several = list(itertools.islice(losses_by_sample(12), 1500))
    assert max(several) - min(several) > 0.05, "they do vary"
    assert np.mean(several) == pytest.approx(whole, abs=0.01)
    assert math.isfinite(whole)


def test_the_capacity_curve_is_of_the_models_that_it_trains(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    script = Path(__file__).parent.parent / "benchmarks" / "capacity.py"
    words = [str(corpus), "--out", str(tmp_path), "--sizes", "4", "8", "--epochs", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", [str(script), *words])
        for _ in range(2):
            with pytest.raises(SystemExit) as ended:
                runpy.run_path(str(script), run_name="__main__")
            assert ended.value.code == 0
            first = capsys.readouterr()
    assert "epoch" not in first.err, "what is there is taken as it is"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "capacity.csv").read_text("utf-8"))))
    assert {row["size"] for row in rows} == {"4", "8"}
    assert {row["metric"] for row in rows} >= {"Acc", "Acc-ID", "PPL"}
    assert {row["test_set"] for row in rows} >= {"unbiased test", "cross-set biased", "difference"}
    if importlib.util.find_spec("matplotlib"):
        assert (tmp_path / "capacity.png").read_bytes()[:4] == b"\x89PNG"
