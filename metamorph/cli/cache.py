"""`metamorph cache`: the answers that are kept, shown or emptied."""

import argparse

SUMMARY = "show or empty the answers that are kept for later runs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("action", choices=("info", "clear"))


def run(args: argparse.Namespace) -> int:
    """Tell where the cache is and how much it holds, or empty it."""
    from metamorph.cli import DONE, USAGE
    from metamorph.runs.cache import NAME, Cache, folder

    path = folder() / NAME
    if not path.exists():
        print(f"{path}: nothing is kept")
        return DONE
    if args.action == "clear":
        for suffix in ("", "-wal", "-shm"):
            path.with_name(NAME + suffix).unlink(missing_ok=True)
        print(f"{path}: removed")
        return DONE
    cache = Cache.open(folder())
    if cache is None:
        return USAGE
    print(f"{path}: {cache.count():,} answers, {path.stat().st_size / 1e6:.1f} MB")
    return DONE
