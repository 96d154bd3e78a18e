"""Training: corpora and splits, shards, vocabularies, batches, networks, the loop."""

import itertools
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.training.corpus import part_of, projects, read_split, seeded_split
from metamorph.training.dataset import batches, fingerprints, gather, in_order, select
from metamorph.training.extraction import Extraction, extract_project
from metamorph.training.scores import score
from metamorph.training.shards import Shard, ShardWriter, of_files, read, save
from metamorph.training.vocabulary import Counts, count_contexts, indexed, most_common

FIELDS = ("name", "size", "owner", "price", "colour", "weight", "origin", "state")


def klass(name: str, fields: tuple[str, ...]) -> str:
    """A class with a getter, a setter and a test of each field; no two classes are near-copies."""
    bodies = []
    for field in fields:
        title = field.capitalize()
        note = f'log("{name}", {name}.{field}At);'
        bodies.append(f"  private String {field};")
        bodies.append(f"  public String get{title}() {{ {note} return {field}; }}")
        bodies.append(f"  public void set{title}(String v) {{ this.{field} = v; {note} }}")
        bodies.append(f"  public boolean has{title}() {{ {note} return {field} != null; }}")
    return f"class {name} {{\n" + "\n".join(bodies) + "\n}\n"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six projects of getters and setters."""
    root = tmp_path_factory.mktemp("corpus")
    for number in range(6):
        folder = root / f"p{number}" / "src"
        folder.mkdir(parents=True)
        for place in range(4):
            chosen = random.Random(10 * number + place).sample(FIELDS, 4)
            mark = "abcdef"[number] + "klmn"[place]
            own = [f"own{mark}{letter}" for letter in "wxyz"]
            text = klass(f"Kind{mark}", (*chosen, *own))
            (folder / f"K{place}.java").write_text(text, "utf-8")
    return root


@pytest.fixture(scope="module")
def shard(corpus: Path) -> Shard:
    """One project's code2vec shard."""
    shards, _ = extract_project(corpus / "p0", Extraction())
    return shards["code2vec"]


def test_subtokens_are_counted_as_the_papers_count_them() -> None:
    pairs = [
        ("get|x", "get|x"),
        ("get|x|y", "get|z"),
        ("is|a", None),
        ("add", "add|add"),
        ("add|add", "add"),
    ]
    found = score(pairs)
    assert (found.true_positives, found.false_positives, found.false_negatives) == (6, 1, 4)
    assert (found.precision, found.recall) == (6 / 7, 6 / 10)
    assert found.f1 == pytest.approx(2 * 6 / 7 * 0.6 / (6 / 7 + 0.6))
    assert (found.exact, found.examples) == (1, 5)


def test_nothing_scored_is_nothing_right() -> None:
    assert score([]).f1 == score([("a", None)]).f1 == 0


def test_a_seeded_split_keeps_projects_whole_and_repeats() -> None:
    names = [f"p{n}" for n in range(40)]
    split = seeded_split(names, 3)
    assert split == seeded_split(reversed(names), 3) != seeded_split(names, 4)  # type: ignore[arg-type]
    assert [len(part_of(split, part)) for part in ("train", "valid", "test")] == [32, 4, 4]


def test_too_few_projects_cannot_be_split() -> None:
    with pytest.raises(UserError, match="three are the least"):
        seeded_split(["a", "b"], 0)


def test_a_split_file_may_have_a_header_and_leave_projects_out(tmp_path: Path) -> None:
    file = tmp_path / "split.tsv"
    file.write_text("project\tsplit\na\ttrain\nb\tvalid\nc\ttest\ngone\ttrain\n", "utf-8")
    assert read_split(file, ["a", "b", "c", "d"]) == {"a": "train", "b": "valid", "c": "test"}
    file.write_text("a\ttrain\nb\tdev\n", "utf-8")
    with pytest.raises(UserError, match=r"split\.tsv:2: 'dev' is no part"):
        read_split(file, ["a", "b"])


