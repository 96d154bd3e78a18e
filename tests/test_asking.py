"""How models are asked: together, again, at which price, or not at all."""

import threading
import time
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from servers import Answer, serving, told
from servers import Request as Asking
from studies import MODEL, rows, write_corpus
from studies import metamorph as cli
from tellers import Teller, Watch, request, run

from metamorph.models import Example, Options, Prediction
from metamorph.oracles.summaries import Prices
from metamorph.reports.json_report import as_object
from metamorph.runs.dry_run import rehearse
from metamorph.runs.execute import execute
from metamorph.runs.rows import passes
from metamorph.runs.summary import summarise

pytestmark = pytest.mark.usefixtures("folder")

PRICES = Prices(2.0, 10.0)


@dataclass
class Batches(Teller):
    """Notes the batches, and answers by the text alone."""

    batches: list[list[str]] = field(default_factory=list)

    def predict(self, batch: Sequence[Example]) -> Sequence[Prediction]:
        self.batches.append([example.id for example in batch])
        return super().predict(batch)


def test_questions_of_small_files_reach_a_far_model_together(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=30, methods=1)
    model = Batches()
    run(request(corpus, model, cache=False))
    assert [len(batch) for batch in model.batches] == [180]
    assert len({id.partition(".")[0] for id in model.batches[0]}) == 30
    assert len(rows(folder / "out")["files"]) == 30


def test_a_limit_asks_no_more_than_it_takes(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=3, methods=4)
    model = Batches()
    summary = run(request(corpus, model, limit=6))
    assert summary.accounting.methods == 6
    assert len(model.asked) == 6 * 6
    assert summary.spent.asked == 36


def test_a_stopped_run_goes_on_to_the_same_rows_and_asks_nothing_twice(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=80, methods=1)
    whole = request(corpus, Teller(), "whole", cache=False)
    run(whole)
    model = Teller()
    with pytest.raises(KeyboardInterrupt):
        execute(request(corpus, model), Watch(files=10))
    assert len(rows(folder / "out")["files"]) == 10
    run(request(corpus, model, resume=True))
    assert len(model.asked) == len(set(model.asked)) == 80 * 6
    for table in ("files", "methods", "variants", "refusals"):
        assert rows(folder / "out")[table] == rows(folder / "whole")[table]


def test_a_second_run_asks_nothing_and_says_so(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=3)
    first = run(request(corpus, Teller(), "one", repeat=2, prices=PRICES))
    again = Teller()
    second = run(request(corpus, again, "two", repeat=2, prices=PRICES))
    assert again.asked == []
    assert second.tally == first.tally
    assert (first.spent.cached, second.spent.cached) == (0, first.spent.asked)
    assert first.spent.cost == pytest.approx(84 * (120 * 2 + 7 * 10) / 1e6)
    assert second.spent.cost == 0
    anew = Teller()
    run(request(corpus, anew, "three", cache=False, repeat=2))
    assert len(anew.asked) == first.spent.asked == 12 * 7


def test_what_a_server_failed_to_answer_is_asked_again(folder: Path) -> None:
    class Overrun(Teller):
        down = True

        def answer(self, example: Example) -> Prediction:
            if self.down and "second1" in example.code:
                words = "slow down, please"
                return Prediction(example.id, None, error="http-429", text=words)
            return super().answer(example)

    corpus = write_corpus(folder / "src", files=3, methods=2)
    whole = run(request(corpus, Teller(), "whole", cache=False))
    model = Overrun()
    first = run(request(corpus, model, limit=4))
    assert first.complete and first.accounting.no_answer == {"original: http-429": 10}
    assert first.accounting.words == {"http-429": "slow down, please"}
    model.down = False
    model.asked.clear()
    again = run(request(corpus, model, limit=4, resume=True))
    assert again.complete and again.accounting.answered == 20
    assert again.accounting.methods == 4 and len(model.asked) == 2 * 6 - 2
    assert again.tally[0].variants == 20 < whole.tally[0].variants
    model.asked.clear()
    run(request(corpus, model, limit=4, resume=True))
    assert model.asked == []


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        ("http-429", True),
        ("http-503", True),
        ("original: timeout", True),
        ("unreachable", True),
        ("http-404", False),
        ("http-5", False),
        ("cut-off", False),
        ("no_contexts", False),
        ("command-died", False),
    ],
)
def test_only_faults_that_pass_are_worth_asking_again(error: str, passing: bool) -> None:
    assert passes(error) is passing


def test_tokens_that_a_model_does_not_tell_cost_nothing_known(folder: Path) -> None:
    class Silent(Teller):
        def answer(self, example: Example) -> Prediction:
            told = "first0" in example.code and self.revision == "1"
            return replace(super().answer(example), usage=(120, 7) if told else None)

    corpus = write_corpus(folder / "src", files=1, methods=2)
    part = run(request(corpus, Silent(), "part", prices=PRICES)).spent
    assert 0 < part.told < part.asked == 12 and part.tokens_in == 120 * part.told
    assert part.cost == pytest.approx(part.told * (120 * 2 + 7 * 10) / 1e6)
    nothing = run(request(corpus, Silent(revision="2"), "nothing", prices=PRICES)).spent
    assert (nothing.told, nothing.asked, nothing.cost) == (0, 12, None)


def test_what_a_server_had_to_be_asked_otherwise_is_noted_once(folder: Path) -> None:
    class Learner(Teller):
        @property
        def adapted(self) -> tuple[str, ...]:
            return ("seed left out",) if self.asked else ()

    corpus = write_corpus(folder / "src", files=3, methods=1)
    assert run(request(corpus, Learner())).notes == ["seed left out"]
    assert run(request(corpus, Learner(), resume=True)).notes == ["seed left out"]


