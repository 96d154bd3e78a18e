"""A Hugging Face checkpoint on disk or on the hub: found, told apart, loaded, checked."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metamorph.errors import UserError
from metamorph.models.options import Options
from metamorph.models.weights import hash_of

CAUSAL, SEQ2SEQ, CLASSIFIER, MASK = "causal", "seq2seq", "classifier", "mask"

_LOADERS = {
    CAUSAL: "AutoModelForCausalLM",
    SEQ2SEQ: "AutoModelForSeq2SeqLM",
    CLASSIFIER: "AutoModelForSequenceClassification",
    MASK: "AutoModelForMaskedLM",
}
_ENDINGS = {
    "ForSequenceClassification": CLASSIFIER,
    "ForConditionalGeneration": SEQ2SEQ,
    "ForMaskedLM": MASK,
    "ForCausalLM": CAUSAL,
    "LMHeadModel": CAUSAL,
}
_TASKS = {CLASSIFIER: "label", MASK: "method-name"}
_READ = frozenset({".bin", ".jinja", ".json", ".model", ".safetensors", ".txt"})
_UNLIMITED = 10**6


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model with its tokenizer, both torch's and transformers' own objects.

    kind: one of the four ways to answer; identity: what tells it from others; limit: the most
    tokens that it can read and write together, a seq2seq one that it can read, None if unlimited.
    """

    name: str
    model: Any
    tokenizer: Any
    kind: str
    identity: dict[str, str]
    limit: int | None


def open_checkpoint(rest: str, options: Options) -> Checkpoint:
    """Load a checkpoint on the device, in single precision; raises UserError.

    A folder is read without any network. No code that comes with a checkpoint is run.
    """
    import transformers

    folder = Path(rest).expanduser()
    local = folder.is_dir()
    if not local and (rest.startswith((".", "/", "~")) or rest.count("/") > 1):
        raise UserError(f"model hf:{rest}: no such folder; give a folder or a name of the hub")
    name, _, revision = (str(folder), "", "") if local else rest.partition("@")
    asked: dict[str, Any] = {"local_files_only": local, "trust_remote_code": False}
    if revision:
        asked["revision"] = revision
    try:
        config = transformers.AutoConfig.from_pretrained(name, **asked)
        kind = _kind(rest, config, options)
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **asked)
        loader = getattr(transformers, _LOADERS[kind])
        model, found = loader.from_pretrained(
            name, config=config, output_loading_info=True, **asked
        )
    except UserError:
        raise
    except Exception as error:
        way_out = "give a folder that save_pretrained wrote"
        if not local:
            way_out += ", or check the name and whether the hub can be reached"
        raise UserError(f"model hf:{rest}: cannot be loaded ({_line(error)}); {way_out}") from error
    _check_weights(rest, kind, found)
    identity = {"sha256": _sha256(folder)} if local else {"revision": _revision(config)}
    limit = _limit(model, tokenizer, options)
    return Checkpoint(rest, _placed(rest, model, options.device), tokenizer, kind, identity, limit)


def _kind(rest: str, config: Any, options: Options) -> str:
    """How the checkpoint answers, and whether that suits the task."""
    kind = str(options.extra.get("kind", "")) or _told_kind(config)
    if kind not in _LOADERS:
        known = "|".join(_LOADERS)
        told = f"unknown kind {kind!r}" if kind else f"architecture {config.architectures} tells no"
        raise UserError(f"model hf:{rest}: {told} way to answer; give --model-arg kind={known}")
    task = _TASKS.get(kind)
    if task and options.task.partition(":")[0] != task:
        raise UserError(f"model hf:{rest}: a {kind} model answers --task {task} only")
    return kind


def _told_kind(config: Any) -> str:
    for architecture in config.architectures or ():
        for ending, kind in _ENDINGS.items():
            if architecture.endswith(ending):
                return kind
    return ""


def _check_weights(rest: str, kind: str, found: Any) -> None:
    """A part without weights would be random, and so would the answers."""
    missing = sorted(found["missing_keys"])
    mismatched = sorted(str(key[0]) for key in found["mismatched_keys"])
    if missing or mismatched:
        names = [*missing, *mismatched]
        some = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
        raise UserError(
            f"model hf:{rest}: holds no trained {kind} model, weights are missing ({some}); "
            "give a checkpoint that was trained for this, or another --model-arg kind"
        )


def _placed(rest: str, model: Any, device: str) -> Any:
    import torch

    try:
        return model.to(device=torch.device(device), dtype=torch.float32).eval()
    except Exception as error:
        raise UserError(f"model hf:{rest}: device {device!r}: {_line(error)}") from error


def _limit(model: Any, tokenizer: Any, options: Options) -> int | None:
    """The fewest of: positions that the model knows, tokens that its tokenizer names, the user's.

    RoBERTa and its kin count positions from the padding's number on, so fewer are of use.
    """
    limits = []
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        limits.append(positions - _first_position(model))
    if 0 < tokenizer.model_max_length < _UNLIMITED:
        limits.append(int(tokenizer.model_max_length))
    own = options.extra.get("max_length")
    if isinstance(own, int):
        limits.append(own)
    return min(limits, default=None)


def _first_position(model: Any) -> int:
    embeddings = getattr(model.base_model, "embeddings", None)
    padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
    return 0 if padding is None else int(padding) + 1


def _revision(config: Any) -> str:
    return str(getattr(config, "_commit_hash", None) or "unknown")


def _sha256(folder: Path) -> str:
    """The hash of the names and hashes of all files that a checkpoint is made of."""
    files = sorted(p for p in folder.iterdir() if p.suffix in _READ and p.is_file())
    told = "".join(f"{path.name} {hash_of(path)}\n" for path in files)
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def _line(error: Exception) -> str:
    first = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}"[:300]
