"""Hugging Face checkpoints that are broken, wrongly asked for, or without what they need."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from metamorph.cli import main
from metamorph.errors import UserError
from metamorph.models import load

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from test_hugging_face import (  # noqa: E402
    EXAMPLES,
    KINDS,
    TEXT,
    asked,
    long_method,
    opened,
)
from tiny_transformers import write_checkpoint  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of each kind, by the kind's name."""
    made = tmp_path_factory.mktemp("checkpoints")
    for kind in KINDS:
        write_checkpoint(made / kind, kind, TEXT)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_are_no_numbers_give_no_answer(tmp_path: Path, kind: str) -> None:
    made = write_checkpoint(tmp_path / kind, kind, TEXT)
    model = opened(made)
    damage(model.reader.checkpoint.model)  # type: ignore[attr-defined]
    answers = model.predict(EXAMPLES)
    assert {(answer.label, answer.error) for answer in answers} == {(None, "not-a-number")}


def damage(model: "torch.nn.Module") -> None:
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(float("nan"))


def test_one_failing_batch_leaves_the_others_their_answers(folder: Path) -> None:
    model = opened(folder / "classifier", batch=1)
    long = replace(model.reader, limit=None)  # type: ignore[type-var]
    examples = [EXAMPLES[0], replace(long_method(""), id="long")]
    answers = asked(replace(model, reader=long), examples)
    assert answers["long"].error.startswith("model-raised-")
    assert answers[EXAMPLES[0].id].label is not None


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[object]]:
    """Every attempt to open a connection fails and is noted."""
    import socket

    tried: list[object] = []

    def refuse(self: socket.socket, address: object) -> None:
        tried.append(address)
        raise OSError("no network in this test")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    return lambda: tried


def test_a_folder_is_read_without_any_network(
    folder: Path, no_network: Callable[[], list[object]]
) -> None:
    assert opened(folder / "causal").predict(EXAMPLES[:1])[0].label
    assert no_network() == []


def edited(folder: Path, copy: Path, file: str, **changes: object) -> Path:
    """A copy of a checkpoint with other settings in one of its JSON files."""
    shutil.copytree(folder, copy)
    told = json.loads((copy / file).read_text())
    (copy / file).write_text(json.dumps(told | changes))
    return copy


@pytest.mark.parametrize(
    ("kind", "options", "fault"),
    [
        ("causal", {"temperature": 0.5}, "answers greedily; leave --temperature at 0"),
        ("causal", {"extra": {"top_p": 1}}, "unknown argument 'top_p'; it takes kind"),
        ("causal", {"extra": {"max_length": "many"}}, "max_length=many makes no sense"),
        ("causal", {"extra": {"threads": -1}}, "threads=-1 makes no sense"),
        ("causal", {"extra": {"threads": True}}, "threads=True makes no sense"),
        ("causal", {"extra": {"kind": "oracle"}}, "unknown kind 'oracle' .* kind=causal"),
        ("causal", {"max_tokens": 512}, "leave no room in the 512 .* lower --max-tokens"),
        ("causal", {"device": "abacus"}, "device 'abacus'"),
        ("causal", {"extra": {"kind": "mask"}, "task": "method-name"}, "cannot be loaded"),
        ("classifier", {"task": "method-name"}, "answers --task label only"),
        ("classifier", {"extra": {"kind": "mask"}, "task": "method-name"}, "lm_head"),
        ("mask", {"task": "label"}, "answers --task method-name only"),
        ("mask", {"prompt": "prompt"}, "takes no --prompt"),
        ("mask", {"extra": {"kind": "classifier"}, "task": "label"}, "weights are missing .class"),
    ],
)
def test_what_a_checkpoint_cannot_do_is_told_in_one_line(
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    options: dict[str, object],
    fault: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prompt").write_text("{code}")
    with pytest.raises(UserError, match=fault) as told:
        opened(folder / kind, **options)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["", "./nowhere", "~/nowhere/at/all", "a/b/c"])
