"""The results of one file as rows of the store's tables: packed where the work is done."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace

from metamorph.models.protocol import Prediction
from metamorph.runs.rows import FileRow, MethodRow, VariantRow, changed_count

Row = tuple[object, ...]
"""A row without its first column, which is the file's."""


@dataclass(frozen=True, slots=True)
class Packed:
    """What a worker sends and the store writes: a file's rows by table.

    Methods, variants and refusals begin with the method's index. changed: the variants that changed
    the prediction, by method; adapted: what the model's server had to be asked otherwise so far.
    """

    ordinal: int
    files: list[Row]
    methods: list[Row]
    variants: list[Row]
    refusals: list[Row]
    spending: list[Row]
    changed: tuple[int, ...]
    adapted: tuple[str, ...]

    def first(self, most: int) -> "Packed":
        """The same with the first so many methods only."""
        if len(self.methods) <= most:
            return self
        return replace(
            self,
            methods=self.methods[:most],
            variants=_of_first(most, self.variants),
            refusals=_of_first(most, self.refusals),
            changed=self.changed[:most],
        )


def _of_first(most: int, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if isinstance(row[0], int) and row[0] < most]


def packed(row: FileRow) -> Packed:
    """The rows of a file."""
    return Packed(
        row.ordinal,
        [_file(row)],
        [_method(method) for method in row.methods],
        list(_variants(row.methods)),
        list(_refusals(row.methods)),
        [astuple(row.spending)],
        tuple(changed_count(method.variants) for method in row.methods),
        row.adapted,
    )


def _file(row: FileRow) -> Row:
    about = (_text(row.path), row.status, row.sha256, row.size, row.line)
    return *about, _text(row.project)


def _method(row: MethodRow) -> Row:
    about = (row.index, _text(row.name), _text(row.owner), row.line, row.statements, row.blocks)
    expected = None if row.expected is None else _text(row.expected)
    unstable = None if row.unstable is None else int(row.unstable)
    return (*about, expected, *_prediction(row.prediction), unstable, row.varies)


def _variants(methods: Sequence[MethodRow]) -> Iterator[Row]:
    for method in methods:
        for number, variant in enumerate(method.variants):
            yield (method.index, number, *_variant(variant))


def _variant(row: VariantRow) -> Row:
    return (
        row.transform,
        row.place,
        json.dumps(row.sites),
        row.line,
        json.dumps(row.names),
        json.dumps(row.edits),
        row.status,
        _text(row.reason),
        row.category,
        row.rank,
        *(row.untouched or (None, None)),
        *_prediction(row.prediction),
    )


def _refusals(methods: Sequence[MethodRow]) -> Iterator[Row]:
    for method in methods:
        for number, refused in enumerate(method.refusals):
            yield method.index, number, refused.transform, refused.reason, refused.line


def _prediction(prediction: Prediction | None) -> Row:
    """The nine columns of an answer; all are NULL where the model was not asked."""
    if prediction is None:
        return (None,) * 9
    label = None if prediction.label is None else _text(prediction.label)
    candidates = [[_text(name), score] for name, score in prediction.candidates]
    return (
        label,
        prediction.score,
        json.dumps(candidates),
        _text(prediction.error),
        int(prediction.truncated),
        _text(prediction.finish_reason),
        *(prediction.usage or (None, None)),
        _text(prediction.text),
    )


def _text(value: str) -> str:
    """Text that SQLite takes: bytes that were no UTF-8, and halves of characters, are spelt out."""
    return value if value.isascii() else _SURROGATE.sub(_spelt, value)


def _spelt(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


_SURROGATE = re.compile("[\ud800-\udfff]")
