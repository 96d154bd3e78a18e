"""code2vec's .c2v and code2seq's .c2s files, with what the official programs read besides."""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from random import Random

from metamorph.java.tree import Tree
from metamorph.models.contexts import Style, extract
from metamorph.suites.formats.files import Lines, Series
from metamorph.suites.formats.shapes import Each
from metamorph.suites.lexemes import lexemes
from metamorph.suites.recipes import Recipe
from metamorph.suites.records import Counts, Entry, Program

PREFIX = "suite"
TRAIN = "train"
NO_CONTEXTS = "no-contexts"

_PICKLES = 4


@dataclass(frozen=True, slots=True)
class Layout:
    """What one of the two asks for.

    fields: of a row, the label not counted; train, others: the most contexts of a method in the
    split `train` and elsewhere; words, labels, paths: the most entries of each vocabulary.
    """

    style: Style
    ending: str
    fields: int
    train: int
    others: int
    words: int
    labels: int
    paths: int | None


LAYOUTS = {
    "c2v": Layout("code2vec", "c2v", 200, 200, 200, 1_301_136, 261_245, 911_417),
    "c2s": Layout("code2seq", "c2s", 1000, 1000, 200, 186_277, 26_347, None),
}
"""The sizes are those of the official preprocessing."""


@dataclass(slots=True)
class Histograms:
    """How often tokens, paths and labels occur in the contexts as they were extracted."""

    words: Counter[str] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    rows: int = 0

    def add(self, line: str, style: Style) -> None:
        """Count a line; code2seq counts the parts of tokens, paths and labels."""
        label, *contexts = line.split(" ")
        columns = list(zip(*(context.split(",") for context in contexts), strict=True))
        self.rows += 1
        self.labels.update(_parts((label,), style))
        self.words.update(_parts(columns[0] + columns[2], style))
        self.paths.update(_parts(columns[1], style))


def _parts(texts: Sequence[str], style: Style) -> Sequence[str]:
    return "|".join(texts).split("|") if style == "code2seq" else texts


class PathContexts:
    """FOLDER/suite.SPLIT.raw.txt and .c2v, those of the originals beside them, line by line.

    suite.SPLIT.ids.txt tells the record of each line. Vocabularies are those of the split
    `train`, or where there is none of the first split.
    """

    def __init__(self, layout: Layout, out: Path, recipe: Recipe, counts: Counts) -> None:
        self._layout = layout
        self._out = out / layout.style
        self._seed = recipe.settings.seed
        self._splits = [name for name, _ in recipe.splits]
        self._counts = counts
        self._files = Series(lambda name: self._out / f"{PREFIX}.{name}.txt")

    def add(self, shape: tuple[str, str, str, str]) -> None:
        """Write the contexts of the variant and of its original."""
        split, before, after, id = shape
        if not (before and after):
            self._counts.unused[f"{self._layout.ending} {NO_CONTEXTS}"] += 1
            return
        self._files.write(f"{split}.raw", after)
        self._files.write(f"{split}.original.raw", before)
        self._files.write(f"{split}.ids", id)

    def close(self) -> None:
        """Write the histograms, the dictionary, and the rows of all lines."""
        self._files.close()
        written = self._files.names()
        basis = [split for split in (TRAIN, *self._splits) if f"{split}.raw" in written]
        if not basis:
            return
        counted = Histograms()
        for line in _lines(self._out / f"{PREFIX}.{basis[0]}.raw.txt"):
            counted.add(line, self._layout.style)
        self._write_histograms(counted)
        words, paths = self._write_dictionary(counted)
        for name in written:
            if name.endswith(".raw"):
                self._write_rows(name.removesuffix(".raw"), words, paths)

    def _write_histograms(self, counted: Histograms) -> None:
        style, ending = self._layout.style, self._layout.ending
        ours = (("ori", counted.words), ("tgt", counted.labels), ("path", counted.paths))
        for name, counter in ours:
            name = "node" if name == "path" and style == "code2seq" else name
            file = Lines(self._out / f"{PREFIX}.histo.{name}.{ending}")
            for word, count in sorted(counter.items(), key=lambda each: (-each[1], each[0])):
                file.write(f"{word} {count}")
            file.close()

    def _write_dictionary(self, counted: Histograms) -> tuple[dict[str, int], dict[str, int]]:
        """The pickles that training reads; the vocabularies of tokens and paths."""
        layout = self._layout
        words = _most_frequent(counted.words, layout.words)
        paths = _most_frequent(counted.paths, layout.paths)
        labels = _most_frequent(counted.labels, layout.labels)
        told: list[object] = [words, paths, labels]
        told += [layout.fields] if layout.style == "code2seq" else []
        with open(self._out / f"{PREFIX}.dict.{layout.ending}", "xb") as file:
            for value in (*told, counted.rows):
                pickle.dump(value, file, protocol=_PICKLES)
        return words, paths

    def _write_rows(self, name: str, words: dict[str, int], paths: dict[str, int]) -> None:
        """The lines cut to the number of contexts, and padded to that of fields."""
        layout = self._layout
        most = layout.train if name.partition(".")[0] == TRAIN else layout.others
        file = Lines(self._out / f"{PREFIX}.{name}.{layout.ending}")
        for number, line in enumerate(_lines(self._out / f"{PREFIX}.{name}.raw.txt")):
            label, *contexts = line.split(" ")
            rng = Random(f"{self._seed} {name} {number}")
            if layout.style == "code2seq":
                kept = _drawn(range(len(contexts)), most, rng)
            else:
                kept = _known_first(contexts, most, words, paths, rng)
            row = [label, *(contexts[n] for n in kept)]
            file.write(" ".join(row) + " " * (layout.fields + 1 - len(row)))
        file.close()


