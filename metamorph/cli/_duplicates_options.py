"""The options of `metamorph duplicates`, and what they stand for."""

import argparse
import importlib.util
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli._telling import say
from metamorph.cli.run import add_workers
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.corpus import Skipped
    from metamorph.duplicates.clusters import Join
    from metamorph.duplicates.collections import Settings
    from metamorph.duplicates.thresholds import Thresholds

_PATH = (
    "a .java file, a folder, a .zip, .jar or .tar.* archive, a .jsonl file with code, a "
    ".jsonl.gz token list, or @LIST"
)
RULES = ("identifiers+literals", "identifiers", "all")


def add_paths(parser: argparse.ArgumentParser) -> None:
    """The corpus."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help=_PATH)


def add_sets(parser: argparse.ArgumentParser) -> None:
    """The two sets of a split, the chart, the gate."""
    add = parser.add_argument
    add("--train", metavar="PATH", nargs="+", required=True, help=f"the training set: {_PATH}")
    add("--test", metavar="PATH", nargs="+", required=True, help="the test set")
    add("--svg", metavar="FILE", type=Path, help="draw the chart into this file too")
    add(
        "--fail-on-share",
        metavar="SHARE",
        type=_share,
        help="exit 1 if more than this share of the test set (0 to 1) has a copy in training",
    )


def add_choices(parser: argparse.ArgumentParser) -> None:
    """What is kept, and what is written."""
    add = parser.add_argument
    add("paths", metavar="PATH", nargs="*", help=_PATH)
    add(
        "--index",
        metavar="FILE",
        type=Path,
        help="a published duplication index, [[id, ...], ...], instead of a search",
    )
    add(
        "--prefer",
        metavar="PATH",
        action="append",
        default=[],
        help="keep those below this path rather than others; repeatable, the most wanted first",
    )
    add(
        "--write",
        choices=("exclude", "tree", "weights"),
        default="exclude",
        help="the ids to leave out, a copy of the files kept, or a weight 1/c of each id "
        "(default: exclude)",
    )
    add("--out", metavar="OUT", type=Path, help="file, for --write tree a new folder")


def add_split(parser: argparse.ArgumentParser) -> None:
    """How a corpus would be split."""
    parser.add_argument(
        "--train-share",
        metavar="SHARE",
        type=_share,
        default=0.6,
        help="the share of the training set under a random split (default: 0.6)",
    )


def add_format(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """The format of the result and where it goes."""
    parser.add_argument("--format", choices=formats, default="table", help="default: table")
    parser.add_argument("--out", metavar="FILE", type=Path, help="instead of stdout")


def add_detection(parser: argparse.ArgumentParser) -> None:
    """What a near-duplicate is."""
    group = parser.add_argument_group("near-duplicates")
    add = group.add_argument
    add("--unit", choices=("file", "method"), default="file", help="default: file")
    add("--tokens", choices=RULES, default=RULES[0], help=f"default: {RULES[0]}, as the paper")
    add("--set-threshold", metavar="T", type=_threshold, default=0.8, help="default: 0.8")
    add("--multiset-threshold", metavar="T", type=_threshold, default=0.7, help="default: 0.7")
    add("--strict", action="store_true", help="above the thresholds, not at them")
    add("--min-tokens", metavar="N", type=_count, default=20, help="default: 20")
    add(
        "--cluster",
        choices=("closure", "leader"),
        default="closure",
        help="all that a chain of pairs links, or each leader with its near-duplicates "
        "(default: closure)",
    )
    add_workers(group)
    add(
        "--engine",
        choices=("memory", "duckdb"),
        default="memory",
        help="duckdb: the same join by DuckDB, which goes to disk where memory is short",
    )
    add("--memory-limit", metavar="SIZE", default="1GB", help="of duckdb (default: 1GB)")
    add("--tokens-field", metavar="NAME", default="tokens", help="of token lists")
    add("--id-fields", metavar="A:B", default="filename", help="of token lists")


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return share


def _threshold(text: str) -> float:
    threshold = _share(text)
    if threshold < 0.05:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0.05 to 1")
    return threshold


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return int(text)


def limits(args: argparse.Namespace) -> "Thresholds":
    """When two units are near-duplicates."""
    from metamorph.duplicates.thresholds import Thresholds

    return Thresholds(args.set_threshold, args.multiset_threshold, args.min_tokens, args.strict)


def settings(args: argparse.Namespace) -> "Settings":
    """What is read, and how."""
    from metamorph.duplicates.collections import Settings
    from metamorph.duplicates.token_lists import Fields

    fields = Fields(args.tokens_field, tuple(args.id_fields.split(":")))
    return Settings(args.unit, args.tokens, fields, args.workers)


def engine(args: argparse.Namespace) -> "Join":
    """The join that finds the pairs."""
    from metamorph.duplicates.join import near_pairs

    if args.engine == "memory":
        return near_pairs
    if importlib.util.find_spec("duckdb") is None:
        raise UserError("--engine duckdb: not installed; pip install 'metamorph-java[duckdb]'")
    from metamorph.duplicates.duckdb_join import Engine

    return Engine(args.memory_limit)


def told(args: argparse.Namespace) -> dict[str, object]:
    """The settings, for a report; what does not bear on the result is left out."""
    return {
        "unit": args.unit,
        "tokens": args.tokens,
        "set_threshold": args.set_threshold,
        "multiset_threshold": args.multiset_threshold,
        "strict": args.strict,
        "min_tokens": args.min_tokens,
        "cluster": args.cluster,
    }


def tell_skipped(skipped: Sequence["Skipped"]) -> None:
    """How many could not be read, by reason, on stderr."""
    for reason, count in sorted(Counter(each.reason for each in skipped).items()):
        example = next(each.path for each in skipped if each.reason == reason)
        say(f"{count:,} skipped, {reason}: {example}")
