"""A training corpus: a folder of projects, split by whole projects."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from metamorph.errors import UserError

PARTS = ("train", "valid", "test")
Split = Mapping[str, str]


def projects(corpus: Path) -> list[str]:
    """The names of the sub-folders, each a project, sorted."""
    if not corpus.is_dir():
        raise UserError(f"{corpus}: no such folder; --corpus takes a folder of project folders")
    found = sorted(entry.name for entry in corpus.iterdir() if entry.is_dir())
    if not found:
        raise UserError(f"{corpus}: no projects; each sub-folder is read as one project")
    return found


def java_files(project: Path) -> list[Path]:
    """The project's .java files, sorted; links are not followed."""
    return sorted(path for path in project.rglob("*.java") if path.is_file())


def read_split(file: Path, names: Sequence[str]) -> dict[str, str]:
    """Lines `project<TAB>train|valid|test`; projects without a line are left out."""
    split: dict[str, str] = {}
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        project, _, part = line.partition("\t")
        if part in PARTS and project in names:
            split[project] = part
        elif part not in PARTS and number > 1:
            raise UserError(f"{file}:{number}: {part!r} is no part; one of {', '.join(PARTS)}")
    return _checked(split, str(file))


def seeded_split(names: Sequence[str], seed: int) -> dict[str, str]:
    """A tenth of the projects, one at least, for validation, as many for the test."""
    shuffled = sorted(names)
    random.Random(seed).shuffle(shuffled)
    held = max(1, len(shuffled) // 10)
    split = dict.fromkeys(shuffled, "train")
    split.update(dict.fromkeys(shuffled[:held], "valid"))
    split.update(dict.fromkeys(shuffled[held : 2 * held], "test"))
    return _checked(split, "the corpus")


def part_of(split: Split, part: str) -> list[str]:
    """The projects of one part, sorted."""
    return sorted(project for project, of in split.items() if of == part)


def _checked(split: dict[str, str], source: str) -> dict[str, str]:
    for part in PARTS:
        if not part_of(split, part):
            raise UserError(f"{source}: no project is left for {part}; three are the least")
    return split