def _shape(style: Style, entry: Entry) -> tuple[str, str, str, str]:
    """The split, the lines of the original and of the variant, and the record's id."""
    before, after = _original(entry.program, style), _line(entry.tree, 0, style)
    return entry.split, before, after, entry.record["id"]


@lru_cache(maxsize=2)
def _original(program: Program, style: Style) -> str:
    return _line(program.method.tree, program.method.node, style)


def _line(tree: Tree, node: int, style: Style) -> str:
    """What the official extractor prints of a method; "" where that is nothing."""
    body = list(islice(lexemes(tree, tree.child(node, "body")), 3))
    if style == "code2vec" and body == ["{", "}"]:
        return ""
    line = extract(tree, node, style).line()
    return line if " " in line else ""


def _lines(place: Path) -> Iterator[str]:
    with open(place, encoding="utf-8", errors="surrogatepass", newline="\n") as lines:
        for line in lines:
            yield line.removesuffix("\n")


def _most_frequent(counts: Counter[str], most: int | None) -> dict[str, int]:
    """What is left of a histogram: of those as frequent as the first that is too many, none."""
    least = 0
    if most is not None and len(counts) > most:
        least = sorted(counts.values(), reverse=True)[most] + 1
    return {word: count for word, count in sorted(counts.items()) if count >= least}


def _drawn(places: Iterable[int], most: int, rng: Random) -> list[int]:
    """At most so many of these, by chance, in order."""
    among = list(places)
    return among if len(among) <= most else sorted(rng.sample(among, most))


def _known_first(
    contexts: list[str], most: int, words: dict[str, int], paths: dict[str, int], rng: Random
) -> list[int]:
    """Which contexts a row keeps: of too many, those known whole, then those known in part."""
    if len(contexts) <= most:
        return list(range(len(contexts)))
    whole: list[int] = []
    part: list[int] = []
    for number, context in enumerate(contexts):
        start, path, end = context.split(",")
        known = (start in words, path in paths, end in words)
        if any(known):
            (whole if all(known) else part).append(number)
    if len(whole) >= most:
        return _drawn(whole, most, rng)
    return sorted(whole + _drawn(part, most - len(whole), rng))


def shaper(name: str, recipe: Recipe, scratch: Path) -> Each:
    """Of contexts."""
    return Each(partial(_shape, LAYOUTS[name].style))


def opened(name: str, sources: Path, out: Path, recipe: Recipe, counts: Counts) -> PathContexts:
    """The writer."""
    return PathContexts(LAYOUTS[name], out, recipe, counts)
