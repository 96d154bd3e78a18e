"""From trained networks to the files that ship, and their scores as they ship."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch

from metamorph.models.contexts import Context
from metamorph.models.protocol import Prediction
from metamorph.models.weights import packed, quantised
from metamorph.training.code2seq import Code2Seq
from metamorph.training.code2vec import Code2Vec
from metamorph.training.prepare import Code2VecData
from metamorph.training.scores import Scores, score
from metamorph.training.shards import Shard

Tensors = dict[str, npt.NDArray[Any]]
_BATCH = 64


class Answering(Protocol):
    """A shipped model, asked with contexts instead of trees."""

    def answer(self, ids: Sequence[str], bags: Sequence[Sequence[Context]]) -> list[Prediction]:
        """One prediction a bag."""
        ...


def code2vec_tensors(network: Code2Vec, data: Code2VecData) -> Tensors:
    """What `metamorph.models.code2vec` reads; names come with their subtokens' rows added."""
    with torch.no_grad():
        names = network.name_vectors().numpy()
    tensors: Tensors = {
        **quantised("tokens", network.tokens.weight.numpy()),
        **quantised("words", _numbers(network.dense["words"])),
        **quantised("paths", network.paths.weight.numpy()),
        **quantised("names", names),
        "token_list": packed(data.vocabulary),
        "word_list": packed(list(data.words)),
        "word_counts": np.array(list(data.words.values()), dtype=np.int32),
        "path_hashes": np.array([int(path) for path in data.paths], dtype=np.int32),
        "name_list": packed(data.names.names),
    }
    for name in ("left", "path", "right", "attention"):
        tensors[name] = _numbers(network.dense[name]).astype(np.float16)
    return tensors


def code2seq_tensors(network: Code2Seq) -> Tensors:
    """What `metamorph.models.code2seq` reads."""
    words = network.words
    tensors: Tensors = {
        **quantised("subtokens", _numbers(network.dense["subtokens"])),
        **quantised("targets", _numbers(network.dense["targets"])),
        **quantised("output", _numbers(network.dense["output"]).T),
        "subtoken_list": packed(words.subtokens),
        "node_list": packed(words.nodes),
        "target_list": packed(words.targets),
    }
    for name, weights in network.dense.items():
        if name not in tensors:
            tensors[name] = _numbers(weights).astype(np.float16)
    return tensors


def facts_about(network: Code2Vec | Code2Seq, contexts: int) -> dict[str, Any]:
    """What the model needs to know beside its tensors, and its sizes for the curious."""
    kind = "code2vec" if isinstance(network, Code2Vec) else "code2seq"
    return {"kind": kind, "format": 1, "contexts": contexts, "sizes": asdict(network.sizes)}


def evaluate(model: Answering, shards: Iterable[Shard]) -> Scores:
    """Scores over every method of the shards; one without an answer misses its whole name."""
    return score(pair for shard in shards for pair in _answers(model, shard))


def _answers(model: Answering, shard: Shard) -> list[tuple[str, str | None]]:
    pairs: list[tuple[str, str | None]] = []
    for start in range(0, len(shard), _BATCH):
        chosen = range(start, min(start + _BATCH, len(shard)))
        bags = [_bag(shard, index) for index in chosen]
        answers = model.answer([str(index) for index in chosen], bags)
        pairs += [
            (shard.labels[index], answer.label)
            for index, answer in zip(chosen, answers, strict=True)
        ]
    return pairs


def _bag(shard: Shard, index: int) -> list[Context]:
    rows = shard.contexts[shard.offsets[index] : shard.offsets[index + 1]].tolist()
    tokens, paths = shard.tokens, shard.paths
    return [(tokens[left], paths[path], tokens[right]) for left, path, right in rows]


def _numbers(tensor: torch.Tensor) -> npt.NDArray[np.float32]:
    numbers: npt.NDArray[np.float32] = tensor.detach().numpy()
    return numbers
