"""The networks in PyTorch: equal to plain layers, and to what ships for numpy."""

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from metamorph.models import code2seq as shipped_code2seq  # noqa: E402
from metamorph.models import code2vec as shipped_code2vec  # noqa: E402
from metamorph.models.weights import Table, read_weights, write_weights  # noqa: E402
from metamorph.training import prepare  # noqa: E402
from metamorph.training.code2seq import Code2Seq, Code2SeqSizes, reverse  # noqa: E402
from metamorph.training.code2vec import Code2Vec, Code2VecSizes  # noqa: E402
from metamorph.training.dataset import in_order, pad  # noqa: E402
from metamorph.training.export import (  # noqa: E402
    code2seq_tensors,
    code2vec_tensors,
    facts_about,
)
from metamorph.training.precision import product  # noqa: E402
from metamorph.training.rows import Rows, distinct  # noqa: E402
from metamorph.training.shards import Shard, ShardWriter  # noqa: E402

LIMITS = prepare.Limits(1, 1, 1, 1000, 1000, 1000, projects=1)


def made_up(style: str, seed: int) -> Shard:
    """Forty methods with random contexts of a few words, nodes and names."""
    rng = np.random.default_rng(seed)
    words = ["count", "name", "list", "http", "value", "x"]
    nodes = ["Nm0", "Cal", "Bk", "Ret", "If", "Eq", "Nm1"]
    writer = ShardWriter(f"p{seed}", style)
    for _ in range(40):
        contexts = []
        for _ in range(rng.integers(1, 30)):
            left, right = ("|".join(rng.choice(words, rng.integers(1, 4))) for _ in "ab")
            path = "|".join(rng.choice(nodes, rng.integers(2, 10)))
            if style == "code2vec":
                left, right = left.replace("|", ""), right.replace("|", "")
                path = str(hash_of(path))
            contexts.append((left, path, right))
        writer.add("A.java", "|".join(rng.choice(words, rng.integers(1, 4))), contexts)
    return writer.shard()


def hash_of(path: str) -> int:
    """A number that fits 32 bits."""
    return sum(place * ord(letter) for place, letter in enumerate(path, 1)) % 50 - 25


def rounded(table: np.ndarray) -> np.ndarray:
    """A table as 8 bits a number keep it."""
    from metamorph.models.weights import quantised

    tensors = quantised("t", table)
    return Table(tensors["t"], tensors["t.scale"]).whole()


def halved(table: np.ndarray) -> np.ndarray:
    """A matrix as 16 bits a number keep it."""
    return table.astype(np.float16).astype(np.float32)


@pytest.fixture(scope="module")
def vec() -> tuple[Code2Vec, prepare.Code2VecData]:
    """A random code2vec whose weights survive quantisation unchanged."""
    train = prepare.everything([made_up("code2vec", 1)])
    data = prepare.code2vec_data(train, train, LIMITS)
    sizes = Code2VecSizes(embedding=8, code=12)
    network = Code2Vec(data.tokens, len(data.paths) + 1, data.names, sizes, 5)
    network.dense["parts"].data.zero_()
    for rows in (network.tokens, network.paths):
        rows.weight = torch.from_numpy(rounded(rows.weight.numpy()))
    for name, tensor in network.dense.items():
        keep = rounded if name in ("words", "names") else halved
        tensor.data.copy_(torch.from_numpy(keep(10 * tensor.detach().numpy())))
    return network, data


@pytest.fixture(scope="module")
def seq() -> tuple[Code2Seq, prepare.Code2SeqData]:
    """A random code2seq whose weights survive quantisation unchanged."""
    train = prepare.everything([made_up("code2seq", 2)])
    data = prepare.code2seq_data(train, train, LIMITS)
    sizes = Code2SeqSizes(embedding=8, node=6, lstm=7, decoder=10)
    network = Code2Seq(data.words, sizes, 5)
    for name, tensor in network.dense.items():
        numbers = 2 * tensor.detach().numpy()
        if name == "output":
            kept = rounded(6 * numbers.T).T
        else:
            kept = (rounded if name in ("subtokens", "targets") else halved)(numbers)
        tensor.data.copy_(torch.from_numpy(np.ascontiguousarray(kept)))
    return network, data


def bags(shard: Shard) -> list[list[tuple[str, str, str]]]:
    """The shard's contexts as strings."""
    found = []
    for index in range(len(shard)):
        rows = shard.contexts[shard.offsets[index] : shard.offsets[index + 1]]
        found.append(
            [(shard.tokens[a], shard.paths[b], shard.tokens[c]) for a, b, c in rows.tolist()]
        )
    return found


def test_shipped_code2vec_computes_what_the_network_computes(
    vec: tuple[Code2Vec, prepare.Code2VecData], tmp_path: Path
) -> None:
    network, data = vec
    file = tmp_path / "code2vec.safetensors"
    write_weights(file, code2vec_tensors(network, data), facts_about(network, 200))
    model = shipped_code2vec.Code2Vec(read_weights("code2vec", str(file)))
    shard = made_up("code2vec", 1)
    answers = model.answer([str(n) for n in range(len(shard))], bags(shard))
    for batch in in_order(data.valid, 7, 200):
        with torch.no_grad():
            logits = network.code_vectors(batch) @ network.name_vectors().T
            chances, best = torch.softmax(logits, 1).sort(dim=1, descending=True)
        for place, member in enumerate(batch.members.tolist()):
            answer = answers[member]
            assert answer.label == data.names.names[best[place, 0]]
            got = [chance for _, chance in answer.candidates]
            assert np.allclose(got, chances[place, : len(got)], atol=1e-5)


