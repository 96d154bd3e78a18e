"""The files of code2seq's official checkpoints: importing, faults told in a line."""

import os
import pickle
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import checkpoints
import numpy as np
import numpy.typing as npt
import pytest
from test_official_code2seq import RELEASED, STACKED, official

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.models import load
from metamorph.models.tensor_bundle import read_bundle

(NAME,) = (path.stem for path in RELEASED.glob("*.index"))
(STACKED_NAME,) = (path.stem for path in STACKED.glob("*.index"))
DENSE = "model/dense/kernel"
LAYER = "model/decoder/attention_wrapper/multi_rnn_cell/cell_{}/lstm_cell/kernel"


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """The prefix of a copy that a test may damage."""
    folder = tmp_path / "released"
    folder.mkdir()
    for path in RELEASED.glob(f"{NAME}.*"):
        shutil.copy(path, folder)
    return folder / NAME


def beside(prefix: Path, suffix: str) -> Path:
    return prefix.with_name(prefix.name + suffix)


def tables(prefix: Path) -> dict[str, npt.NDArray[Any]]:
    bundle = read_bundle(prefix)
    return {name: np.array(bundle.tensor(name)) for name in bundle.names()}


def dictionaries(prefix: Path) -> list[Any]:
    with beside(prefix, ".dict").open("rb") as file:
        return [pickle.load(file) for _ in range(11)]


def write_dictionaries(prefix: Path, found: Sequence[Any]) -> None:
    beside(prefix, ".dict").write_bytes(b"".join(map(pickle.dumps, found)))


@pytest.mark.parametrize("suffix", ["", ".index", ".dict", ".data-00000-of-00001"])
def test_any_of_its_files_stands_for_a_checkpoint(released: Path, suffix: str) -> None:
    identity = official(f"{released}{suffix}").identity
    assert identity == official(released.parent).identity == official(RELEASED).identity


@pytest.mark.parametrize(
    ("suffix", "fault"),
    [
        (".index", r"\.index: cannot be read"),
        (".data-00000-of-00001", r"of-00001: this shard of the checkpoint is missing"),
        (".dict", r"\.dict: cannot be read"),
    ],
)
def test_a_missing_file_is_named(released: Path, suffix: str, fault: str) -> None:
    beside(released, suffix).unlink()
    with pytest.raises(UserError, match=fault):
        official(released)


@pytest.mark.parametrize("length", [0, 10, 100, -1])
def test_an_index_that_was_cut_off_is_refused(released: Path, length: int) -> None:
    index = beside(released, ".index")
    index.write_bytes(index.read_bytes()[:length])
    with pytest.raises(UserError, match="not a whole index of a TensorFlow checkpoint"):
        official(released)


@pytest.mark.parametrize("whole", [RELEASED / NAME, STACKED / STACKED_NAME])
def test_each_missing_tensor_is_named(tmp_path: Path, whole: Path) -> None:
    prefix, all_tables = tmp_path / "some", tables(whole)
    for name in all_tables:
        some = {key: table for key, table in all_tables.items() if key != name}
        checkpoints.write_bundle(prefix, some)
        with pytest.raises(UserError, match=f"no tensor {name} "):
            official(prefix)


def test_each_tensor_that_does_not_fit_the_others_is_refused(released: Path) -> None:
    whole = tables(released)
    for name, table in whole.items():
        checkpoints.write_bundle(released, {**whole, name: table[..., :-1]})
        with pytest.raises(UserError, match="has shape"):
            official(released)


def test_a_second_layer_is_used_and_not_passed_over(tmp_path: Path) -> None:
    for path in STACKED.iterdir():
        shutil.copy(path, tmp_path)
    prefix = tmp_path / STACKED_NAME
    whole = tables(prefix)
    whole[LAYER.format(1)] *= 2
    checkpoints.write_bundle(prefix, whole)
    contexts = [[("a", "Nm0|Eq|Nm2", "b")]]
    assert official(prefix).names(contexts) != official(STACKED).names(contexts)


