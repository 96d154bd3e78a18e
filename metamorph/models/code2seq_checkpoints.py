"""code2seq's official checkpoints on disk: as released, and as imported into one file."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.errors import UserError
from metamorph.models.checkpoints import FORMAT, find_checkpoint, is_checkpoint
from metamorph.models.official_network import CONTEXTS, SUBTOKEN_SPECIALS, TARGET_SPECIALS
from metamorph.models.plain_pickles import read_pickles
from metamorph.models.tensor_bundle import Bundle, index_of, read_bundle
from metamorph.models.tensor_files import halved, map_tensors, write_tensors
from metamorph.models.weights import Weights, hash_of, packed, read_facts

_KIND = "code2seq"
_LARGE = ("subtokens", "targets", "nodes", "output")
_KEPT = {
    "subtokens": "model/SUBTOKENS_VOCAB",
    "targets": "model/TARGET_WORDS_VOCAB",
    "nodes": "model/NODES_VOCAB",
    "memory": "model/memory_layer/kernel",
    "attention": "model/decoder/attention_wrapper/attention_layer/kernel",
    "output": "model/decoder/dense/kernel",
}
_CONTEXT = "model/dense"
_LAYER = "model/decoder/attention_wrapper/multi_rnn_cell/cell_{}/lstm_cell"
_TWO_WAYS = {
    "forward": "model/bidirectional_rnn/fw/lstm_cell",
    "backward": "model/bidirectional_rnn/bw/lstm_cell",
}
_ONE_WAY = {"forward": "model/rnn/lstm_cell"}
_MOST_LAYERS = 99
_Tensors = dict[str, npt.NDArray[Any]]
_Shapes = dict[str, tuple[int, ...]]


def dictionaries_of(prefix: Path) -> Path:
    """The vocabularies' file of a checkpoint."""
    return prefix.with_name(f"{prefix.name}.dict")


def read_official(rest: str) -> Weights:
    """The checkpoint that a user's words mean; UserError where it is faulty."""
    path = Path(rest)
    imported = path.is_file() and not is_checkpoint(rest)
    return read_imported(path) if imported else read_released(rest)


def read_released(rest: str, verify: bool = False) -> Weights:
    """The checkpoint of a folder or prefix, with its `.dict` beside it; its tensors stay on disk.

    Raises UserError where a file or tensor is missing, damaged or of a shape that does not fit
    the others; with `verify` each tensor's checksum is compared too.
    """
    prefix = find_checkpoint(rest)
    bundle = read_bundle(prefix)
    if verify:
        bundle.verify()
    layers = sum(_has(bundle, _LAYER.format(layer)) for layer in range(_MOST_LAYERS))
    path_lstms = _ONE_WAY if _has(bundle, _ONE_WAY["forward"]) else _TWO_WAYS
    expected = _shapes(bundle, layers, path_lstms)
    _check_shapes(bundle, expected)
    _check_numbers(bundle, expected)
    tensors = {name: bundle.tensor(official) for name, official in _KEPT.items()}
    tensors |= _cut_lstms(bundle, layers, path_lstms)
    tensors |= _cut_contexts(bundle)
    tensors |= _vocabularies(prefix, tensors)
    facts = {"kind": _KIND, "format": FORMAT, "contexts": CONTEXTS, "layers": layers}
    return Weights(prefix, _fingerprint(prefix), tensors, facts)


def read_imported(path: Path) -> Weights:
    """The checkpoint in a file that `write_imported` wrote; its tensors stay on disk too."""
    facts = read_facts(path)
    if facts.get("kind") != _KIND:
        raise UserError(f"{path}: holds a {facts.get('kind')} model, not {_KIND}")
    tensors = map_tensors(path)
    lacking = sorted(_names(facts) - tensors.keys())
    if lacking:
        raise UserError(f"{path}: not a whole imported checkpoint: lacks {', '.join(lacking)}")
    return Weights(path, hash_of(path), tensors, facts)


def write_imported(weights: Weights, path: Path, precision: str) -> None:
    """Write all of a checkpoint into one file, which is mapped into memory when it is used."""
    tensors = dict(weights.tensors)
    if precision == "float16":
        tensors |= {name: halved(tensors[name]) for name in _LARGE}
    write_tensors(
        path, tensors, {**weights.facts, "source": weights.sha256, "precision": precision}
    )


def sizes(weights: Weights) -> dict[str, int]:
    """The sizes of the vocabularies, special words included, and how many numbers were learned."""
    numbers = [array for array in weights.tensors.values() if array.dtype != np.uint8]
    return {
        "subtokens": len(weights.tensors["subtokens"]),
        "nodes": len(weights.tensors["nodes"]),
        "words of names": len(weights.tensors["targets"]),
        "parameters": sum(array.size for array in numbers),
    }


def _has(bundle: Bundle, lstm: str) -> bool:
    return any(f"{lstm}/{part}" in bundle.entries for part in ("kernel", "bias"))


def _names(facts: Mapping[str, Any]) -> set[str]:
    """The tensors that a network needs at least."""
    lstms = ["forward", *(f"decoder{layer}" for layer in range(facts.get("layers", 1)))]
    parts = {f"{lstm}_{part}" for lstm in lstms for part in ("input", "hidden", "bias")}
    lists = {"subtoken_list", "target_list", "node_list"}
    return {*_KEPT, "left", "path", "right", *lists} | parts


