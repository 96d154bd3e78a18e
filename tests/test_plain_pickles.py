"""Pickles of vocabularies: plain values come through, all else is refused by name."""

import os
import pickle
import struct
import sys
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path
from typing import Any

import pytest

from metamorph.errors import UserError
from metamorph.models.plain_pickles import read_pickles

PLAIN: list[Any] = [
    {1: "a", "b": 2.5, None: True},
    ("x", (b"y", [1, 1 << 80])),
    {1, 2},
    frozenset({"z"}),
]


class Call:
    """Pickled, it wants a function to be called."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.made = function, arguments

    def __reduce__(self) -> Any:
        return self.made


def read(path: Path, data: bytes, count: int = 1) -> list[Any]:
    path.write_bytes(data)
    return list(read_pickles(path, count))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_plain_values_come_through(tmp_path: Path, protocol: int) -> None:
    # Bytes are a call of a codec in protocol 2.
    values = [value for value in PLAIN if protocol > 2 or "y" not in repr(value)]
    data = b"".join(pickle.dumps(value, protocol) for value in values)
    assert read(tmp_path / "p", data, len(values)) == values


def test_dictionaries_of_all_kinds_become_plain_ones(tmp_path: Path) -> None:
    kinds = [Counter("aab"), OrderedDict(a=2, b=1), defaultdict(int, {"a": 2, "b": 1})]
    for kind in kinds:
        (found,) = read(tmp_path / "p", pickle.dumps(kind))
        assert type(found) is dict
        assert found == {"a": 2, "b": 1}


def test_a_configuration_becomes_its_attributes(tmp_path: Path) -> None:
    state = pickle.dumps({"NUM_EPOCHS": 3, "BIRNN": True}, 2)[2:-1]
    (found,) = read(tmp_path / "p", b"\x80\x02cconfig\nConfig\n)\x81" + state + b"b.")
    assert vars(found) == {"NUM_EPOCHS": 3, "BIRNN": True}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (Call(os.system, "true"), f"{os.name}.system"),
        (Call(eval, "1"), "builtins.eval"),
        (Call(getattr, 1, "real"), "builtins.getattr"),
        (Call(bytes, 1 << 40), "builtins.bytes"),
        (Path("x"), "pathlib"),
    ],
)
def test_any_other_global_is_refused_by_name(tmp_path: Path, call: object, name: str) -> None:
    with pytest.raises(UserError, match=f"refused: its pickle wants {name}"):
        read(tmp_path / "p", pickle.dumps({"a": call}))


def test_nothing_is_called_before_the_refusal(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with pytest.raises(UserError, match="refused"):
        read(tmp_path / "p", pickle.dumps(Call(os.mkdir, str(made))))
    assert not made.exists()


@pytest.mark.parametrize(
    "data",
    [b"", b"nonsense", b"\x80\x04", pickle.dumps({"a": 1})[:-3], b"0."],
)
def test_damage_is_one_line(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UserError, match=r"p: pickle 1 of 1 cannot be read"):
        read(tmp_path / "p", data)


def test_a_missing_pickle_is_told_by_its_number(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="pickle 2 of 3 cannot be read"):
        read(tmp_path / "p", pickle.dumps(1), 3)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        list(read_pickles(tmp_path / "none", 1))


@pytest.mark.skipif(sys.platform != "linux", reason="the bound is the system's")
@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02}r" + struct.pack("<I", 0xFFFFFFFF) + b".",
        b"\x80\x04\x8e" + struct.pack("<Q", 1 << 36) + b".",
    ],
)
def test_a_small_file_cannot_claim_much_memory(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UserError, match="MemoryError"):
        read(tmp_path / "p", data)
