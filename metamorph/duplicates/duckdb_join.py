"""The join of near-duplicates by DuckDB, which goes to disk where memory is short."""

from tempfile import TemporaryDirectory

import duckdb
import numpy as np

from metamorph.duplicates.join import Pairs, Rows, in_order, prefix_lengths, reached
from metamorph.duplicates.thresholds import Thresholds

_SLACK = 1e-9

# Rows are numbered by size, tokens by rarity: as in the join in memory.
_CANDIDATES = f"""
CREATE TABLE candidates AS
SELECT DISTINCT x.row AS first, y.row AS second
FROM (SELECT * FROM entries WHERE place < probe AND token >= $alone) x
JOIN (SELECT * FROM entries WHERE place < indexed AND token >= $alone) y
  ON x.token = y.token AND y.row < x.row
WHERE y.size >= $keys * x.size - {_SLACK}
  AND least(x.size - x.place, y.size - y.place)
      >= $keys / (1 + $keys) * (x.size + y.size) - {_SLACK}
  AND least(x.total, y.total) >= $bags * greatest(x.total, y.total) - {_SLACK}
"""
_COMPARED = """
SELECT first, second, any_value(a.size + b.size) AS sizes, any_value(a.total + b.total) AS totals,
       count(*) AS common, sum(least(a.count, b.count))::BIGINT AS shared
FROM candidates
JOIN entries a ON a.row = first
JOIN entries b ON b.row = second AND b.token = a.token
GROUP BY first, second
"""


class Engine:
    """Finds the same pairs as the join in memory.

    memory: what DuckDB may take of it, as 1GB.
    """

    def __init__(self, memory: str) -> None:
        self._memory = memory

    def __call__(self, rows: Rows, limits: Thresholds) -> Pairs:
        """The pairs of bags that reach both thresholds."""
        with TemporaryDirectory(prefix="metamorph-") as folder:
            settings = {"memory_limit": self._memory, "temp_directory": folder, "threads": 1}
            with duckdb.connect(f"{folder}/join.duckdb", config=settings) as base:
                _load(base, rows, limits)
                given = {"keys": limits.keys, "bags": limits.bags, "alone": rows.alone}
                base.execute(_CANDIDATES, given)
                found = base.execute(_COMPARED).fetchnumpy()
        return _pairs(rows, limits, {name: np.asarray(found[name]) for name in found})


def _load(base: duckdb.DuckDBPyConnection, rows: Rows, limits: Thresholds) -> None:
    """A row for each distinct token of each bag."""
    sizes = rows.sizes()
    owners = np.repeat(np.arange(len(sizes)), sizes)
    probe, indexed = prefix_lengths(sizes, limits.keys)
    columns = {
        "row": owners,
        "token": rows.tokens,
        "count": rows.counts,
        "place": np.arange(len(owners)) - rows.starts[owners],
        "size": sizes[owners],
        "total": rows.totals[owners],
        "probe": probe[owners],
        "indexed": indexed[owners],
    }
    base.register("columns", columns)
    base.execute("CREATE TABLE entries AS SELECT * FROM columns")
    base.unregister("columns")


def _pairs(rows: Rows, limits: Thresholds, found: dict[str, np.ndarray]) -> Pairs:
    """The candidates that are near-duplicates."""
    common, shared = found["common"].astype(np.int64), found["shared"].astype(np.int64)
    sets = common / (found["sizes"].astype(np.int64) - common)
    bags = shared / (found["totals"].astype(np.int64) - shared)
    kept = reached(limits, sets, bags)
    first, second = (rows.order[found[name].astype(np.int64)[kept]] for name in ("first", "second"))
    return in_order(first, second, sets[kept], bags[kept])
