"""The files of code2vec's official checkpoints: finding, importing, faults told in a line."""

import json
from pathlib import Path

import checkpoints
import numpy as np
import pytest
from official import (
    FIXTURES,
    PREFIX,
    RELEASED,
    copied,
    dictionaries,
    official,
    recorded,
    tables,
    write_dictionaries,
)

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.models import load


@pytest.fixture
def released(tmp_path: Path) -> Path:
    return copied(tmp_path)


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    out = tmp_path / "imported.safetensors"
    assert main(["models", "import", f"code2vec:{PREFIX}", "--out", str(out)]) == 0
    return out


def test_a_folder_stands_for_its_only_checkpoint() -> None:
    assert official(RELEASED).identity == official(PREFIX).identity
    assert official(f"{PREFIX}.index").identity == official(PREFIX).identity


def test_of_several_checkpoints_the_folder_tells_the_latest(released: Path) -> None:
    other = tables(released)
    other["model/ATTENTION"] *= 2
    checkpoints.write_bundle(released.with_name("saved_model_iter9"), other)
    with pytest.raises(UserError, match=r"name one of saved_model\.release, saved_model_iter9"):
        official(released.parent)
    (released.parent / "checkpoint").write_text(
        'model_checkpoint_path: "models/java/saved_model_iter9"\n'
        'all_model_checkpoint_paths: "models/java/saved_model.release"\n'
    )
    assert official(released.parent).identity != official(released).identity


def test_a_folder_without_a_checkpoint_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no checkpoint in this folder"):
        official(tmp_path)


@pytest.mark.parametrize(
    ("suffix", "fault"),
    [
        (".index", r"saved_model\.release\.index: cannot be read"),
        (".data-00000-of-00001", r"of-00001: this shard of the checkpoint is missing"),
    ],
)
def test_a_missing_file_is_named(released: Path, suffix: str, fault: str) -> None:
    released.with_name(released.name + suffix).unlink()
    with pytest.raises(UserError, match=fault):
        official(released)


def test_missing_dictionaries_are_named(released: Path) -> None:
    (released.parent / "dictionaries.bin").unlink()
    with pytest.raises(UserError, match=r"dictionaries\.bin: missing"):
        official(released)


def test_a_missing_tensor_is_named(released: Path) -> None:
    some = tables(released)
    del some["model/TRANSFORM"]
    checkpoints.write_bundle(released, some)
    with pytest.raises(UserError, match="no tensor model/TRANSFORM"):
        official(released)


def test_tables_of_other_sizes_than_the_vocabulary_are_refused(released: Path) -> None:
    some = tables(released)
    some["model/PATHS_VOCAB"] = some["model/PATHS_VOCAB"][:-1]
    checkpoints.write_bundle(released, some)
    with pytest.raises(UserError, match="PATHS_VOCAB has 300 rows, its vocabulary 301 words"):
        official(released)


def test_tables_that_do_not_fit_each_other_are_refused(released: Path) -> None:
    some = tables(released)
    some["model/TRANSFORM"] = some["model/TRANSFORM"][:-1]
    checkpoints.write_bundle(released, some)
    with pytest.raises(UserError, match="TRANSFORM is 15x16, not 16x16"):
        official(released)


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        (0, [], "holds a list in place of a dict"),
        (2, 149, "dictionaries of tokens contradict each other"),
        (3, {f"n{row}": row for row in range(2, 22)}, "contradict"),
        (7, {row + 1: f"{row}" for row in range(1, 301)}, "paths begin at row 2, not 1"),
        (7, dict.fromkeys(range(1, 301), 7), "dictionaries of paths contradict"),
    ],
)
def test_dictionaries_that_are_not_what_they_should_be_are_refused(
    released: Path, place: int, value: object, fault: str
) -> None:
    found = dictionaries(released)
    found[place] = value
    write_dictionaries(released, found)
    with pytest.raises(UserError, match=fault):
        official(released)


def test_numbers_that_are_none_give_no_answers_and_are_not_imported(
    released: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = tables(released)
    some["model/WORDS_VOCAB"][:] = np.nan
    checkpoints.write_bundle(released, some)
    example = recorded()[0][0]
    assert official(released).predict([example])[0].error == "not_finite"
    out = tmp_path / "out.safetensors"
    assert main(["models", "import", f"code2vec:{released}", "--out", str(out)]) == 2
    assert "WORDS_VOCAB holds NaN or infinite numbers" in capsys.readouterr().err
    assert not out.exists()


def test_damaged_bytes_are_found_when_importing(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shard = released.with_name(f"{released.name}.data-00000-of-00001")
    data = bytearray(shard.read_bytes())
    data[100] ^= 1
    shard.write_bytes(data)
    assert main(["models", "import", f"code2vec:{released}"]) == 2
    assert "is damaged: wrong checksum" in capsys.readouterr().err


def test_importing_tells_what_the_checkpoint_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["models", "import", f"code2vec:{RELEASED}"]) == 0
    told = capsys.readouterr().out
    size = (tmp_path / "saved_model.release.safetensors").stat().st_size
    for fact in (
        "150",
        "300",
        "20",
        "2,718",
        f"{size / 1e6:.1f} MB",
        official(PREFIX).identity["sha256"],
    ):
        assert fact in told


def test_a_checkpoint_is_shown_by_its_identity(
    imported: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rest in (RELEASED, imported):
        capsys.readouterr()
        assert main(["models", "show", f"code2vec:{rest}"]) == 0
        told = capsys.readouterr().out.splitlines()
        assert told[0] == str(rest)
        assert f"sha256 {official(rest).identity['sha256']}" in told


@pytest.mark.parametrize("name", ["code2vec", "nothing:x", "code2vec:"])
def test_what_cannot_be_imported_is_a_usage_error(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "import", name]) == 2
    assert "give code2vec:PATH" in capsys.readouterr().err


def test_an_imported_file_that_was_cut_off_is_refused(imported: Path) -> None:
    whole = imported.read_bytes()
    for length in (0, 7, 20, len(whole) // 2, len(whole) - 1):
        imported.write_bytes(whole[:length])
        with pytest.raises(UserError, match=r"imported\.safetensors: "):
            load(f"code2vec:{imported}")


def test_a_run_asks_an_official_checkpoint(tmp_path: Path) -> None:
    corpus = FIXTURES / "corpus" / "sample" / "math" / "Numbers.java"
    run = tmp_path / "run"
    command = ["run", str(corpus), "--model", f"code2vec:{RELEASED}", "--transform", "VN"]
    assert main([*command, "--out", str(run)]) == 0
    manifest = json.loads((run / "manifest.json").read_text())
    assert official(RELEASED).identity["sha256"] in json.dumps(manifest)
