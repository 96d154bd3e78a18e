"""Training: splits by file, copies kept and removed, the lists that say what was learnt from."""

from pathlib import Path

import pytest

from metamorph.cli import main
from metamorph.corpus import read_sources
from metamorph.corpus.projects import project_of
from metamorph.errors import UserError
from metamorph.training.copies import left_out
from metamorph.training.corpus import (
    Shares,
    chosen_split,
    files_in,
    part_of,
    part_of_file,
    projects_in,
    read_split,
    seeded_split,
    write_list,
    write_split,
)
from metamorph.training.shelf import Shelf

FILES = ("a/A.java", "a/B.java", "b/sub/C.java", "b/D.java", "c/E.java")


def java(name: str, words: str, more: str = "") -> str:
    """A class whose tokens are its words; two of 20 words and the same 19 are near-copies."""
    return f"class {name} {{ void run() {{ {' '.join(f'{word}();' for word in words)} {more} }} }}"


COMMON = "abcdefghijklmnopqrstuvwx"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A.java has copies B (same project), C and E (others); D has none."""
    root = tmp_path / "corpus"
    texts = [java(f"T{number}", COMMON) for number in range(5)]
    texts[3] = java("D", COMMON.upper())
    for name, text in zip(FILES, texts, strict=True):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def shelf(corpus: Path, out: Path, split: dict[str, str], most: int | None = None) -> Shelf:
    """A shelf of code2vec contexts without copies of files held out."""
    copies = left_out(corpus, split, "held-out")
    return Shelf(corpus, out, "code2vec", split, copies, 200, most, 0)


def test_files_are_dealt_by_the_seed_in_the_shares_asked_for(corpus: Path) -> None:
    names = [f"p{n % 7}/F{n}.java" for n in range(100)]
    split = seeded_split(names, 1, Shares(10, 40))
    assert [len(part_of(split, part)) for part in ("train", "valid", "test")] == [50, 10, 40]
    assert projects_in(split, "train") == projects_in(split, "test"), "projects are cut"
    assert set(chosen_split(corpus, None, "file", Shares(20, 20), 3)) == set(FILES)
    assert set(chosen_split(corpus, None, "project", Shares(), 3)) == {"a", "b", "c"}


def test_a_split_that_was_written_is_read_again(tmp_path: Path) -> None:
    split = seeded_split(FILES, 5)
    write_split(split, tmp_path / "split.tsv")
    assert read_split(tmp_path / "split.tsv", ["a", "b", "c"]) == split


def test_a_files_own_line_goes_before_its_projects(corpus: Path) -> None:
    split = {"a": "train", "a/B.java": "test", "b": "valid"}
    assert [part_of_file(split, name) for name in FILES] == [
        "train",
        "test",
        "valid",
        "valid",
        None,
    ]
    assert list(files_in(corpus, split, "test")) == ["a/B.java"]


def test_copies_are_kept_or_those_of_files_held_out_left_out_or_all_but_one(corpus: Path) -> None:
    split = {"a": "train", "c": "train", "b/D.java": "valid", "b/sub/C.java": "test"}
    assert left_out(corpus, split, "keep") == set()
    assert left_out(corpus, split, "held-out") == {"a/A.java", "a/B.java", "c/E.java"}
    assert left_out(corpus, split, "remove") == {"a/A.java", "a/B.java", "c/E.java"}
    inside = {"a": "train", "c": "train", "b/sub/C.java": "train", "b/D.java": "test"}
    assert left_out(corpus, inside, "held-out") == set()
    assert left_out(corpus, inside, "remove") == {"a/B.java", "b/sub/C.java", "c/E.java"}
    unused = {"a/A.java": "train", "b/D.java": "test"}
    assert left_out(corpus, unused, "remove") == set(), "the others are in no part"


def test_only_removal_follows_a_chain(tmp_path: Path) -> None:
    words = "abcdefghijklmnopqrstuvwxyz"
    chain = {"a/A.java": words[:20], "b/B.java": words[2:22], "c/C.java": words[4:24]}
    for name, chosen in chain.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(java("Same", chosen), "utf-8")
    split = {"a": "test", "b": "train", "c": "train"}
    assert left_out(tmp_path, split, "held-out") == {"b/B.java"}
    assert left_out(tmp_path, split, "remove") == {"b/B.java", "c/C.java"}


def test_a_shelf_gives_each_part_the_methods_of_its_files(corpus: Path, tmp_path: Path) -> None:
    split = {"a/A.java": "test", "a/B.java": "train", "b": "train", "c": "valid"}
    whole = shelf(corpus, tmp_path / "shards", split)
    whole.fill()
    files = {
        part: [(s.project, s.files[s.of_file[0]]) for s in whole.part(part)]
        for part in ("valid", "test")
    }
    assert files["test"] == [("a", "A.java")] and files["valid"] == [("c", "E.java")]
    assert sum(len(shard) for shard in whole.part("train")) == 1, "D: the others are copies"
    other = {"a": "train", "b": "valid", "c": "test"}
    again = shelf(corpus, tmp_path / "shards", other)
    again.fill()
    assert [len(shard) for shard in again.part("valid")] == [2], "whole shards serve any split"


def test_limited_shards_of_another_split_are_refused(corpus: Path, tmp_path: Path) -> None:
    shelf(corpus, tmp_path / "s", {"a": "train", "b": "valid", "c": "test"}, 10).fill()
    shelf(corpus, tmp_path / "s", {"a": "train", "b": "valid", "c": "test"}, 10).fill()
    with pytest.raises(UserError, match="shards of another split"):
        shelf(corpus, tmp_path / "s", {"a": "test", "b": "valid", "c": "train"}, 10).fill()


def test_the_lists_hold_what_was_learnt_from_and_what_was_not(corpus: Path, tmp_path: Path) -> None:
    split = {"a/A.java": "test", "a/B.java": "train", "b": "train", "c": "valid"}
    made = shelf(corpus, tmp_path / "shards", split)
    made.fill()
    made.write_lists(tmp_path)
    for part, expected in {"train": ["b/D.java"], "test": ["a/A.java"]}.items():
        paths = [source.path for source in read_sources([f"@{tmp_path / part}.txt"])]
        assert paths == [str(corpus / name) for name in expected]


def test_a_list_stands_for_its_paths_and_its_folders_are_projects(
    corpus: Path, tmp_path: Path
) -> None:
    write_list(tmp_path / "all.txt", corpus, [*FILES, FILES[0]])
    root = f"@{tmp_path / 'all.txt'}"
    paths = [source.path for source in read_sources([root])]
    assert paths == [str(corpus / name) for name in FILES], "each file once"
    assert [project_of(path, [root]) for path in paths] == ["a", "a", "b", "b", "c"]
    assert project_of(str(corpus / "z/Z.java"), [root]) == "", "not of the list"


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "cannot be read"), ("gone.java\n", "gone.java: no such file"), ("@gone\n", "a list")],
)
def test_a_list_that_cannot_be_followed_is_told_in_one_line(
    content: str | None, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "list.txt"
    if content is not None:
        file.write_text(content, "utf-8")
    assert main(["duplicates", "find", f"@{file}"]) == 2
    said = capsys.readouterr().err
    assert told in said and said.count("\n") == 1


@pytest.mark.parametrize("shares", ["80:10", "80:10:20", "100:0:0", "a:b:c"])
def test_shares_are_three_per_cents(shares: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["models", "train", "--model", "code2vec", "--corpus", "c", "--out", "o"]
    assert main([*words, "--shares", shares]) == 2
    assert shares in capsys.readouterr().err


def test_a_model_is_trained_on_files_and_measured_by_its_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    from metamorph.training import prepare

    monkeypatch.setattr(prepare, "CODE2VEC_LIMITS", prepare.Limits(1, 1, 1, 99, 99, 99, 1))
    for number in range(12):
        file = tmp_path / "corpus" / f"p{number % 3}" / f"F{number}.java"
        file.parent.mkdir(parents=True, exist_ok=True)
        words = COMMON if number < 8 else COMMON.upper()
        file.write_text(java(f"F{number}", words), "utf-8")
    out = tmp_path / "out"
    asked = ["models", "train", "--model", "code2vec", "--corpus", str(tmp_path / "corpus")]
    more = ["--split-by", "file", "--shares", "50:10:40", "--duplicates", "keep", "--epochs", "2"]
    assert main([*asked, "--out", str(out), "--most-methods", "0", *more]) == 0
    card = (out / "code2vec.md").read_text("utf-8")
    assert "Single files are held out. Copies are kept." in card
    assert "--split-by file --shares 50:10:40" in card and "--duplicates keep" in card
    capsys.readouterr()
    model = f"code2vec:{out / 'code2vec.safetensors'}"
    lists = [f"@{out / 'test.txt'}", "--train-corpus", f"@{out / 'train.txt'}"]
    assert main(["evaluate", *lists, "--model", model, "--format", "csv"]) == 0
    assert "cross-set biased" in capsys.readouterr().out


def test_what_is_copied_from_a_list_lies_as_below_the_folder_that_its_paths_share(
    corpus: Path, tmp_path: Path
) -> None:
    write_list(tmp_path / "some.txt", corpus, ["a/A.java", "b/D.java", "b/sub/C.java"])
    root = f"@{tmp_path / 'some.txt'}"
    out = tmp_path / "kept"
    assert main(["duplicates", "dedup", root, "--write", "tree", "--out", str(out)]) == 0
    kept = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.java"))
    assert kept == ["a/A.java", "b/D.java"]
    suite = ["suite", "build", root, "--transform", "LX,VN,TC", "--out", str(tmp_path / "suite")]
    assert main(suite) == 0
    files = (tmp_path / "suite" / "sources").rglob("*.java")
    names = sorted(path.relative_to(tmp_path / "suite" / "sources").as_posix() for path in files)
    assert names == ["a/A.java", "b/D.java", "b/sub/C.java"]
