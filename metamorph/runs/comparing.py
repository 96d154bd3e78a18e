"""Runs set side by side: what they have in common, variant by variant or method by method."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path

from metamorph.corpus.projects import below
from metamorph.errors import UserError
from metamorph.oracles.comparisons import Comparison, Matching, Sides, common, differences
from metamorph.oracles.counts import Collection, Counted, Originals, collect
from metamorph.oracles.outcomes import CHANGED, CHANGES, SAME
from metamorph.runs import manifest as manifests
from metamorph.runs.counting import counted
from metamorph.runs.reading import readable, reading, telling_damage
from metamorph.tasks import load as load_task

_CHANGED = CHANGES | {CHANGED}


def compare_runs(one: Path, other: Path) -> Comparison:
    """Two runs, on the variants that both have and both judged.

    Variants match where file, method, transformation, place, sites and edits are the same. Raises
    UserError where none does.
    """
    manifest, other_manifest = manifests.read(one), manifests.read(other)
    _same_question(one, other, manifest, other_manifest)
    with telling_damage(one, other), _joined(one, other) as connection:
        files = _matched_files(connection, manifest, other_manifest)
        connection.executemany("INSERT INTO pairs VALUES (?, ?)", files)
        plan = _plan(manifest, other_manifest)
        sides, matching = _matched(connection, plan)
    if not matching.matched:
        raise UserError(f"{one} and {other}: {_why_nothing(manifest, other_manifest, files)}")
    notes = [*_differing(manifest, other_manifest), *_half(one, manifest)]
    return Comparison(
        _title(one, manifest),
        _title(other, other_manifest),
        matching,
        differences(sides, manifest["settings"]["seed"]),
        [*notes, *_half(other, other_manifest)],
    )


def compare_transforms(run: Path, transform: str, other: str) -> Comparison:
    """Two transformations of one run, on the methods that both have; in each place of both.

    Raises UserError where there is no such method.
    """
    manifest = manifests.read(run)
    plan = [(name, place) for name, place in manifest["settings"]["plan"]]
    transform, other = (_planned(run, name, plan) for name in (transform, other))
    with reading(run) as connection:
        task = load_task(manifest["options"]["task"], manifest["options"]["equality"])
        tables = collect(counted(connection, task, count_blocks=False), plan)
    by_pair = {(table.transform, table.place): table for table in tables}
    pairs = [
        (by_pair[pair], by_pair[other, pair[1]])
        for pair in plan
        if pair[0] == transform and (other, pair[1]) in by_pair
    ]
    sides = [common(*pair) for pair in pairs]
    if not any(len(side.one) for side in sides):
        raise UserError(
            f"{run}: no method has judged variants of both {transform} and {other} in one place"
        )
    return Comparison(
        f"{_title(run, manifest)}: {transform}",
        f"{_title(run, manifest)}: {other}",
        _matching_originals(pairs, sides),
        differences(sides, manifest["settings"]["seed"]),
        _half(run, manifest),
    )


def _planned(run: Path, name: str, plan: Sequence[tuple[str, str]]) -> str:
    """The code as the run has it; raises UserError where it has none."""
    codes = list(dict.fromkeys(code for code, _ in plan))
    found = next((code for code in codes if code.casefold() == name.casefold()), None)
    if found is None:
        raise UserError(f"{run}: {name} is not in this run, which has {', '.join(codes)}")
    return found


def _matching_originals(
    pairs: Sequence[tuple[Originals, Originals]], sides: Sequence[Sides]
) -> Matching:
    matched = sum(len(side.one) for side in sides)
    one, other = (sum(len(pair[number]) for pair in pairs) for number in (0, 1))
    return Matching(matched, matched, one - matched, other - matched)


def _same_question(
    one: Path, other: Path, manifest: manifests.Manifest, other_manifest: manifests.Manifest
) -> None:
    for name in ("task", "equality"):
        asked, otherwise = manifest["options"][name], other_manifest["options"][name]
        if asked != otherwise:
            raise UserError(
                f"{one} and {other}: judged by different rules, --{name} {asked or 'not given'} "
                f"and {otherwise or 'not given'}; compare runs of one task"
            )


@contextmanager
def _joined(one: Path, other: Path) -> Iterator[sqlite3.Connection]:
    """Both stores in one connection, as `one` and `other`, with an empty table of file pairs."""
    with (
        readable(one) as path,
        readable(other) as other_path,
        closing(sqlite3.connect(":memory:")) as connection,
    ):
        connection.execute("ATTACH ? AS one", (str(path),))
        connection.execute("ATTACH ? AS other", (str(other_path),))
        connection.execute("CREATE TABLE pairs (one INTEGER PRIMARY KEY, other INTEGER NOT NULL)")
        yield connection


def _matched_files(
    connection: sqlite3.Connection,
    manifest: manifests.Manifest,
    other_manifest: manifests.Manifest,
) -> list[tuple[int, int]]:
    """Files of the same bytes and the same path, or else the same name below the paths given."""
    found: dict[int, int] = {}
    taken = set[int]()
    for is_below in (False, True):
        by_key = dict[bytes, int]()
        for key, number in _files(connection, "other", other_manifest, is_below):
            by_key.setdefault(key, number)
        for key, number in _files(connection, "one", manifest, is_below):
            other = by_key.get(key)
            if other is not None and other not in taken and number not in found:
                found[number] = other
                taken.add(other)
    return list(found.items())


def _files(
    connection: sqlite3.Connection, side: str, manifest: manifests.Manifest, is_below: bool
) -> Iterator[tuple[bytes, int]]:
    """What a file is known by, and its number; is_below: its name below the paths given counts."""
    query = f"SELECT path, sha256, file FROM {side}.files WHERE sha256 != '' ORDER BY file"
    roots = manifest["settings"]["paths"]
    for path, sha256, number in connection.execute(query):
        name = _below(path, roots) if is_below else path
        whole = f"{name}\0{sha256}".encode("utf-8", "surrogatepass")
        yield blake2b(whole, digest_size=16).digest(), number


def _below(path: str, roots: Sequence[str]) -> str:
    return next(filter(None, (below(path, root) for root in roots)), path.rpartition("/")[2])


def _plan(
    manifest: manifests.Manifest, other_manifest: manifests.Manifest
) -> list[tuple[str, str]]:
    """The transformations and places that both have."""
    others = [tuple(pair) for pair in other_manifest["settings"]["plan"]]
    pairs = [(code, place) for code, place in manifest["settings"]["plan"]]
    return [pair for pair in pairs if pair in others]


_MATCHED = """
SELECT a.transform, a.place, a.file, a.method, m.statements, f.project, a.category, b.category
FROM pairs p
CROSS JOIN one.variants a ON a.file = p.one
JOIN other.variants b ON b.file = p.other AND b.method = a.method AND b.transform = a.transform
    AND b.place = a.place AND b.sites = a.sites AND b.edits = a.edits
