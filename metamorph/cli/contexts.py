"""`metamorph contexts`: the path contexts of methods, as the official JavaExtractor prints them."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from metamorph.cli import _limits
from metamorph.cli._model_options import positive
from metamorph.cli._telling import say
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.java.source import SourceFile
    from metamorph.java.tree import Tree
    from metamorph.limits import Guard
    from metamorph.models.contexts.writers import Comments, Style

    Told = tuple[Style, int | None, bool, Comments]

SUMMARY = "print path contexts of methods, line by line as the official JavaExtractor does"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    add(
        "paths",
        metavar="PATH",
        nargs="+",
        help="a .java file (bare methods or statements too), a folder, an archive or a .jsonl file",
    )
    add("--style", choices=("code2vec", "code2seq"), required=True, help="whose lines to print")
    add("--no-hash", action="store_true", help="print code2vec's paths instead of their hashes")
    add(
        "--comments",
        choices=("strip", "official"),
        default="strip",
        help="strip: as if they were not there; official: they move and rename what they stand at, "
        "as in the official extractor (default: strip)",
    )
    add("--max-contexts", metavar="N", type=positive, help="the first N contexts of each method")
    _limits.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print a line a method; what was skipped is told on stderr."""
    from metamorph.corpus import Skipped, read_sources
    from metamorph.models.contexts import checked_comments

    comments = checked_comments(args.comments)
    read = skipped = 0
    for source in read_sources(args.paths):
        read += 1
        if isinstance(source, Skipped):
            skipped += _skip(source.path, source.reason)
            continue
        skipped += _print(source, args, comments)
    if read == skipped:
        fault = f"none of {read} parses" if read else "no Java"
        raise UserError(f"{' '.join(args.paths)}: {fault}; give a Java source or a folder of them")
    return 0


def _print(source: "SourceFile", args: argparse.Namespace, comments: "Comments") -> int:
    """Print the lines of a file; 1 if it was skipped."""
    from metamorph.limits import Guard, OverLimitError
    from metamorph.models.contexts.lines import each_line, parse_source

    guard = Guard(_limits.limits_of(args))
    try:
        with guard:
            tree = parse_source(source.data)
            nodes = [] if tree.has_error else tree.of_kinds(("method_declaration",))
    except OverLimitError as over:
        return _skip(source.path, over.reason)
    if tree.has_error:
        return _skip(source.path, "does not parse")
    told = (args.style, args.max_contexts, not args.no_hash, comments)
    done = 0
    try:
        for line in guard.each(each_line(tree, nodes, *told)):
            done += 1
            guard.begin_method()
            _tell(line)
    except OverLimitError:
        _print_one_by_one(source.path, tree, nodes, done, guard, told)
    return 0


def _print_one_by_one(
    path: str, tree: "Tree", nodes: Sequence[int], done: int, guard: "Guard", told: "Told"
) -> None:
    """The lines of the other methods; many at a time were too much, so that each is made alone."""
    from metamorph.limits import OverLimitError
    from metamorph.models.contexts.lines import each_line

    for number, node in enumerate(nodes[done:], done + 1):
        guard.begin_method()
        try:
            with guard:
                line = "".join(each_line(tree, [node], *told))
        except OverLimitError as over:
            say(f"{path}: method {number} of {len(nodes)} skipped, {over.reason}")
            continue
        _tell(line)


def _tell(line: str) -> None:
    if line:
        print(line)


def _skip(path: str, reason: str) -> int:
    say(f"{path}: skipped, {reason}")
    return 1
