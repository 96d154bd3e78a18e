"""Path contexts per CPU-second: `python benchmarks/contexts.py PATH... > contexts.json`.

Measures what `metamorph contexts` does but for printing, on one core: each method's line, all its
contexts in it, as the official extractor makes them. `seconds` leave parsing out and
`with_parsing` holds it. The files are read beforehand. Of several rounds the quickest counts.
"""

import time
from collections.abc import Sequence

from environment import environment, print_rounds

from metamorph.corpus import read_sources
from metamorph.garbage import collect_seldom
from metamorph.java.source import SourceFile
from metamorph.java.tree import Tree
from metamorph.models.contexts.lines import context_lines, parse_source
from metamorph.models.contexts.writers import Style

STYLES: tuple[Style, ...] = ("code2vec", "code2seq")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print all figures as JSON."""
    collect_seldom()
    print_rounds(__doc__, measured, arguments)


def measured(paths: Sequence[str], rounds: int) -> dict[str, object]:
    """The figures of both styles over the files that parse."""
    files = [each for each in read_sources(paths) if isinstance(each, SourceFile)]
    return {
        "corpus": {"files": len(files), "bytes": sum(len(file.data) for file in files)},
        "rounds": rounds,
        **{style: _quickest(files, style, rounds) for style in STYLES},
        "environment": environment(),
    }


def _quickest(files: Sequence[SourceFile], style: Style, rounds: int) -> dict[str, float]:
    figures = [_round(files, style) for _ in range(rounds)]
    return min(figures, key=lambda each: each["with_parsing"])


def _round(files: Sequence[SourceFile], style: Style) -> dict[str, float]:
    """One pass, file by file: no tree outlives its file."""
    parsing = extracting = 0.0
    methods = contexts = 0
    for file in files:
        begun = time.process_time()
        tree = parse_source(file.data)
        parsed = time.process_time()
        if not tree.has_error:
            made = _made(tree, style)
            methods += len(made)
            contexts += sum(made)
        extracting += time.process_time() - parsed
        parsing += parsed - begun
    return {
        "methods": methods,
        "contexts": contexts,
        "seconds": round(extracting, 3),
        "with_parsing": round(parsing + extracting, 3),
        "methods_per_second": round(methods / extracting, 1),
        "contexts_per_second": round(contexts / extracting),
        "methods_per_second_with_parsing": round(methods / (parsing + extracting), 1),
    }


def _made(tree: Tree, style: Style) -> list[int]:
    """How many contexts each line holds."""
    return [line.count(" ") for line in context_lines(tree, style)]


if __name__ == "__main__":
    main()
