"""The wire format of protocol buffers, as much of it as checkpoints use."""

from collections.abc import Iterator
from dataclasses import dataclass

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_SIGN = 1 << 63


@dataclass(frozen=True, slots=True)
class Fields:
    """A message's fields in order: (number, value)."""

    found: tuple[tuple[int, int | bytes], ...]

    def number(self, field: int) -> int:
        """The number in a field, or 0 as an unwritten one means."""
        return next((v for n, v in reversed(self.found) if n == field and isinstance(v, int)), 0)

    def bytes_of(self, field: int) -> bytes:
        """The bytes of a field, or none."""
        return next(reversed(self.all_bytes(field)), b"")

    def all_bytes(self, field: int) -> list[bytes]:
        """The bytes of each repetition of a field."""
        return [v for n, v in self.found if n == field and isinstance(v, bytes)]


def fields_of(message: bytes) -> Fields:
    """Take a message apart; ValueError where it is none."""
    return Fields(tuple(_fields(message)))


def varint(data: bytes, at: int) -> tuple[int, int]:
    """The unsigned number at `at`, and where the next value begins."""
    value = shift = 0
    while shift < 64:
        if at >= len(data):
            raise ValueError("cut off")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number of more than 64 bits")


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = varint(message, at)
            yield tag >> 3, value - 2 * _SIGN if value & _SIGN else value
            continue
        if kind not in (_EIGHT, _BYTES, _FOUR):
            raise ValueError(f"unknown wire type {kind}")
        length = {_EIGHT: 8, _FOUR: 4}.get(kind, 0)
        if kind == _BYTES:
            length, at = varint(message, at)
        part = message[at : at + length]
        if len(part) < length:
            raise ValueError("cut off")
        yield tag >> 3, part if kind == _BYTES else int.from_bytes(part, "little")
        at += length
