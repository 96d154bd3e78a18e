"""What a search found, as text and as plain values for JSON."""

from collections.abc import Iterator, Sequence
from typing import TypedDict

from metamorph.corpus import Skipped, read_sources
from metamorph.duplicates.clusters import Found
from metamorph.duplicates.collections import Collection
from metamorph.duplicates.statistics import Statistics
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse_syntax
from metamorph.limits import Guard, Limits, within


class Listed(TypedDict):
    """A cluster by the ids of its members."""

    ids: list[str]
    min_set_similarity: float
    min_multiset_similarity: float
    chained: bool


def listed(found: Found, ids: Sequence[str]) -> list[Listed]:
    """The clusters in order of their first ids: the same whatever the order of reading."""
    rows = [
        Listed(
            ids=sorted(ids[number] for number in cluster.members),
            min_set_similarity=cluster.sets,
            min_multiset_similarity=cluster.bags,
            chained=cluster.chained,
        )
        for cluster in found.clusters
    ]
    return sorted(rows, key=lambda row: row["ids"])


def named_pairs(found: Found, ids: Sequence[str]) -> Iterator[tuple[str, str, float, float]]:
    """All pairs by their ids, the lower id first."""
    for one, other, sets, bags in found.each_pair():
        first, second = sorted((ids[one], ids[other]))
        yield first, second, sets, bags


def skips(skipped: Sequence[Skipped]) -> list[dict[str, str]]:
    """What could not be read, sorted."""
    pairs = sorted((each.path, each.reason) for each in skipped)
    return [{"path": path, "reason": reason} for path, reason in pairs]


def parse_errors(
    paths: Sequence[str], collection: Collection, found: Found, which: str
) -> list[str]:
    """The sources with a syntax error, among those of the clusters, among all, or none."""
    if which == "none":
        return []
    members = (number for cluster in found.clusters for number in cluster.members)
    wanted = {collection.units[number].path for number in members}
    if which == "clusters" and not wanted:
        return []
    sources = [path for path in paths if path not in collection.lists]
    return sorted(
        source.path
        for source in read_sources(sources)
        if isinstance(source, SourceFile)
        and (which == "all" or source.path in wanted)
        and _is_wrong(source.data)
    )


def _is_wrong(data: bytes) -> bool:
    """Whether there is a syntax error; only garbage takes the parser longer than it may."""
    guard = Guard(Limits(megabytes=0))
    return within(guard, lambda: parse_syntax(data).root_node.has_error) is not False


def table(
    rows: Sequence[Listed], counted: Statistics, wrong: Sequence[str], unit: str
) -> Iterator[str]:
    """The clusters, the largest first, below a summary."""
    yield _summary(counted, unit)
    for row in sorted(rows, key=lambda row: (-len(row["ids"]), row["ids"])):
        flag = ", CHAINED: below a threshold" if row["chained"] else ""
        least = f"{row['min_set_similarity']:.3f} {row['min_multiset_similarity']:.3f}"
        yield f"\n{len(row['ids']):,} {unit}s, least alike {least}{flag}\n"
        yield from (f"  {name}\n" for name in row["ids"])
    if wrong:
        yield f"\n{len(wrong):,} with a syntax error, compared all the same\n"
        yield from (f"  {path}\n" for path in wrong)


def _summary(counted: Statistics, unit: str) -> str:
    return (
        f"{counted.units:,} {unit}s compared, {counted.skipped_small:,} too small, "
        f"{counted.skipped:,} not read\n"
        f"{counted.pairs:,} pairs, {counted.clusters:,} clusters of {counted.duplicated:,} "
        f"{unit}s, d = {percent(counted.factor)}; {counted.chained:,} clusters by chaining\n"
    )


def statistics_table(counted: Statistics, unit: str) -> Iterator[str]:
    """The statistics, a line each, with the name of each reading."""
    split = f"{100 * counted.train_share:g}:{100 - 100 * counted.train_share:g}"
    rows = (
        (f"{unit}s read", f"{counted.read:,}"),
        ("not read", f"{counted.skipped:,}"),
        ("too small", f"{counted.skipped_small:,}"),
        (f"{unit}s compared, |D|", f"{counted.units:,}"),
        ("pairs", f"{counted.pairs:,}"),
        ("clusters", f"{counted.clusters:,}"),
        ("largest cluster", f"{counted.largest:,}"),
        ("clusters by chaining", f"{counted.chained:,}"),
        (f"duplicated {unit}s", f"{counted.duplicated:,}"),
        ("d, duplication factor", percent(counted.factor)),
        ("cluster size, average", _number(counted.cluster_mean)),
        ("cluster size, median", _number(counted.cluster_median)),
        (f"clones per duplicated {unit}, average", _number(counted.clones_mean)),
        (f"clones per duplicated {unit}, median", _number(counted.clones_median)),
        (f"cross-set in test at {split}", percent(counted.cross_set)),
        (
            f"cross-set in test at {split}, test deduplicated",
            percent(counted.cross_set_deduplicated),
        ),
    )
    width = max(len(name) for name, _ in rows)
    yield from (f"{name:{width}}  {value:>9}\n" for name, value in rows)


def percent(share: float | None) -> str:
    """A share as per cent, - where there is none."""
    return "-" if share is None else f"{100 * share:.2f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
