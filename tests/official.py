"""The tiny official code2vec checkpoint, its recorded answers, and ways to damage a copy."""

import itertools
import json
import pickle
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from metamorph.java.tree import Tree, parse
from metamorph.models import Example, Options, load
from metamorph.models.contexts import Context, extract
from metamorph.models.official_code2vec import OfficialCode2Vec
from metamorph.models.tensor_bundle import read_bundle

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
RELEASED = FIXTURES / "official" / "code2vec"
PREFIX = RELEASED / "saved_model.release"
RECORDED = [json.loads(line) for line in (RELEASED / "answers.jsonl").read_text().splitlines()]


def official(rest: Path | str, **options: Any) -> OfficialCode2Vec:
    model = load(f"code2vec:{rest}", Options(**options))
    assert isinstance(model, OfficialCode2Vec)
    return model


def examples(file: str) -> list[Example]:
    tree = parse((FIXTURES / "corpus" / "sample" / file).read_bytes())
    found = [Example(f"{file}:{node}", tree, node) for node in with_bodies(tree)]
    return [example for example in found if bag(example)]


def with_bodies(tree: Tree) -> list[int]:
    methods = (node for node, kind in enumerate(tree.kind) if kind == "method_declaration")
    return [node for node in methods if tree.child(node, "body") >= 0]


def bag(example: Example) -> list[Context]:
    return extract(example.tree, example.node, "code2vec", 200).contexts


def recorded() -> list[tuple[Example, Mapping[str, Any]]]:
    pairs: list[tuple[Example, Mapping[str, Any]]] = []
    for file, answers in itertools.groupby(RECORDED, lambda answer: answer["file"]):
        pairs += zip(examples(file), answers, strict=True)
    return pairs


def copied(folder: Path) -> Path:
    """A copy of the tiny checkpoint that a test may damage."""
    return Path(shutil.copytree(RELEASED, folder / "released")) / PREFIX.name


def dictionaries(prefix: Path) -> list[Any]:
    with (prefix.parent / "dictionaries.bin").open("rb") as file:
        return [pickle.load(file) for _ in range(9)]


def write_dictionaries(prefix: Path, found: Sequence[Any]) -> None:
    whole = b"".join(map(pickle.dumps, found))
    (prefix.parent / "dictionaries.bin").write_bytes(whole)


def tables(prefix: Path) -> dict[str, npt.NDArray[Any]]:
    bundle = read_bundle(prefix)
    return {name: np.array(bundle.tensor(name)) for name in bundle.names()}
