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
from studies import MODEL, rows, study, write_corpus
from studies import metamorph as cli
from tellers import Teller

from metamorph.corpus import Survey
from metamorph.models import Example, Options, Prediction
from metamorph.oracles.summaries import Prices, Summary
from metamorph.reports.json_report import as_object
from metamorph.runs.dry_run import rehearse
from metamorph.runs.execute import Progress, Request, execute
from metamorph.runs.questions import varies
from metamorph.runs.settings import Settings
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


class Watch:
    """An observer that stops a run after so many files."""

    def __init__(self, files: int = 0) -> None:
        self.files = files

    def begin(self, survey: Survey, finished: int) -> None: ...

    def advance(self, done: Progress) -> None:
        if done.files == self.files:
            raise KeyboardInterrupt

    def stopping(self) -> None: ...


def request(corpus: Path, model: Teller, out: str = "out", **changes: object) -> Request:
    """A run of VN over the corpus; changes: of the settings, or of the request."""
    mine = {k: changes.pop(k) for k in ("cache", "resume", "prices") if k in changes}
    settings = Settings((str(corpus),), "teller", (("VN", "single"),))
    settings = replace(settings, **changes)  # type: ignore[arg-type]
    made = Request(settings, model, Path(out), 1, False, "metamorph run")
    return replace(made, **mine)  # type: ignore[arg-type]


def run(asked: Request) -> Summary:
    """Carry it out."""
    assert execute(asked, Watch()) == "done"
    return summarise(asked.out)


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