@pytest.mark.parametrize(
    ("place", "kind", "table"),
    [(0, "subtoken", "SUBTOKENS"), (3, "target", "TARGET_WORDS"), (6, "node", "NODES")],
)
def test_a_vocabulary_of_another_size_than_its_table_is_refused(
    released: Path, place: int, kind: str, table: str
) -> None:
    found = dictionaries(released)
    rows = len(tables(released)[f"model/{table}_VOCAB"])
    assert len(found[place]) == rows
    found[place]["zyzzyva"] = rows
    found[place + 2] += 1
    write_dictionaries(released, found)
    with pytest.raises(UserError, match=rf"{rows + 1} {kind}s, but .* table has {rows} rows"):
        official(released)


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        (0, ["<PAD>"], "no subtoken dictionary"),
        (0, {"<PAD>": 0, "<UNK>": 1}, "not as many words as it says"),
        (2, None, "not as many words as it says"),
        (5, 3, "no target dictionary"),
        (6, {"<PAD>": 0, "<UNK>": 1, "Nm": 1, "Cal": 3}, "not numbered from 0 on"),
        (6, {"<UNK>": 0, "<PAD>": 1, "Nm": 2, "Cal": 3}, "does not begin with <PAD>, <UNK>"),
        (6, {"<PAD>": 0, "<UNK>": 1, "Nm\n": 2, "Cal": 3}, "is no word"),
        (6, {"<PAD>": 0, "<UNK>": 1, 7: 2, "Cal": 3}, "is no word"),
        (6, {"<PAD>": 0, "<UNK>": 1, "Nm": None, "Cal": 3}, "not numbered from 0 on"),
    ],
)
def test_dictionaries_that_are_not_what_they_should_be_are_refused(
    released: Path, place: int, value: object, fault: str
) -> None:
    found = dictionaries(released)
    found[place] = value
    if place == 6:
        found[8] = 4
    write_dictionaries(released, found)
    with pytest.raises(UserError, match=fault):
        official(released)


class Caller:
    """What a hostile pickle holds."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.system, ("exit 3",)


def test_a_pickle_that_wants_to_call_is_refused(released: Path) -> None:
    found = dictionaries(released)
    found[0] = Caller()
    write_dictionaries(released, found)
    with pytest.raises(UserError, match=r"wants (posix|nt)\.system"):
        official(released)


def test_weights_that_are_no_numbers_are_refused(released: Path) -> None:
    some = tables(released)
    some[DENSE][1, 1] = np.nan
    checkpoints.write_bundle(released, some)
    with pytest.raises(UserError, match=r"model/dense/kernel holds NaN or infinite"):
        official(released)


def test_weights_of_another_precision_are_refused(released: Path) -> None:
    some = tables(released)
    some[DENSE] = some[DENSE].astype(np.float64)
    checkpoints.write_bundle(released, some)
    with pytest.raises(UserError, match="float64, not float32"):
        official(released)


def test_damaged_bytes_are_found_when_importing(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shard = beside(released, ".data-00000-of-00001")
    data = bytearray(shard.read_bytes())
    data[100] ^= 1
    shard.write_bytes(data)
    assert main(["models", "import", f"code2seq:{released}"]) == 2
    assert "is damaged: wrong checksum" in capsys.readouterr().err


def test_importing_tells_what_the_checkpoint_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["models", "import", f"code2seq:{RELEASED}"]) == 0
    told = capsys.readouterr().out
    whole = tables(RELEASED / NAME)
    numbers = sum(table.size for table in whole.values())
    counts = [len(whole[f"model/{kind}_VOCAB"]) for kind in ("SUBTOKENS", "NODES", "TARGET_WORDS")]
    for fact in (*map(str, counts), f"{numbers:,}", official(RELEASED).identity["sha256"]):
        assert fact in told
    imported = tmp_path / f"{NAME}.safetensors"
    assert official(imported).identity["kind"] == "code2seq"
    with pytest.raises(UserError, match="holds a code2seq model, not code2vec"):
        load(f"code2vec:{imported}")


def test_an_imported_file_that_lacks_a_part_or_was_cut_off_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "imported.safetensors"
    assert main(["models", "import", f"code2seq:{RELEASED}", "--out", str(out)]) == 0
    whole = out.read_bytes()
    for length in (0, 7, 20, len(whole) // 2, len(whole) - 1):
        out.write_bytes(whole[:length])
        with pytest.raises(UserError, match=r"imported\.safetensors: "):
            official(out)
    out.write_bytes(whole.replace(b'"memory"', b'"memery"'))
    with pytest.raises(UserError, match="not a whole imported checkpoint: lacks memory"):
        official(out)