def test_what_was_truncated_is_counted_with_and_without(folder: Path) -> None:
    class HalfBlind(Teller):
        def answer(self, example: Example) -> Prediction:
            cut = "total0" not in example.code
            return replace(super().answer(example), truncated=cut)

    summary = run(request(write_corpus(folder / "src", files=2, methods=2), HalfBlind()))
    tally = summary.tally[0]
    assert 0 < tally.truncated < tally.judged == 20
    assert summary.accounting.truncated == tally.truncated
    report = as_object(summary)
    assert report["accounting"]["truncated"] == tally.truncated
    assert report["tally"][0]["change_rate_without_truncated"] == tally.whole_change_rate


def test_a_dry_run_counts_what_the_run_then_asks(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=3)
    (corpus / "Twin.java").write_text((corpus / "C000.java").read_text())
    (corpus / "Bad.java").write_text("class {")
    model = Teller()
    wanted = request(corpus, model, repeat=3, prices=PRICES, options=Options(max_tokens=9))
    before = rehearse(wanted)
    assert model.asked == [] and not (folder / "out").exists()
    assert (before.files, before.unparsable, before.methods) == (5, 1, 16)
    summary = run(wanted)
    assert summary.accounting.variants == before.variants == 80
    assert before.programs == 12 * 6 and before.askings == len(model.asked) == 12 * 8
    assert (before.cached, before.tokens_out) == (0, 9 * before.askings)
    size = sum(-(-len(text.encode()) // 4) for text in model.told)
    assert before.tokens_in == size
    after = rehearse(wanted)
    assert (after.cached, after.tokens_in, after.tokens_out) == (after.askings, 0, 0)
    assert "estimate: bytes / 4" in "\n".join(before.lines())
    assert "0.0000 at most" in "\n".join(after.lines())


def test_without_a_cache_equal_questions_are_asked_each_time(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=1)
    (corpus / "Twin.java").write_text((corpus / "C000.java").read_text())
    model = Teller()
    estimate = rehearse(request(corpus, model, cache=False))
    run(request(corpus, model, cache=False))
    assert (estimate.programs, estimate.askings) == (24, 48) == (24, len(model.asked))


def test_a_dry_run_keeps_to_the_limit(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=3, methods=4)
    assert rehearse(request(corpus, Teller(), limit=6)).methods == 6


def test_a_model_that_counts_its_tokens_is_believed(folder: Path) -> None:
    class Counting(Teller):
        def tokens(self, example: Example) -> int:
            return 11

    estimate = rehearse(request(write_corpus(folder / "src", files=1, methods=1), Counting()))
    assert estimate.tokens_in == 11 * 6
    assert "66 to read (counted)" in "\n".join(estimate.lines())


def test_the_command_rehearses_without_a_trace(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "src", files=2)
    before = sorted(folder.iterdir())
    options = ("--model", f"{MODEL}deadly", "--transform", "VN", "--dry-run")
    assert cli("run", corpus, *options) == 0
    out = capsys.readouterr().out
    assert "variants  40" in out and "48 distinct" in out and "nothing was asked" in out
    assert sorted(folder.iterdir()) == before


def naming_server(peak: list[int]) -> Callable[[Asking], Answer]:
    """Names by the question alone; notes how many questions are under way at once."""
    lock = threading.Lock()
    under_way: list[int] = []

    def answer(asking: Asking) -> Answer:
        with lock:
            under_way.append(1)
            peak.append(len(under_way))
        time.sleep(0.01)
        with lock:
            under_way.pop()
        assert isinstance(asking.body, dict)
        text = asking.body["messages"][0]["content"]
        name = ("getName", "setName", "sum")[zlib.crc32(text.encode()) % 3]
        choice = {"index": 0, "message": {"content": name}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 2}
        return told({"choices": [choice], "usage": usage})

    return answer


def test_workers_share_the_connections_and_the_kept_answers(folder: Path) -> None:
    corpus = write_corpus(folder / "src", files=40, methods=1)
    command = ("run", corpus, "--model", "openai:m", "--transform", "VN", "--max-connections", "4")
    peak: list[int] = []
    with serving(naming_server(peak)) as server:
        url = ("--base-url", f"{server.url}/v1")
        assert cli(*command, *url, "--workers", "2", "--out", "two") == 0
        assert len(server.asked) == 240
        assert cli(*command, *url, "--out", "one") == 0
        assert len(server.asked) == 240
    assert 2 <= max(peak) <= 4
    two, one = summarise(folder / "two"), summarise(folder / "one")
    assert rows(folder / "two")["variants"] == rows(folder / "one")["variants"]
    assert (two.spent.cached, two.spent.tokens_in, two.spent.tokens_out) == (0, 24_000, 480)
    assert (one.spent.cached, one.spent.tokens_in) == (240, 0)


def test_a_run_that_a_server_let_down_is_incomplete_and_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = write_corpus(folder / "src", files=2, methods=2)
    command = ("run", corpus, "--model", "openai:m", "--transform", "VN", "--out", "out")
    well = naming_server([])
    down = [True]

    def failing(asking: Asking) -> Answer:
        ill = down and "rest1" in str(asking.body)
        return told({"error": "out of breath"}, 500) if ill else well(asking)

    with serving(failing) as server:
        url = ("--base-url", f"{server.url}/v1", "--retries", "0")
        assert cli(*command, *url) == 3
        out, err = capsys.readouterr()
        assert "10 variants have no answer; ask again with --resume --out out" in err
        assert "http-500: " in out and "out of breath" in out
        down.clear()
        assert cli(*command, *url, "--resume") == 0
    assert summarise(folder / "out").accounting.answered == 20