def test_a_corpus_without_projects_is_the_users_fault(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no projects"):
        projects(tmp_path)
    with pytest.raises(UserError, match="no such folder"):
        projects(tmp_path / "gone")


def test_shards_come_back_from_disk_as_they_were(shard: Shard, tmp_path: Path) -> None:
    save(shard, tmp_path / "p0.code2vec.npz")
    again = read(tmp_path / "p0.code2vec.npz")
    assert (again.project, again.style, again.files) == ("p0", "code2vec", shard.files)
    assert (again.labels, again.tokens, again.paths) == (shard.labels, shard.tokens, shard.paths)
    assert np.array_equal(again.contexts, shard.contexts)
    assert np.array_equal(again.offsets, shard.offsets)


def test_extraction_counts_files_that_are_no_use(tmp_path: Path) -> None:
    large = "class D { int d() { return 1; } }" + "/**/" * 100_000
    bad = {"C": "class {", "D": large, "E": "class E { " + "A<" * 9_000 + " }"}
    for name, source in {"A": klass("A", FIELDS), **bad}.items():
        (tmp_path / f"{name}.java").write_text(source, "utf-8")
    shards, counts = extract_project(tmp_path, Extraction())
    assert counts.as_dict() == {
        "files": 4,
        "unparsable": 1,
        "too_large": 1,
        "over_limit": {"E.java": "time-limit"},
    }
    assert len(shards["code2vec"]) == len(shards["code2seq"]) == 3 * len(FIELDS)


def test_empty_bodies_are_for_code2seq_alone(tmp_path: Path) -> None:
    (tmp_path / "A.java").write_text("class A { void a(int x) { } void b(int x) { c(); } }")
    shards, _ = extract_project(tmp_path, Extraction())
    assert shards["code2vec"].labels == ["b"]
    assert shards["code2seq"].labels == ["a", "b"]


def test_exact_copies_are_kept_once_and_methods_without_contexts_never() -> None:
    writer = ShardWriter("p", "code2vec")
    contexts = [("a", "1", "b"), ("a", "2", "c")]
    writer.add("A.java", "get", contexts)
    writer.add("A.java", "get", contexts)
    writer.add("B.java", "get", contexts[::-1])
    writer.add("B.java", "set", contexts)
    writer.add("B.java", "none", [])
    writer.add("C.java", "other", contexts)
    found = writer.shard()
    rng = np.random.default_rng(0)
    assert select(found, set(), rng=rng).tolist() == [0, 2, 3, 5]
    assert select(found, None, rng=rng).tolist() == [0, 1, 2, 3, 5], "copies on request"
    assert len(of_files(found, {"A.java", "C.java"})) == 3
    assert len(select(found, set(), cap=2, rng=rng)) == 2
    seen: set[int] = set()
    select(found, seen, rng=rng)
    assert select(found, seen, rng=rng).tolist() == []


def test_fingerprints_do_not_depend_on_how_a_shard_numbers_its_strings() -> None:
    first, second = ShardWriter("p", "code2vec"), ShardWriter("q", "code2vec")
    second.add("Z.java", "z", [("c", "9", "c")])
    for writer in (first, second):
        writer.add("A.java", "get", [("a", "1", "b"), ("b", "2", "c")])
    assert fingerprints(first.shard())[0] == fingerprints(second.shard())[1]


def test_vocabularies_prefer_the_common_and_need_several_projects() -> None:
    counts = Counts()
    counts.add({"a": 5, "b": 9, "c": 1})
    counts.add({"a": 5, "c": 9, "d": 50})
    assert most_common(counts, 2, 1, 10) == ["d", "a", "c", "b"]
    assert most_common(counts, 2, 2, 10) == ["a", "c"]
    assert most_common(counts, 10, 1, 2) == ["d", "a"]


def test_contexts_are_counted_by_their_three_parts() -> None:
    writer = ShardWriter("p", "code2seq")
    writer.add("A.java", "m", [("a|b", "X|Y", "a"), ("a", "Y", "a")])
    every = [(writer.shard(), np.array([0]))]
    tokens, paths = count_contexts(every)
    assert (tokens.times, paths.times) == ({"a|b": 1, "a": 3}, {"X|Y": 1, "Y": 1})
    tokens, paths = count_contexts(every, split=True)
    assert (tokens.times, paths.times) == ({"a": 4, "b": 1}, {"X": 1, "Y": 2})


def test_gathered_methods_keep_their_contexts_and_unknown_words_become_zero(shard: Shard) -> None:
    chosen = np.array([5, 2])
    some = shard.tokens[: len(shard.tokens) // 2]
    data = gather([(shard, chosen)], indexed(some), indexed(shard.paths))
    words = ["", *some]
    for place, method in enumerate(chosen.tolist()):
        rows = shard.contexts[shard.offsets[method] : shard.offsets[method + 1]]
        left = [shard.tokens[token] for token in rows[:, 0]]
        expected = [token if token in some else "" for token in left]
        got = data.contexts[data.offsets[place] : data.offsets[place + 1]]
        assert [words[token] for token in got[:, 0].tolist()] == expected
        assert data.labels[place] == shard.labels[method]


def test_an_epoch_has_each_method_once_with_contexts_of_its_own(shard: Shard) -> None:
    every = np.flatnonzero(np.diff(shard.offsets) > 0)
    data = gather([(shard, every)], indexed(shard.tokens), indexed(shard.paths))
    seen: list[int] = []
    for batch in batches(data, 16, 5, np.random.default_rng(1), chunk=2):
        assert batch.contexts.shape[1] <= 5
        for member, rows, mask in zip(batch.members, batch.contexts, batch.mask, strict=True):
            start, end = data.offsets[member], data.offsets[member + 1]
            own = Counter(map(tuple, data.contexts[start:end].tolist()))
            drawn = Counter(map(tuple, rows[mask].tolist()))
            assert drawn <= own and drawn.total() == min(5, end - start)
            assert not rows[~mask].any()
        seen.extend(batch.members.tolist())
    assert sorted(seen) == list(range(len(data)))


def test_prediction_sees_the_first_contexts(shard: Shard) -> None:
    every = np.flatnonzero(np.diff(shard.offsets) > 0)
    data = gather([(shard, every)], indexed(shard.tokens), indexed(shard.paths))
    for batch in in_order(data, 16, 3):
        for member, rows in zip(batch.members, batch.contexts, strict=True):
            assert np.array_equal(rows, data.contexts[data.offsets[member] :][:3])


def test_the_same_seed_gives_the_same_epoch(shard: Shard) -> None:
    every = np.flatnonzero(np.diff(shard.offsets) > 0)
    data = gather([(shard, every)], indexed(shard.tokens), indexed(shard.paths))

    def epoch(seed: int) -> list[list[int]]:
        drawn = batches(data, 16, 5, np.random.default_rng(seed))
        return [batch.contexts.ravel().tolist() for batch in drawn]

    assert epoch(1) == epoch(1) != epoch(2)


def arguments(kind: str, corpus: Path, out: Path, *more: str) -> list[str]:
    """A training of a few seconds."""
    words = ["models", "train", "--model", kind, "--corpus", str(corpus), "--out", str(out)]
    return [*words, "--batch", "16", "--shards", str(corpus.parent / "shards"), *more]


def log_of(out: Path) -> Iterator[dict[str, Any]]:
    """The entries of a training's log, times left out."""
    for line in (out / "log.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        yield {name: value for name, value in entry.items() if name != "seconds"}


@pytest.mark.parametrize(("kind", "least"), [("code2vec", 0.5), ("code2seq", 0.5)])
def test_a_training_learns_and_writes_a_model_that_loads_without_torch(
    kind: str,
    least: float,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("torch")
    small_vocabularies(monkeypatch)
    assert main(arguments(kind, corpus, tmp_path, "--epochs", "8", "--rate", "0.02")) == 0
    entries = list(log_of(tmp_path))
    assert entries[-1]["loss"] < entries[0]["loss"] / 2
    weights = tmp_path / f"{kind}.safetensors"
    card = (tmp_path / f"{kind}.md").read_text("utf-8")
    assert main(["models", "show", f"{kind}:{weights}"]) == 0
    shown = capsys.readouterr().out
    sha256 = next(line.split()[1] for line in shown.splitlines() if line.startswith("sha256"))
    assert sha256 in card and "| p0 |" in card
    assert read_f1(weights, "test") > least


def read_f1(weights: Path, part: str) -> float:
    """The F1 that a weights file tells."""
    from metamorph.models.weights import read_facts

    f1: float = read_facts(weights)["scores"][part]["f1"]
    return f1


def small_vocabularies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that six tiny projects can reach."""
    from metamorph.training import prepare

    limits = prepare.Limits(2, 2, 2, 1000, 1000, 1000)
    monkeypatch.setattr(prepare, "CODE2VEC_LIMITS", limits)
    monkeypatch.setattr(prepare, "CODE2SEQ_LIMITS", limits)


@pytest.mark.parametrize("kind", ["code2vec", "code2seq"])
def test_an_interrupted_training_goes_on_as_if_nothing_had_happened(
    kind: str, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    from metamorph.training.loop import Trainer

    small_vocabularies(monkeypatch)
    torch.manual_seed(0)
    assert main(arguments(kind, corpus, tmp_path / "whole", "--epochs", "3")) == 0
    step = Trainer._rate
    calls = itertools.count()

    def failing(trainer: Trainer) -> float:
        if next(calls) == 13:
            trainer.save()
            raise KeyboardInterrupt
        return step(trainer)

    monkeypatch.setattr(Trainer, "_rate", failing)
    assert main(arguments(kind, corpus, tmp_path / "cut", "--epochs", "3")) == 130
    monkeypatch.setattr(Trainer, "_rate", step)
    assert main(arguments(kind, corpus, tmp_path / "cut", "--epochs", "3")) == 2, "not resumed"
    assert main(arguments(kind, corpus, tmp_path / "cut", "--epochs", "3", "--resume")) == 0
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    assert [e["valid"] for e in log_of(whole)] == [e["valid"] for e in log_of(cut)]
    name = f"{kind}.safetensors"
    assert (whole / name).read_bytes() == (cut / name).read_bytes()


def test_without_torch_training_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; from metamorph.cli import main;"
        "sys.exit(main('models train --model code2vec --corpus c --out o'.split()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "pip install 'metamorph-java[train]'" in done.stderr


def test_a_corpus_that_is_not_there_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    assert main(arguments("code2vec", tmp_path / "gone", tmp_path / "out")) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "gone: no such folder" in told


def test_a_corpus_too_small_for_a_vocabulary_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    for name in ("a", "b", "c"):
        (tmp_path / "small" / name).mkdir(parents=True)
        text = f"class {name.upper()} {{ int {name}() {{ return {name}; }} }}"
        (tmp_path / "small" / name / "A.java").write_text(text)
    assert main(arguments("code2vec", tmp_path / "small", tmp_path / "out")) == 2
    assert "too small: no name is seen 3 times" in capsys.readouterr().err
