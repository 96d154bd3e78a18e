"""A training corpus: a folder of projects, split by whole projects or by files."""

import os
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from metamorph.durable import is_draft
from metamorph.errors import UserError

PARTS = ("train", "valid", "test")
Split = Mapping[str, str]
"""The part of each project, or of each file `PROJECT/PATH`; a file's own goes first."""

SplitBy = Literal["project", "file"]


@dataclass(frozen=True, slots=True)
class Shares:
    """The per cent of projects or files for validation and for the test; the rest is to learn."""

    valid: int = 10
    test: int = 10

    def __str__(self) -> str:
        return f"{100 - self.valid - self.test}:{self.valid}:{self.test}"


def projects(corpus: Path) -> list[str]:
    """The names of the sub-folders, each a project, sorted."""
    if not corpus.is_dir():
        raise UserError(f"{corpus}: no such folder; --corpus takes a folder of project folders")
    folders = (entry.name for entry in corpus.iterdir() if entry.is_dir())
    found = sorted(name for name in folders if not is_draft(name))
    if not found:
        raise UserError(f"{corpus}: no projects; each sub-folder is read as one project")
    return found


def java_files(project: Path) -> list[Path]:
    """The project's .java files, sorted; links are not followed, unfinished folders not read."""
    found: list[Path] = []
    folders = [project]
    for folder in folders:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders += [] if is_draft(entry.name) else [Path(entry)]
                elif entry.name.endswith(".java") and entry.is_file():
                    found.append(Path(entry))
    return sorted(found)


def file_names(corpus: Path, project: str) -> list[str]:
    """The project's files as a split names them, sorted."""
    return [path.relative_to(corpus).as_posix() for path in java_files(corpus / project)]


def read_split(file: Path, names: Sequence[str]) -> dict[str, str]:
    """Lines `NAME<TAB>train|valid|test`, a project's name or a file's behind it.

    What has no line is left out, and so are lines of projects that are not there.
    """
    split: dict[str, str] = {}
    known = set(names)
    for number, line in enumerate(file.read_text("utf-8", "surrogateescape").splitlines(), 1):
        name, _, part = line.rpartition("\t")
        if part in PARTS and name.partition("/")[0] in known:
            split[name] = part
        elif part not in PARTS and number > 1:
            raise UserError(f"{file}:{number}: {part!r} is no part; one of {', '.join(PARTS)}")
    return _checked(split, str(file))


def write_split(split: Split, file: Path) -> None:
    """Write the lines that `read_split` reads."""
    lines = [f"{name}\t{part}\n" for name, part in sorted(split.items())]
    file.write_text("".join(lines), "utf-8", "surrogateescape")


def seeded_split(names: Sequence[str], seed: int, shares: Shares | None = None) -> dict[str, str]:
    """The names dealt by chance: one at least for validation, and one for the test."""
    shares = shares or Shares()
    shuffled = sorted(names)
    random.Random(seed).shuffle(shuffled)
    valid = max(1, len(shuffled) * shares.valid // 100)
    test = max(1, len(shuffled) * shares.test // 100)
    split = dict.fromkeys(shuffled, "train")
    split.update(dict.fromkeys(shuffled[:valid], "valid"))
    split.update(dict.fromkeys(shuffled[valid : valid + test], "test"))
    return _checked(split, "the corpus")


def chosen_split(
    corpus: Path, file: Path | None, by: SplitBy, shares: Shares, seed: int
) -> dict[str, str]:
    """The split that a file tells, or else one by the seed."""
    names = projects(corpus)
    if file is not None:
        return read_split(file, names)
    if by == "file":
        names = [name for project in names for name in file_names(corpus, project)]
    return seeded_split(names, seed, shares)


def write_list(out: Path, corpus: Path, names: Iterable[str]) -> None:
    """Write a list of files `PROJECT/PATH` that commands take as `@LIST`."""
    lines = [f"{corpus.absolute() / name}\n" for name in names]
    out.write_text("".join(lines), "utf-8", "surrogateescape")


def split_words(file: Path | None, by: SplitBy, shares: Shares) -> list[str]:
    """The options that choose the split again, its path left out."""
    if file is not None:
        return ["--split", "SPLIT"]
    return ["--split-by", by, "--shares", str(shares)]


def part_of(split: Split, part: str) -> list[str]:
    """The names of one part, sorted."""
    return sorted(name for name, of in split.items() if of == part)


def part_of_file(split: Split, name: str) -> str | None:
    """The part that `PROJECT/PATH` is in, None for none."""
    return split.get(name, split.get(name.partition("/")[0]))


def projects_in(split: Split, part: str) -> list[str]:
    """The projects that have anything in a part, sorted."""
    return sorted({name.partition("/")[0] for name in part_of(split, part)})


def projects_of(split: Split) -> list[str]:
    """The projects that have anything in any part, sorted."""
    return sorted({name.partition("/")[0] for name in split})


def files_in(corpus: Path, split: Split, part: str) -> Iterator[str]:
    """The names of all files of a part, sorted by project."""
    for project in projects_in(split, part):
        for name in file_names(corpus, project):
            if part_of_file(split, name) == part:
                yield name


def _checked(split: dict[str, str], source: str) -> dict[str, str]:
    for part in PARTS:
        if not part_of(split, part):
            raise UserError(f"{source}: no project or file is left for {part}; three are the least")
    return split
