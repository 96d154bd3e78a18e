"""Records as Parquet, a file a split; needs pyarrow."""

from operator import attrgetter
from pathlib import Path
from typing import Any

from metamorph.errors import UserError
from metamorph.suites.formats.fields import FIELDS, Type
from metamorph.suites.formats.json_lines import FOLDER
from metamorph.suites.formats.shapes import Each
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Record

_ROWS = 1000


class Parquet:
    """data/SPLIT.parquet, in groups of a thousand rows."""

    def __init__(self, out: Path, arrow: Any) -> None:
        self._out = out / FOLDER
        self._arrow = arrow
        self._schema = arrow.schema([(name, _type(arrow, type)) for name, type in FIELDS.items()])
        self._writers: dict[str, Any] = {}
        self._rows: dict[str, list[Record]] = {}

    def add(self, record: Record) -> None:
        """Write the record, together with others."""
        split = record["split"]
        rows = self._rows.setdefault(split, [])
        rows.append(record)
        if len(rows) == _ROWS:
            self._write(split)

    def close(self) -> None:
        """Write what is left."""
        for split in self._rows:
            self._write(split)
        for writer in self._writers.values():
            writer.close()

    def _write(self, split: str) -> None:
        from pyarrow.parquet import ParquetWriter

        if split not in self._writers:
            self._out.mkdir(exist_ok=True)
            self._writers[split] = ParquetWriter(self._out / f"{split}.parquet", self._schema)
        if rows := self._rows[split]:
            self._writers[split].write_table(
                self._arrow.Table.from_pylist(rows, schema=self._schema)
            )
            rows.clear()


def _type(arrow: Any, told: Type) -> Any:
    """pyarrow's type of a field."""
    if isinstance(told, list):
        return arrow.list_(_type(arrow, told[0]))
    if isinstance(told, str):
        return getattr(arrow, told)()
    return arrow.struct([(name, _type(arrow, each)) for name, each in told.items()])


def shaper(name: str, recipe: Recipe, scratch: Path) -> Each:
    """Of records."""
    return Each(attrgetter("record"))


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> Parquet:
    """The writer; raises UserError where pyarrow is missing."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise UserError(
            "--format parquet: needs pyarrow; pip install 'metamorph-java[parquet]'"
        ) from error
    return Parquet(out, pyarrow)
