"""Small networks of made-up numbers in the form of the models that ship, and methods to name."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from metamorph.models.weights import packed, quantised, write_weights

JAVA = b"""
class Basket {
    private java.util.List<String> items;

    int size() { return items.size(); }

    boolean isEmpty() { return size() == 0; }

    void addAll(java.util.Collection<String> others) {
        for (String other : others) {
            if (other != null && !items.contains(other)) {
                items.add(other);
            }
        }
    }

    void nothing() { }

    String join(char separator) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < items.size(); i++) {
            if (i > 0) text.append(separator);
            text.append(items.get(i));
        }
        return text.toString();
    }
}
"""


def waves(rows: int, columns: int, pace: float, height: float = 0.5) -> npt.NDArray[np.float32]:
    """Numbers without a pattern that any machine makes alike."""
    angles = np.arange(rows * columns, dtype=np.float64) * pace
    return (np.sin(angles * angles * 0.01 + angles) * height).astype(np.float32).reshape(rows, -1)


def small_code2vec(path: Path) -> Path:
    """A code2vec with 4-wide embeddings and 6-wide code vectors."""
    tokens, words = ["items", "int", "i", "METHOD_NAME"], {"item": 5, "other": 3, "s": 2, "size": 4}
    names = ["size", "get", "is|empty", "add|all"]
    tensors = {
        **quantised("tokens", waves(len(tokens) + 1, 4, 0.71)),
        **quantised("words", waves(len(words), 4, 0.37)),
        **quantised("paths", waves(1, 4, 1.3)),
        **quantised("names", waves(len(names), 6, 0.53)),
        "token_list": packed(tokens),
        "word_list": packed(list(words)),
        "word_counts": np.array(list(words.values()), dtype=np.int32),
        "path_hashes": np.zeros(0, dtype=np.int32),
        "name_list": packed(names),
        "left": waves(4, 6, 0.91).astype(np.float16),
        "path": waves(4, 6, 0.67).astype(np.float16),
        "right": waves(4, 6, 0.43).astype(np.float16),
        "attention": waves(6, 1, 0.29).astype(np.float16),
    }
    write_weights(path, tensors, {"kind": "code2vec", "contexts": 200})
    return path


def small_code2seq(path: Path) -> Path:
    """A code2seq with 4-wide embeddings, 3-wide path LSTMs and a 5-wide decoder."""
    subtokens, nodes = ["items", "size", "int", "i", "add"], ["Nm0", "Cal", "Nm1", "Ret", "Bk"]
    targets = ["get", "size", "add", "is", "empty", "all"]
    shapes = {
        "nodes": (len(nodes) + 2, 3),
        "forward_input": (3, 12),
        "forward_hidden": (3, 12),
        "forward_bias": (1, 12),
        "backward_input": (3, 12),
        "backward_hidden": (3, 12),
        "backward_bias": (1, 12),
        "left": (4, 5),
        "path": (6, 5),
        "right": (4, 5),
        "memory": (5, 5),
        "decoder_input": (9, 20),
        "decoder_hidden": (5, 20),
        "decoder_bias": (1, 20),
        "attention": (10, 5),
    }
    tensors = {
        **quantised("subtokens", waves(len(subtokens) + 2, 4, 0.77)),
        **quantised("targets", waves(len(targets) + 3, 4, 0.59)),
        **quantised("output", waves(len(targets) + 3, 5, 1.7, 4.0)),
        "subtoken_list": packed(subtokens),
        "node_list": packed(nodes),
        "target_list": packed(targets),
    }
    for place, (name, (rows, columns)) in enumerate(shapes.items()):
        tensors[name] = waves(rows, columns, 0.31 + 0.07 * place, 1.5).astype(np.float16)
    write_weights(path, tensors, {"kind": "code2seq", "contexts": 200})
    return path
