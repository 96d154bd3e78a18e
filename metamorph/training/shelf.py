"""The shards of a corpus: made where they are missing, read a part of the split at a time."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from metamorph.errors import UserError
from metamorph.models.contexts import Style
from metamorph.training.corpus import (
    PARTS,
    Split,
    file_names,
    part_of_file,
    projects_in,
    projects_of,
    write_list,
    write_split,
)
from metamorph.training.extraction import Extraction, extract_project
from metamorph.training.shards import Shard, of_files, read, save

_ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where a corpus' contexts lie.

    contexts: of a method; most_methods: of a project's training files, None for all, which makes
    shards that serve any split; left_out: training files that are not used.
    """

    corpus: Path
    folder: Path
    style: Style
    split: Split
    left_out: frozenset[str]
    contexts: int
    most_methods: int | None
    seed: int

    def fill(self) -> None:
        """Make the shards that are not there yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._check()
        missing = [name for name in projects_of(self.split) if not self._file(name).exists()]
        for number, project in enumerate(missing, 1):
            part = partial(self._use, project)
            settings = Extraction(self.contexts, self.most_methods, self.seed, part)
            shards, counts = extract_project(self.corpus / project, settings)
            counts_file = self.folder / f"{project}.json"
            counts_file.write_text(json.dumps(counts.as_dict()), "utf-8")
            for style, shard in shards.items():
                save(shard, self.folder / f"{project}.{style}.npz")
            methods = len(shards[self.style])
            text = f"{number}/{len(missing)} {project}: {methods} methods"
            print(text, file=sys.stderr, flush=True)

    def part(self, part: str) -> Iterator[Shard]:
        """The shards of a part's projects, each with the methods of that part's files."""
        for project in projects_in(self.split, part):
            shard = read(self._file(project))
            wanted = {file for file in shard.files if self._use(project, file) == part}
            yield of_files(shard, wanted)

    def write_lists(self, out: Path) -> None:
        """Write the split, and for each part the list of its files, as `@LIST` is read."""
        write_split(self.split, out / "split.tsv")
        parts: dict[str, list[str]] = {part: [] for part in PARTS}
        for project in projects_of(self.split):
            learnt = set(read(self._file(project)).files) if self.most_methods else None
            for name in file_names(self.corpus, project):
                file = name.partition("/")[2]
                part = self._use(project, file)
                passed = part == "train" and learnt is not None and file not in learnt
                if part is not None and not passed:
                    parts[part].append(name)
        for part, names in parts.items():
            write_list(out / f"{part}.txt", self.corpus, names)

    def _use(self, project: str, file: str) -> str | None:
        """The part that a project's file is used for."""
        name = f"{project}/{file}"
        part = part_of_file(self.split, name)
        return None if part == "train" and name in self.left_out else part

    def _file(self, project: str) -> Path:
        return self.folder / f"{project}.{self.style}.npz"

    def _check(self) -> None:
        """Shards of a limited number of methods are those of one split, seed and corpus."""
        about: dict[str, object] = {"most_methods": self.most_methods}
        if self.most_methods is not None:
            whole = json.dumps([sorted(self.split.items()), sorted(self.left_out), self.seed])
            about["made_for"] = sha256(whole.encode("utf-8", "surrogateescape")).hexdigest()
        file = self.folder / _ABOUT
        if file.exists() and json.loads(file.read_text("utf-8")) != about:
            raise UserError(
                f"{self.folder}: shards of another split, seed or --most-methods; "
                "give another folder as --shards"
            )
        file.write_text(json.dumps(about), "utf-8")