def test_shipped_code2seq_computes_what_the_network_computes(
    seq: tuple[Code2Seq, prepare.Code2SeqData], tmp_path: Path
) -> None:
    network, data = seq
    file = tmp_path / "code2seq.safetensors"
    write_weights(file, code2seq_tensors(network), facts_about(network, 200))
    model = shipped_code2seq.Code2Seq(read_weights("code2seq", str(file)))
    shard = made_up("code2seq", 2)
    answers = model.answer([str(n) for n in range(len(shard))], bags(shard))
    labels = set()
    for batch in in_order(data.valid, 7, 200):
        for member, label in zip(batch.members.tolist(), network.predict(batch), strict=True):
            assert answers[member].label == label
            labels.add(label)
    assert len(labels) > 5, "the network does not answer everything alike"


def test_context_vectors_of_code2seq_are_equal_to_a_hundred_thousandth(
    seq: tuple[Code2Seq, prepare.Code2SeqData], tmp_path: Path
) -> None:
    network, data = seq
    file = tmp_path / "code2seq.safetensors"
    write_weights(file, code2seq_tensors(network), facts_about(network, 200))
    model = shipped_code2seq.Code2Seq(read_weights("code2seq", str(file)))
    first = bags(made_up("code2seq", 2))[:9]
    memory = model._memory(first)
    batch = pad(data.valid, np.arange(9), 200, None)
    with torch.no_grad():
        contexts = network.contexts(batch).numpy()[batch.mask]
    assert np.allclose(memory.contexts, contexts, atol=1e-5)


def test_the_trie_of_paths_gives_what_a_plain_lstm_gives(
    seq: tuple[Code2Seq, prepare.Code2SeqData],
) -> None:
    network, data = seq
    nodes = data.words.path_nodes
    with torch.no_grad():
        got = network._paths(nodes)
        for direction, rows in (("forward", nodes), ("backward", reverse(nodes))):
            expected = torch.stack([plain_lstm(network, direction, row) for row in rows])
            half = slice(0, 7) if direction == "forward" else slice(7, 14)
            assert torch.allclose(got[:, half], expected, atol=1e-5)


def plain_lstm(network: Code2Seq, direction: str, row: np.ndarray) -> torch.Tensor:  # type: ignore[name-defined]
    """The last state of PyTorch's own LSTM cell with the same weights."""
    dense = network.dense
    size = network.sizes.lstm
    cell = torch.nn.LSTMCell(network.sizes.node, size)
    order = torch.cat([torch.arange(size) + size * gate for gate in (0, 2, 1, 3)])
    cell.weight_ih.data.copy_(dense[f"{direction}_input"].T[order])
    cell.weight_hh.data.copy_(dense[f"{direction}_hidden"].T[order])
    bias = dense[f"{direction}_bias"].detach().clone().ravel()[order]
    bias[size : 2 * size] += 1
    cell.bias_ih.data.copy_(bias)
    cell.bias_hh.data.zero_()
    state = (torch.zeros(1, size), torch.zeros(1, size))
    for node in row[row != 0].tolist():
        state = cell(dense["nodes"][node : node + 1], state)
    return state[0][0]


def test_lazy_adam_is_adam_where_every_row_is_used() -> None:
    rows = Rows(5, 3, torch.Generator().manual_seed(1))
    plain = rows.weight.clone().requires_grad_()
    adam = torch.optim.Adam([plain], lr=0.01)
    ids = np.arange(5, dtype=np.int32)
    for number in range(1, 6):
        taken, where = rows.take(ids)
        (taken[where] ** 3).sum().backward()
        rows.step(0.01, number)
        adam.zero_grad()
        (plain**3).sum().backward()
        adam.step()
    assert torch.allclose(rows.weight, plain, atol=1e-6)


def test_lazy_adam_leaves_unused_rows_alone() -> None:
    rows = Rows(5, 3, torch.Generator().manual_seed(1))
    before = rows.weight.clone()
    taken, _ = rows.take(np.array([1, 3, 1], dtype=np.int32))
    taken.sum().backward()
    rows.step(0.01, 1)
    changed = (rows.weight != before).any(1).tolist()
    assert changed == [False, True, False, True, False]


def test_distinct_ids_come_sorted_with_the_place_of_each() -> None:
    used, where = distinct(np.array([[7, 2], [2, 9]], dtype=np.int32), np.zeros(10, np.int64))
    assert used.tolist() == [2, 7, 9]
    assert where.tolist() == [[1, 0], [0, 2]]


def test_half_precision_products_are_close_to_full_ones() -> None:
    left, right = torch.rand(20, 30), torch.rand(30, 10)
    half = product(left, right, "bfloat16")
    assert half.dtype == torch.float32
    assert torch.allclose(half, product(left, right, "float32"), rtol=0.02)


def test_paths_turn_around_without_their_padding() -> None:
    rows = np.array([[1, 2, 3, 0], [4, 0, 0, 0]], dtype=np.int32)
    assert reverse(rows).tolist() == [[3, 2, 1, 0], [4, 0, 0, 0]]
