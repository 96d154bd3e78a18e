"""The summary of a run, read from its folder."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from metamorph.oracles.clustering import MANY_PROJECTS
from metamorph.oracles.contrasts import single_against_all
from metamorph.oracles.controls import CONTROLS
from metamorph.oracles.counts import Originals, collect
from metamorph.oracles.summaries import Accounting, Changed, Clusters, Prices, Spent, Summary
from metamorph.oracles.tallies import (
    length_tallies,
    project_tallies,
    tallies,
)
from metamorph.runs import manifest as manifests
from metamorph.runs.copied import Row as CopyRow
from metamorph.runs.copied import by_copy, compared_again, surveyed
from metamorph.runs.counting import counted, moves, original_scores
from metamorph.runs.reading import reading
from metamorph.runs.rows import BROKEN, INCONCLUSIVE, NO_ANSWER, PARSED
from metamorph.tasks import load as load_task


def summarise(
    folder: Path, *, count_blocks: bool = False, train_corpus: Sequence[str] = ()
) -> Summary:
    """What the run found so far; it may be half-finished, or going on at this moment.

    count_blocks: whether blocks count as statements in the lengths of methods; train_corpus: what
    the model was trained on, where the run was not told.
    """
    manifest = manifests.read(folder)
    told: list[CopyRow] | None = None
    if train_corpus:
        manifest["train_corpus"] = asdict(surveyed(train_corpus))
        told = list(compared_again(manifest, train_corpus))
    with reading(folder) as connection:
        connection.execute("BEGIN")
        return _summary(manifest, connection, count_blocks, told)


def _summary(
    manifest: manifests.Manifest,
    connection: sqlite3.Connection,
    count_blocks: bool,
    copies: Sequence[CopyRow] | None,
) -> Summary:
    settings, options = manifest["settings"], manifest["options"]
    plan = [(transform, place) for transform, place in settings["plan"]]
    task, seed = load_task(options["task"], options["equality"]), settings["seed"]
    train = manifest.get("train_corpus")
    tables = collect(counted(connection, task, count_blocks=count_blocks), plan)
    return Summary(
        model=manifest["model"],
        seed=seed,
        repeat=settings["repeat"],
        limit=settings["limit"],
        complete=manifest["complete"],
        files_planned=manifest["corpus"]["files"],
        corpus=manifest["corpus"]["fingerprint"],
        versions=manifest["versions"],
        notes=manifest["notes"],
        accounting=_accounting(connection),
        tally=tallies(tables, seed, CONTROLS),
        by_length=list(length_tallies(tables, seed)),
        examples=[row for pair in plan for row in _example(connection, *pair)],
        task=options["task"],
        equality=options["equality"],
        spent=_spent(connection, Prices(**manifest["prices"])),
        by_project=list(project_tallies(tables, seed)),
        single_all=list(single_against_all(tables, seed)),
        moves=moves(connection, plan, task, seed),
        clusters=_clusters(tables),
        originals=original_scores(connection, task, seed),
        count_blocks=count_blocks,
        by_copy=by_copy(connection, tables, task, seed, train, copies) if train else None,
    )


def _clusters(tables: Sequence[Originals]) -> Clusters:
    projects = max((len(table.project_names) for table in tables), default=0)
    return Clusters("project" if projects >= MANY_PROJECTS else "original", projects)


_EXAMPLE = """
SELECT v.category, f.path, v.line, m.owner, m.name, v.names, m.label, v.label,
       v.file || ':' || v.method || ':' || v.variant
