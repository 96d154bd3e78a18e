"""`metamorph duplicates`: near-duplicates in a corpus or across a split, and their removal."""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli import DONE, GATE_FAILED
from metamorph.cli import _duplicates_options as options
from metamorph.cli._output import deliver
from metamorph.cli._telling import say
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.duplicates.clusters import Found
    from metamorph.duplicates.collections import Collection

SUMMARY = "find near-duplicates in a corpus, across a split, and take them out"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-commands."""
    actions = parser.add_subparsers(dest="action", metavar="find|stats|audit|dedup", required=True)
    find = actions.add_parser("find", help="clusters of near-duplicate files or methods")
    options.add_paths(find)
    options.add_format(find, ("table", "json", "jsonl", "published"))
    find.add_argument(
        "--check",
        choices=("clusters", "all", "none"),
        default="clusters",
        help="whose syntax to check, for the list of parse errors (default: clusters)",
    )
    stats = actions.add_parser("stats", help="the duplication statistics of a corpus")
    options.add_paths(stats)
    options.add_format(stats, ("table", "json"))
    options.add_split(stats)
    audit = actions.add_parser("audit", help="duplicates within and across training and test set")
    options.add_sets(audit)
    options.add_format(audit, ("table", "json"))
    dedup = actions.add_parser("dedup", help="keep one of each cluster")
    options.add_choices(dedup)
    for command in (find, stats, audit, dedup):
        options.add_detection(command)


def run(args: argparse.Namespace) -> int:
    """Do what `args.action` says."""
    return {"find": _find, "stats": _stats, "audit": _audit, "dedup": _dedup}[args.action](args)


def _searched(args: argparse.Namespace, collection: "Collection") -> "Found":
    from metamorph.duplicates.clusters import find

    options.tell_skipped(collection.skipped)
    join = options.engine(args)
    return find(collection.bags, options.limits(args), args.cluster, join)


def _collected(args: argparse.Namespace, paths: list[str]) -> "Collection":
    from metamorph.duplicates.collections import collect

    collection = collect(paths, options.settings(args))
    if not collection.units and not collection.skipped:
        raise UserError(f"{' '.join(paths)}: no Java and no token list; name other paths")
    return collection


def _find(args: argparse.Namespace) -> int:
    from metamorph.duplicates import listings, published
    from metamorph.duplicates.statistics import statistics

    collection = _collected(args, args.paths)
    found = _searched(args, collection)
    ids = [unit.id for unit in collection.units]
    if args.format == "published":
        clusters = published.index([[ids[n] for n in c.members] for c in found.clusters])
        deliver([clusters], args.out and Path(f"{args.out}.json"))
        if args.out:
            pairs = listings.named_pairs(found, ids)
            deliver(published.log(pairs), Path(f"{args.out}.log"))
        return DONE
    listed = listings.listed(found, ids)
    if args.format == "jsonl":
        deliver((json.dumps(row) + "\n" for row in listed), args.out)
        return DONE
    counted = statistics(found, len(ids), len(collection.skipped))
    wrong = listings.parse_errors(args.paths, collection, found, args.check)
    if args.format == "json":
        whole = {
            "settings": options.told(args),
            "statistics": asdict(counted),
            "clusters": listed,
            "parse_errors": wrong,
            "skipped": listings.skips(collection.skipped),
        }
        deliver([json.dumps(whole, indent=1) + "\n"], args.out)
    else:
        deliver(listings.table(listed, counted, wrong, args.unit), args.out)
    return DONE


def _stats(args: argparse.Namespace) -> int:
    from metamorph.duplicates.listings import statistics_table
    from metamorph.duplicates.statistics import statistics

    collection = _collected(args, args.paths)
    found = _searched(args, collection)
    skipped = len(collection.skipped)
    counted = statistics(found, len(collection.units), skipped, args.train_share)
    if args.format == "json":
        whole = {"settings": options.told(args), "statistics": asdict(counted)}
        deliver([json.dumps(whole, indent=1) + "\n"], args.out)
    else:
        deliver(statistics_table(counted, args.unit), args.out)
    return DONE


def _audit(args: argparse.Namespace) -> int:
    from metamorph.duplicates import audit_report
    from metamorph.duplicates.audits import audit
    from metamorph.duplicates.collections import combined

    train, test = _collected(args, args.train), _collected(args, args.test)
    both = combined(train, test)
    found = _searched(args, both)
    result = audit(found, both.units, len(train.units))
    if args.format == "json":
        whole = {"settings": options.told(args), **asdict(result)}
        deliver([json.dumps(whole, indent=1) + "\n"], args.out)
    else:
        deliver(audit_report.table(result, args.unit), args.out)
    if args.svg:
        deliver([audit_report.svg(result)], args.svg)
    return _judged(args.fail_on_share, result.test.share)


def _judged(limit: float | None, share: float | None) -> int:
    """The gate: an empty test set cannot pass it."""
    if limit is None:
        return DONE
    if share is not None and share <= limit:
        return DONE
    told = "there is no test unit" if share is None else f"{share:.4f} is above {limit:g}"
    say(f"gate: cross-set share of the test set: {told}")
    return GATE_FAILED


def _dedup(args: argparse.Namespace) -> int:
    from metamorph.duplicates import choices, dedup
    from metamorph.duplicates.published import read_index

    if not args.paths and not args.index:
        raise UserError("dedup: names nothing; give PATHs, or a published index by --index")
    if args.write == "tree" and (args.unit != "file" or args.out is None):
        raise UserError("--write tree: copies files; give --unit file and a new folder as --out")
    index = read_index(args.index) if args.index else None
    if not args.paths:
        assert index is not None
        return _of_index(index, args)
    collection = _collected(args, args.paths)
    units = collection.units
    if index is None:
        found = _searched(args, collection)
        clusters = [list(cluster.members) for cluster in found.clusters]
    else:
        clusters, unknown = dedup.matched(index, units)
        if unknown:
            say(f"{len(unknown):,} ids of the index are not in PATH")
    if args.write == "weights":
        weights = choices.weights(clusters, len(units))
        deliver(dedup.weight_lines(units, weights), args.out)
        return DONE
    gone = choices.excluded(clusters, units, args.prefer)
    say(f"{len(gone):,} of {len(units):,} excluded")
    if args.write == "exclude":
        deliver((f"{units[number].id}\n" for number in gone), args.out)
        return DONE
    dedup.copy_tree(args.paths, {units[number].path for number in gone}, args.out)
    return DONE


def _of_index(index: list[list[str]], args: argparse.Namespace) -> int:
    """Without a corpus there is nothing to copy or to prefer."""
    from metamorph.duplicates.dedup import index_exclusions, index_weights

    if args.write == "tree":
        raise UserError("--write tree: there is nothing to copy; name the corpus too")
    if args.write == "weights":
        deliver(index_weights(index), args.out)
    else:
        deliver((f"{name}\n" for name in index_exclusions(index)), args.out)
    return DONE
