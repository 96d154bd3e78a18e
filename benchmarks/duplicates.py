"""The cost of finding near-duplicates: `python benchmarks/duplicates.py PATH... > duplicates.json`.

CPU seconds of one round, by stage: `read` the files, `bags` (tokenise and count), `group` equal
bags, `number` tokens and rows, `join` (all pairs), `cluster`. With `--brute N`, N files drawn by
chance are compared pair by pair too, and the shares of pairs found and found rightly are given.
With `--dpu`, dpu-utils (to be installed beside) searches the same files after. It has no tokeniser
for Java: it is given our tokens, or those of javalang, as its users would.
"""

import argparse
import json
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from environment import environment

from metamorph.corpus import read_sources
from metamorph.duplicates.clusters import Found, find
from metamorph.duplicates.collections import Settings, collect
from metamorph.duplicates.fingerprints import Bags
from metamorph.duplicates.join import Pairs, Rows, near_pairs, numbered
from metamorph.duplicates.lexing import RULES, tokens
from metamorph.duplicates.statistics import statistics
from metamorph.duplicates.thresholds import Thresholds
from metamorph.garbage import collect_seldom
from metamorph.java.source import SourceFile

LIMITS = Thresholds()


class Clock:
    """CPU seconds of named stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def run(self, name: str, work: Callable[[], Any]) -> Any:
        """What the work returns; its time is noted."""
        start = time.process_time()
        result = work()
        self.seconds[name] = round(time.process_time() - start, 3)
        return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", metavar="PATH", nargs="+", help="a folder or archive of Java")
    parser.add_argument("--unit", choices=("file", "method"), default="file")
    parser.add_argument("--tokens", choices=RULES, default=RULES[0])
    parser.add_argument("--brute", type=int, default=0, metavar="N")
    parser.add_argument("--dpu", choices=tuple(TOKENISERS), help="with whose tokens")
    args = parser.parse_args(arguments)
    collect_seldom()
    print(json.dumps(measured(args), indent=2))


def measured(args: argparse.Namespace) -> dict[str, object]:
    """All figures; the memory is told before others take theirs."""
    clock = Clock()
    clock.run("read", lambda: sum(1 for _ in read_sources(args.paths)))
    settings = Settings(args.unit, args.tokens)
    collection = clock.run("read and bags", lambda: collect(args.paths, settings))
    joined: list[float] = []

    def join(rows: Rows, limits: Thresholds) -> Pairs:
        start = time.process_time()
        pairs = near_pairs(rows, limits)
        joined.append(round(time.process_time() - start, 3))
        return pairs

    found = clock.run("find", lambda: find(collection.bags, LIMITS, join=join))
    large = collection.bags.chosen(found.large)
    clock.run("of find: number", lambda: numbered(large))
    figures: dict[str, object] = {
        "cpu_seconds": {**clock.seconds, "of find: join": joined[0]},
        "total": round(clock.seconds["read and bags"] + clock.seconds["find"], 3),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "found": _counts(found, len(collection.units)),
    }
    if args.brute:
        figures["brute_force"] = _brute(collection.bags, found, args.brute)
    if args.dpu:
        figures["dpu_utils"] = _dpu(args.paths, TOKENISERS[args.dpu])
    return {**figures, "environment": environment()}


def _counts(found: Found, read: int) -> dict[str, object]:
    counted = statistics(found, read, 0)
    return {
        "units": counted.units,
        "pairs": counted.pairs,
        "clusters": counted.clusters,
        "d": counted.factor,
        "largest": counted.largest,
    }


def _brute(bags: Bags, found: Found, count: int) -> dict[str, object]:
    """All pairs of a random part of the units by the definitions, against those found."""
    chosen = random.Random(0).sample(found.large.tolist(), min(count, len(found.large)))
    counters = {number: _counter(bags, number) for number in sorted(chosen)}
    right = {pair for pair in combinations(counters, 2) if _near(*(counters[n] for n in pair))}
    told = {(a, b) for a, b, _, _ in found.each_pair() if a in counters and b in counters}
    both = len(right & told)
    return {
        "units": len(counters),
        "pairs": len(right),
        "recall": both / len(right) if right else None,
        "precision": both / len(told) if told else None,
    }


def _counter(bags: Bags, number: int) -> Counter[int]:
    part = slice(bags.starts[number], bags.starts[number + 1])
    return Counter(dict(zip(bags.keys[part].tolist(), bags.counts[part].tolist(), strict=True)))


def _near(one: Counter[int], other: Counter[int]) -> bool:
    common = len(one.keys() & other.keys())
    if common / (len(one) + len(other) - common) < LIMITS.keys:
        return False
    return (one & other).total() / (one | other).total() >= LIMITS.bags


def _ours(data: bytes) -> list[str]:
    return [word.decode("utf-8", "replace") for word in tokens(data)]


def _javalang(data: bytes) -> list[str]:
    """Identifiers and literals; none of a file that javalang cannot read."""
    from javalang import tokenizer

    kinds = (tokenizer.Identifier, tokenizer.Literal)
    try:
        found = list(tokenizer.tokenize(data.decode("utf-8", "replace")))
    except tokenizer.LexerError:
        return []
    return [token.value for token in found if isinstance(token, kinds)]


TOKENISERS = {"ours": _ours, "javalang": _javalang}


def _dpu(paths: Sequence[str], tokenised: Callable[[bytes], list[str]]) -> dict[str, object]:
    """The same files by dpu-utils. It drops literals, so that its clusters are others."""
    from dpu_utils.codeutils.deduplication import DuplicateDetector

    clock = Clock()
    listed: list[tuple[str, list[str]]] = []

    def tokenise() -> None:
        for source in read_sources(paths):
            if isinstance(source, SourceFile):
                listed.append((source.path, tokenised(source.data)))

    detector: Any = DuplicateDetector()
    clock.run("read and tokenise", tokenise)
    clock.run("add", lambda: [detector.add_file(name, words) for name, words in listed])
    clusters = clock.run("find", detector.compute_duplicates)
    return {
        "cpu_seconds": clock.seconds,
        "total": round(float(np.sum(list(clock.seconds.values()))), 3),
        "clusters": len(clusters),
        "files": sum(map(len, clusters)),
    }


if __name__ == "__main__":
    main()