JOIN one.methods m ON m.file = a.file AND m.method = a.method
JOIN one.files f ON f.file = a.file
WHERE a.status != 'broken' AND b.status != 'broken'
"""
_ALL = "SELECT COUNT(*) FROM {}.variants WHERE status != 'broken'"


def _matched(
    connection: sqlite3.Connection, plan: Sequence[tuple[str, str]]
) -> tuple[list[Sides], Matching]:
    """Both sides of every match that both judged, and the count of all."""
    one, other, both = Collection(plan), Collection(plan), Collection(plan)
    matched = judged = 0
    for transform, place, file, method, statements, project, *results in connection.execute(
        _MATCHED
    ):
        matched += 1
        before, after = results
        if before is None or after is None:
            continue
        judged += 1
        about = (transform, place, (file, method), statements)
        together = CHANGED if before in _CHANGED and after in _CHANGED else SAME
        for side, result in ((one, before), (other, after), (both, together)):
            side.add(Counted(*about, result, 1, project=project))
    tables = zip(one.tables(), other.tables(), both.tables(), strict=True)
    sides = [Sides(side, against, shared.changed) for side, against, shared in tables]
    totals = [connection.execute(_ALL.format(name)).fetchone()[0] for name in ("one", "other")]
    return sides, Matching(matched, judged, totals[0] - matched, totals[1] - matched)


def _why_nothing(
    manifest: manifests.Manifest,
    other_manifest: manifests.Manifest,
    files: Sequence[tuple[int, int]],
) -> str:
    if not files:
        return "no file in common; compare runs over the same corpus"
    if not _plan(manifest, other_manifest):
        return "no transformation and place in common; give both the same --transform and --place"
    seeds = [m["settings"]["seed"] for m in (manifest, other_manifest)]
    if seeds[0] != seeds[1]:
        return f"no variant in common, as the seeds differ ({seeds[0]}, {seeds[1]}); repeat one"
    return "no variant in common; repeat one run with the version and options of the other"


def _differing(manifest: manifests.Manifest, other_manifest: manifests.Manifest) -> Iterator[str]:
    """What else differs between the runs than the model."""
    if manifest["corpus"]["fingerprint"] != other_manifest["corpus"]["fingerprint"]:
        yield "the corpora differ: only files that both have are compared"
    seeds = [m["settings"]["seed"] for m in (manifest, other_manifest)]
    if seeds[0] != seeds[1]:
        yield f"the seeds differ ({seeds[0]}, {seeds[1]}): only variants that came out alike match"


def _half(folder: Path, manifest: manifests.Manifest) -> list[str]:
    return [] if manifest["complete"] else [f"{folder} is incomplete: half a run is compared"]


def _title(folder: Path, manifest: manifests.Manifest) -> str:
    return f"{manifest['model']['name']} ({folder})"
