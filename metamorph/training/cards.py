"""Model cards: what a model was trained on, how, and how good it is."""

import csv
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metamorph.models.weights import hash_of
from metamorph.training.corpus import PARTS, Split, part_of
from metamorph.training.scores import Scores

_CHANGES = {
    "code2vec": """\
The architecture is the paper's (Alon et al., POPL 2019): path contexts of token, path and token,
a fully connected layer with tanh, attention, softmax over whole method names. Changed:

- A name's vector is a row of its own plus the sum of its subtokens' rows, and a second loss in
  training predicts the subtokens from the same code vector. Most whole names of other projects
  are rare or unseen, so whole-name classification alone starves.
- A token's vector is a row of its own plus the mean of the rows of the words that it splits
  into (the likeliest split by the frequency of words in method names), so that an unknown token
  still means something.
- Only tokens, paths and names of two projects or more have rows of their own: with the others
  the network learns its projects by heart. Dropout is stronger for the same reason, and a
  token's own row is at times taken for the unknown token's.
- Vocabularies are reduced to fit the size limit; rows are stored in 8 bits with a
  scale a row, the other weights in 16 bits.
- At most 100 random contexts a method and step in training, of the first 200 kept.""",
    "code2seq": """\
The architecture is the paper's (Alon et al., ICLR 2019): sums of subtoken embeddings, a
bidirectional LSTM over the nodes of each path, a fully connected layer with tanh, and an LSTM
decoder with Luong attention that starts from the contexts' mean. Changed:

- Sizes are reduced (see below; the paper's are 128, 128, 128 in each direction and 320).
- The decoder never answers with the unknown word: it takes the best known one.
- Adam in place of momentum, gradients clipped at norm 5, and no dropout inside the LSTMs.
- At most 60 random contexts a method and step in training, of the first 200 kept.
- Large tables are stored in 8 bits with a scale a row, the other weights in 16 bits.""",
}


@dataclass(frozen=True, slots=True)
class Trained:
    """What a card tells.

    sizes: widths and vocabulary sizes; counts: of files, by project; methods: training methods
    of each project; command: the command line's arguments.
    """

    kind: str
    weights: Path
    split: Split
    sizes: Mapping[str, Any]
    counts: Mapping[str, Mapping[str, int]]
    methods: Mapping[str, int]
    scores: Mapping[str, Scores]
    command: Sequence[str]
    epochs: int


def write_card(trained: Trained, table: Path | None) -> Path:
    """Write the card beside the weights; `table` names the projects' packages and licences."""
    card = trained.weights.with_suffix(".md")
    sections = [
        f"# {trained.kind}: model card",
        _summary(trained),
        "## Scores\n\n" + _scores(trained.scores),
        "## What was changed\n\n" + _CHANGES[trained.kind],
        "## Sizes\n\n" + "\n".join(f"- {name}: {size}" for name, size in trained.sizes.items()),
        "## Training\n\n" + _training(trained),
        "## Corpus\n\n" + _corpus(trained, _packages(table)),
    ]
    card.write_text("\n\n".join(sections) + "\n", "utf-8")
    return card


def read_counts(shards: Path, names: Iterable[str]) -> dict[str, dict[str, int]]:
    """What became of the files of each project, as extraction noted it."""
    return {name: json.loads((shards / f"{name}.json").read_text("utf-8")) for name in names}


def _summary(trained: Trained) -> str:
    size = trained.weights.stat().st_size
    return (
        "Predicts the name of a Java method from its path contexts.\n\n"
        f"- File: `{trained.weights.name}`, {size:,} bytes\n"
        f"- SHA-256: `{hash_of(trained.weights)}`\n"
        f"- Training methods: {sum(trained.methods.values()):,} of "
        f"{len(trained.methods)} projects"
    )


def _scores(scores: Mapping[str, Scores]) -> str:
    lines = [
        "Over subtokens, micro-averaged as the papers' own evaluations count, in per cent; every",
        "method of the projects counts, and one without an answer misses its whole name. Measured",
        "with these weights as they ship, on projects of which no method was trained on.",
        "",
        "| part | methods | precision | recall | F1 | whole name right |",
        "|---|---|---|---|---|---|",
    ]
    for part, found in scores.items():
        figures = (found.precision, found.recall, found.f1, found.accuracy)
        cells = " | ".join(f"{100 * figure:.2f}" for figure in figures)
        lines.append(f"| {part} | {found.examples:,} | {cells} |")
    return "\n".join(lines)


def _training(trained: Trained) -> str:
    copies = sum(counts["near_copies"] for counts in trained.counts.values())
    return (
        f"{trained.epochs} epochs by `metamorph {shlex.join(trained.command)}`; the weights are "
        "those of the epoch that was best on the validation projects, or of the last.\n\n"
        "Whole projects are held out. Left out of the training projects: "
        f"{copies} files that are near-copies of a held-out file (Jaccard similarity of the "
        "sets of identifiers and literals at least 0.8 and of the multisets at least 0.7, files "
        "of 20 tokens and more), methods without contexts, and, of methods with the same name "
        "and the same contexts in the same order, all but one. Of a large project a random "
        "part is used."
    )


def _corpus(trained: Trained, packages: Mapping[str, Mapping[str, str]]) -> str:
    lines = [
        "| project | package | version | licence | part | methods trained on |",
        "|" + "---|" * 6,
    ]
    for part in reversed(PARTS):
        for project in part_of(trained.split, part):
            row = packages.get(project, {})
            facts = [row.get(name, "") for name in ("source_package", "version", "licence")]
            methods = f"{trained.methods[project]:,}" if project in trained.methods else ""
            cells = [project, *facts, part, methods]
            lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return "\n".join(lines)


def _packages(table: Path | None) -> dict[str, dict[str, str]]:
    """The rows of a tab-separated table with a header, by their `project`."""
    if table is None:
        return {}
    with table.open(encoding="utf-8", newline="") as opened:
        rows = csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["project"]: row for row in rows}
