"""TensorFlow's checkpoint files: tensors as they were written, faults told in a line."""

import random
from pathlib import Path

import checkpoints
import numpy as np
import numpy.typing as npt
import pytest

from metamorph.errors import UserError
from metamorph.models.crc32c import crc32c
from metamorph.models.tensor_bundle import read_bundle

TENSORS: dict[str, npt.NDArray[np.generic]] = {
    "model/WORDS": np.arange(12, dtype=np.float32).reshape(4, 3),
    "model/WORDS/more": np.full((2, 2, 2), -1.5),
    "model/empty": np.zeros((0, 3), np.float32),
    "model/half": np.array([1, 0.5], np.float16),
    "model/scalar": np.array(-7, np.int32),
    "step": np.array([1 << 40, -1]),
}


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    found = tmp_path / "model.ckpt-3"
    checkpoints.write_bundle(found, TENSORS)
    return found


def shard_of(prefix: Path) -> Path:
    return prefix.with_name(f"{prefix.name}.data-00000-of-00001")


def index_of(prefix: Path) -> Path:
    return prefix.with_name(f"{prefix.name}.index")


@pytest.mark.parametrize(("per_block", "shards"), [(1, 1), (3, 1), (100, 1), (2, 3)])
def test_tensors_come_back_from_any_blocks_and_shards(
    tmp_path: Path, per_block: int, shards: int
) -> None:
    checkpoints.write_bundle(tmp_path / "m", TENSORS, per_block, shards)
    bundle = read_bundle(tmp_path / "m")
    bundle.verify()
    assert bundle.names() == sorted(TENSORS)
    for name, expected in TENSORS.items():
        found = bundle.tensor(name)
        assert found.dtype == expected.dtype
        assert bundle.shape(name) == expected.shape
        np.testing.assert_array_equal(found, expected, strict=True)


def test_tensors_are_views_of_the_mapped_file(prefix: Path) -> None:
    bundle = read_bundle(prefix)
    assert isinstance(bundle.shards[0], np.memmap)
    assert np.shares_memory(bundle.tensor("model/WORDS"), bundle.shards[0])
    with pytest.raises(ValueError, match="read-only"):
        bundle.tensor("model/WORDS")[0, 0] = 1


def test_a_damaged_tensor_is_found_by_its_checksum(prefix: Path) -> None:
    data = bytearray(shard_of(prefix).read_bytes())
    data[5] ^= 1
    shard_of(prefix).write_bytes(data)
    with pytest.raises(UserError, match="tensor model/WORDS is damaged"):
        read_bundle(prefix).verify()


def test_a_missing_shard_is_named(prefix: Path) -> None:
    shard_of(prefix).unlink()
    with pytest.raises(UserError, match=r"model\.ckpt-3\.data-00000-of-00001: .* missing"):
        read_bundle(prefix)


def test_a_shard_that_was_cut_off_is_named(prefix: Path) -> None:
    shard_of(prefix).write_bytes(shard_of(prefix).read_bytes()[:-1])
    with pytest.raises(UserError, match=r"-of-00001: cut off: \d+ bytes of \d+"):
        read_bundle(prefix)


def test_no_byte_of_an_index_may_be_missing(prefix: Path) -> None:
    whole = index_of(prefix).read_bytes()
    for length in range(len(whole)):
        index_of(prefix).write_bytes(whole[:length])
        with pytest.raises(UserError, match="not a whole index"):
            read_bundle(prefix)


def test_a_changed_byte_of_an_index_is_noticed_or_harmless(prefix: Path) -> None:
    whole = index_of(prefix).read_bytes()
    noticed = 0
    for place in range(len(whole)):
        index_of(prefix).write_bytes(
            whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :]
        )
        try:
            assert read_bundle(prefix).names() == sorted(TENSORS)
        except UserError:
            noticed += 1
    # The footer's padding and its unused handle tell nothing.
    assert noticed >= len(whole) - 40


def test_a_compressed_index_is_refused_by_name(prefix: Path) -> None:
    index_of(prefix).write_bytes(checkpoints.table({b"": b""}, 1, kind=1))
    with pytest.raises(UserError, match="compressed"):
        read_bundle(prefix)


def test_an_index_that_claims_countless_shards_is_refused(prefix: Path) -> None:
    header = checkpoints.number(1, 1 << 40)
    index_of(prefix).write_bytes(checkpoints.table({b"": header}, 1))
    with pytest.raises(UserError, match="shards"):
        read_bundle(prefix)


def test_an_unknown_tensor_is_named(prefix: Path) -> None:
    with pytest.raises(UserError, match="no tensor model/BIAS in this checkpoint"):
        read_bundle(prefix).tensor("model/BIAS")


def test_a_tensor_of_strings_is_refused_only_when_asked_for(prefix: Path) -> None:
    strings = checkpoints.number(1, 7) + checkpoints.number(5, 1)
    header = checkpoints.number(1, 1)
    index_of(prefix).write_bytes(checkpoints.table({b"": header, b"names": strings}, 1))
    bundle = read_bundle(prefix)
    bundle.verify()
    with pytest.raises(UserError, match="type 7, which is not supported"):
        bundle.tensor("names")


def test_checksums_are_those_of_the_standard() -> None:
    # RFC 3720, appendix B.4.
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E


def test_checksums_of_long_data_are_those_of_the_bitwise_definition() -> None:
    data = random.Random(5).randbytes(20_003)
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    assert crc32c(data) == register ^ 0xFFFFFFFF


def test_the_checksum_of_many_rounds_goes_on_from_each_to_the_next() -> None:
    # A round is 16 MiB; the value is google-crc32c's.
    data = (np.arange((16 << 20) + 5) % 251).astype(np.uint8)
    assert crc32c(data) == 0x151C0003