FROM variants v JOIN methods m USING (file, method) JOIN files f USING (file)
WHERE v.transform = ? AND v.place = ? AND v.category IN ('CIP', 'WCP', 'WWDP', 'changed')
ORDER BY v.category, m.statements, v.file, v.method, v.variant LIMIT 1
"""


def _example(connection: sqlite3.Connection, transform: str, place: str) -> Iterator[Changed]:
    """The change of the shortest method, a correct answer lost if there is one."""
    for category, path, line, owner, name, names, *labels in connection.execute(
        _EXAMPLE, (transform, place)
    ):
        method = f"{owner}.{name}" if owner else name
        before, after, id = labels
        about = (transform, place, category, path, line, method)
        yield Changed(*about, json.loads(names), before, after, id)


def _spent(connection: sqlite3.Connection, prices: Prices) -> Spent:
    columns = ("asked", "cached", "told", "tokens_in", "tokens_out")
    sums = ", ".join(f"COALESCE(SUM({column}), 0)" for column in columns)
    spent = Spent(*connection.execute(f"SELECT {sums} FROM spending").fetchone())
    if not spent.told and spent.asked > spent.cached:
        return spent
    return replace(spent, cost=prices.cost(spent.tokens_in, spent.tokens_out))


def _accounting(connection: sqlite3.Connection) -> Accounting:
    unparsable = f"SELECT status, COUNT(*) FROM files WHERE status != '{PARSED}' GROUP BY 1"
    by_status = "SELECT status, COUNT(*) FROM variants GROUP BY 1"
    reasons = "SELECT reason, COUNT(*) FROM variants WHERE status = '{}' GROUP BY 1 ORDER BY 2 DESC"
    statuses = _counts(connection, by_status)
    broken = statuses.pop(BROKEN, 0)
    return Accounting(
        files=_count(connection, "SELECT COUNT(*) FROM files"),
        unparsable=_counts(connection, unparsable),
        methods=_count(connection, "SELECT COUNT(*) FROM methods"),
        methods_without_site=_count(connection, _SITELESS),
        variants=sum(statuses.values()),
        answered=sum(n for status, n in statuses.items() if status != NO_ANSWER),
        inconclusive=statuses.get(INCONCLUSIVE, 0),
        no_answer=_counts(connection, reasons.format(NO_ANSWER)),
        broken=_counts(connection, reasons.format(BROKEN)) if broken else {},
        refusals=_refusals(connection),
        truncated=_count(connection, _TRUNCATED),
        without_gold=_count(connection, _WITHOUT_GOLD),
        varying=_counts(connection, _VARYING),
        words=_counts(connection, _WORDS),
    )


_TRUNCATED = """
SELECT COUNT(*) FROM variants v JOIN methods m USING (file, method)
WHERE (v.truncated OR m.truncated) AND v.status IN ('answered', 'inconclusive')
"""
_WITHOUT_GOLD = """
SELECT COUNT(*) FROM variants v JOIN methods m USING (file, method)
WHERE m.expected IS NULL AND v.status IN ('answered', 'inconclusive')
"""
_VARYING = "SELECT varies, COUNT(*) FROM methods WHERE unstable GROUP BY 1 ORDER BY 1"
_WORDS = """
SELECT error, MIN(text) FROM
    (SELECT error, text FROM methods UNION ALL SELECT error, text FROM variants)
WHERE error != '' AND text != '' GROUP BY 1 ORDER BY COUNT(*) DESC, 1
"""
_SITELESS = """
SELECT COUNT(*) FROM methods m WHERE NOT EXISTS
    (SELECT 1 FROM variants v WHERE v.file = m.file AND v.method = m.method)
"""


def _count(connection: sqlite3.Connection, query: str) -> int:
    (count,) = connection.execute(query).fetchone()
    return int(count)


def _counts(connection: sqlite3.Connection, query: str) -> dict[str, Any]:
    return dict(connection.execute(query))


def _refusals(connection: sqlite3.Connection) -> dict[str, dict[str, int]]:
    query = "SELECT transform, reason, COUNT(*) FROM refusals GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2"
    found: dict[str, dict[str, int]] = {}
    for transform, reason, count in connection.execute(query):
        found.setdefault(transform, {})[reason] = count
    return found