def _shapes(bundle: Bundle, layers: int, path_lstms: Mapping[str, str]) -> _Shapes:
    """All tensors that are needed, with the shapes that follow from the sizes of a few."""
    embedding = _size(bundle, _KEPT["nodes"], -1)
    decoder = _size(bundle, f"{_CONTEXT}/kernel", -1)
    states = [_size(bundle, f"{lstm}/bias", 0) // 4 for lstm in path_lstms.values()]
    rows = {name: _size(bundle, _KEPT[name], 0) for name in ("subtokens", "targets", "nodes")}
    expected: _Shapes = {_KEPT[name]: (count, embedding) for name, count in rows.items()}
    expected[_KEPT["memory"]] = (decoder, decoder)
    expected[_KEPT["attention"]] = (2 * decoder, decoder)
    expected[_KEPT["output"]] = (decoder, rows["targets"])
    expected[f"{_CONTEXT}/kernel"] = (2 * embedding + sum(states), decoder)
    for lstm, state in zip(path_lstms.values(), states, strict=True):
        expected |= _lstm_shapes(lstm, embedding, state)
    for layer in range(max(layers, 1)):
        given = decoder if layer else embedding + decoder
        expected |= _lstm_shapes(_LAYER.format(layer), given, decoder)
    return expected


def _check_shapes(bundle: Bundle, expected: _Shapes) -> None:
    for name, shape in expected.items():
        if bundle.shape(name) != shape:
            told = f"{bundle.prefix}: tensor {name} has shape {bundle.shape(name)}"
            raise UserError(f"{told}, the others ask for {shape}")


def _size(bundle: Bundle, name: str, axis: int) -> int:
    shape = bundle.shape(name)
    if not shape:
        raise UserError(f"{bundle.prefix}: tensor {name} is a single number")
    return shape[axis]


def _lstm_shapes(lstm: str, given: int, state: int) -> _Shapes:
    return {f"{lstm}/kernel": (given + state, 4 * state), f"{lstm}/bias": (4 * state,)}


def _cut_lstms(bundle: Bundle, layers: int, path_lstms: Mapping[str, str]) -> _Tensors:
    """Each LSTM's kernel cut into the part for its input and that for its hidden state."""
    lstms = {**path_lstms, **{f"decoder{layer}": _LAYER.format(layer) for layer in range(layers)}}
    found: _Tensors = {}
    for name, official in lstms.items():
        kernel, bias = bundle.tensor(f"{official}/kernel"), bundle.tensor(f"{official}/bias")
        given = len(kernel) - len(bias) // 4
        found |= {f"{name}_input": kernel[:given], f"{name}_hidden": kernel[given:]}
        found[f"{name}_bias"] = bias
    return found


def _cut_contexts(bundle: Bundle) -> _Tensors:
    """The layer over a context cut into its parts for the left token, the path, the right."""
    kernel, embedding = bundle.tensor(f"{_CONTEXT}/kernel"), bundle.shape(_KEPT["nodes"])[1]
    left, path, right = np.split(kernel, [embedding, len(kernel) - embedding])
    return {"left": left, "path": path, "right": right}


def _check_numbers(bundle: Bundle, names: Iterable[str]) -> None:
    for name in names:
        array = bundle.tensor(name)
        if array.dtype != np.float32:
            raise UserError(f"{bundle.prefix}: tensor {name} is {array.dtype}, not float32")
        if not np.isfinite(array).all():
            raise UserError(f"{bundle.prefix}: tensor {name} holds NaN or infinite numbers")


def _vocabularies(prefix: Path, tensors: _Tensors) -> _Tensors:
    """The three lists of words, without the special ones, in the order of the tables' rows."""
    path = dictionaries_of(prefix)
    pickles = read_pickles(path, 9)
    wanted = (
        ("subtoken", "subtokens", SUBTOKEN_SPECIALS),
        ("target", "targets", TARGET_SPECIALS),
        ("node", "nodes", SUBTOKEN_SPECIALS),
    )
    found: _Tensors = {}
    for kind, table, specials in wanted:
        to_index, _, size = islice(pickles, 3)
        rows = len(tensors[table])
        try:
            words = list(_in_order(to_index, size, specials))
        except ValueError as error:
            raise UserError(f"{path}: no {kind} dictionary of code2seq: {error}") from None
        if len(words) + len(specials) != rows:
            told = f"{path}: {len(words) + len(specials)} {kind}s"
            raise UserError(f"{told}, but the checkpoint's table has {rows} rows")
        found[f"{kind}_list"] = packed(words)
    return found


def _in_order(to_index: object, size: object, specials: Sequence[str]) -> Iterator[str]:
    """The words after the special ones by index; ValueError where that is no numbering."""
    if not isinstance(to_index, dict) or len(to_index) != size:
        raise ValueError("not as many words as it says")
    if not all(type(index) is int for index in to_index.values()):
        raise ValueError("its words are not numbered from 0 on")
    words = sorted(to_index, key=to_index.__getitem__)
    if [to_index[word] for word in words] != list(range(len(words))):
        raise ValueError("its words are not numbered from 0 on")
    if words[: len(specials)] != list(specials):
        raise ValueError(f"it does not begin with {', '.join(specials)}")
    for word in words[len(specials) :]:
        if not isinstance(word, str) or "\n" in word:
            raise ValueError(f"{word!r} is no word")
        yield word


def _fingerprint(prefix: Path) -> str:
    """SHA-256 of the index, which holds the tensors' checksums, and of the vocabularies."""
    digest = hashlib.sha256(index_of(prefix).read_bytes())
    digest.update(dictionaries_of(prefix).read_bytes())
    return digest.hexdigest()
