"""Small language models made by hand, for tests."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from metamorph.models.nlm import NeuralLanguageModel
from metamorph.models.spelling import table_of
from metamorph.models.weights import packed, quantised, read_weights, write_weights


def write_model(
    path: Path,
    words: Sequence[str],
    bias: Sequence[float] | None = None,
    *,
    context: int = 2,
    size: int = 3,
    names: Sequence[bytes] = (),
    seed: int = 0,
) -> Path:
    """Weights that know these words; with `bias`, of the unknown token first, nothing but that
    counts, so that the chances are the same wherever a token stands."""
    rng = np.random.default_rng(seed)
    known = len(words) + 1
    spread = 0.0 if bias is not None else 1.0
    outputs = rng.normal(size=(known, size)).astype(np.float32) * np.float32(spread)
    tensors = {
        **quantised("inputs", rng.normal(size=(known + 1, size)).astype(np.float32)),
        **quantised("outputs", outputs),
        "hidden": rng.normal(size=(context * size, size)).astype(np.float16),
        "bias": np.array(bias if bias is not None else rng.normal(size=known), np.float16),
        "letters": table_of(names),
        "token_list": packed(list(words)),
    }
    facts = {"kind": "nlm", "format": 1, "context": context, "scores": {}}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_weights(path, tensors, facts)
    return path


def model_in(path: Path) -> NeuralLanguageModel:
    """The model of a weights file."""
    return NeuralLanguageModel(read_weights("nlm", str(path)), f"nlm:{path}")