def test_a_folder_that_is_not_there_is_no_name_of_the_hub(
    name: str, no_network: Callable[[], list[object]]
) -> None:
    with pytest.raises(UserError, match=r"no such folder|names no checkpoint"):
        load(f"hf:{name}")
    assert no_network() == []


def test_damaged_files_are_told_in_one_line(folder: Path, tmp_path: Path) -> None:
    for number, (file, damage_) in enumerate(
        {
            "model.safetensors": lambda data: data[: len(data) // 2],
            "config.json": lambda data: b"{",
            "tokenizer.json": lambda data: data[:100],
        }.items()
    ):
        copy = tmp_path / str(number)
        shutil.copytree(folder / "causal", copy)
        (copy / file).write_bytes(damage_((copy / file).read_bytes()))
        with pytest.raises(UserError, match="cannot be loaded") as told:
            opened(copy)
        assert "\n" not in str(told.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="cannot be loaded"):
        opened(tmp_path / "empty")


def test_code_that_comes_with_a_checkpoint_is_not_run(folder: Path, tmp_path: Path) -> None:
    own = {"AutoConfig": "own.Config", "AutoModelForCausalLM": "own.Model"}
    told = {"model_type": "own", "auto_map": own, "architectures": ["OwnForCausalLM"]}
    copy = edited(folder / "causal", tmp_path / "copy", "config.json", **told)
    (copy / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(UserError, match="cannot be loaded"):
        opened(copy)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"problem_type": "regression"},
        {"problem_type": "multi_label_classification"},
        {"problem_type": None, "id2label": {"0": "score"}, "label2id": {"score": 0}},
    ],
)
def test_only_a_choice_of_one_class_is_a_label(tmp_path: Path, change: dict[str, object]) -> None:
    labels = 1 if "id2label" in change else 3
    made = write_checkpoint(tmp_path / "classifier", "classifier", TEXT, num_labels=labels)
    copy = edited(made, tmp_path / "copy", "config.json", **change)
    with pytest.raises(UserError, match="does not choose one of several classes"):
        opened(copy, task="label")


def test_an_architecture_without_a_head_asks_for_its_kind(folder: Path, tmp_path: Path) -> None:
    bare = edited(folder / "mask", tmp_path / "copy", "config.json", architectures=["RobertaModel"])
    with pytest.raises(UserError, match="tells no way to answer; give --model-arg kind="):
        opened(bare, task="method-name")
    assert asked(opened(bare, task="method-name", extra={"kind": "mask"}), EXAMPLES) == asked(
        opened(folder / "mask"), EXAMPLES
    )


def test_the_identity_is_that_of_the_files_wherever_they_lie(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "mask", tmp_path / "copy")
    (tmp_path / "copy" / "README.md").write_text("Words change nothing.")
    first, copy = opened(folder / "mask"), opened(tmp_path / "copy", task="method-name")
    assert first.identity == copy.identity
    other = edited(folder / "mask", tmp_path / "other", "config.json", layer_norm_eps=0.5)
    assert opened(other, task="method-name").identity != first.identity


def test_without_torch_the_pip_line_is_told() -> None:
    script = (
        "import sys; sys.modules['torch'] = None; from metamorph.cli import main;"
        "sys.exit(main(['run', '--model', 'hf:anything', '--transform', 'VN']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "metamorph: error: model hf:anything: needs torch and transformers, which are not "
        "installed; pip install 'metamorph-java[hf]'"
    ]


def test_a_run_asks_a_checkpoint(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    asked_for = ["--model", f"hf:{folder / 'mask'}", "--transform", "VN", "--limit", "3"]
    (tmp_path / "A.java").write_text(TEXT)
    assert main(["run", str(tmp_path / "A.java"), "--out", str(run), *asked_for]) == 0
    assert main(["report", str(run), "--format", "json"]) == 0
    told = capsys.readouterr().out
    report = json.loads(told[told.index("{") :])
    assert report["accounting"]["answered"] == report["accounting"]["variants"] > 0
    assert report["accounting"]["no_answer"] == 0
