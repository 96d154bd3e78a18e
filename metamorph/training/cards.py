"""Model cards: what a model was trained on, how, and how good it is."""

import csv
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metamorph.durable import write_text
from metamorph.models.weights import hash_of
from metamorph.training.copies import Duplicates
from metamorph.training.corpus import PARTS, Split, projects_in
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
- Unless files are split, only tokens, paths and names of two projects or more have rows of their
  own: with the others the network learns its projects by heart. Dropout is stronger for the same
  reason, and a token's own row is at times taken for the unknown token's.
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

_LIKE = (
    "(Jaccard similarity of the sets of identifiers and literals at least 0.8 and of the "
    "multisets at least 0.7, files of 20 tokens and more)"
)
_ONCE = (
    "; of methods with the same name and the same contexts in the same order, all but one are too"
)
COPIES: Mapping[Duplicates, str] = {
    "keep": "Copies are kept",
    "held-out": f"Left out are {{}} training files that are near-copies of a held-out file {_LIKE}",
    "remove": "Left out are {} training files: near-copies of held-out files, by chains too, and "
    f"all but one of each cluster of near-copies {_LIKE}",
}
"""What became of the copies among so many files, a sentence without its end."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What a card tells.

    sizes: widths and vocabulary sizes; counts: of files, by project; duplicates, left_out: which
    copies, and how many files that was; methods: training methods of each project; command: the
    command line's arguments.
    """

    kind: str
    weights: Path
    split: Split
    sizes: Mapping[str, Any]
    counts: Mapping[str, Mapping[str, Any]]
    duplicates: Duplicates
    left_out: int
    methods: Mapping[str, int]
    scores: Mapping[str, Scores]
    command: Sequence[str]
    epochs: int


def write_card(trained: Trained, table: Path | None) -> Path:
    """Write the card beside the weights; `table` names the projects' packages and licences."""
    parts = {
        "Scores": _scores(trained),
        "What was changed": _CHANGES[trained.kind],
        "Sizes": "\n".join(f"- {name}: {size}" for name, size in trained.sizes.items()),
        "Training": _training(trained),
        "Corpus": corpus_table(trained.split, trained.methods, "methods", table),
    }
    return written(trained.weights, trained.kind, _summary(trained), parts)


def written(weights: Path, kind: str, summary: str, parts: Mapping[str, str]) -> Path:
    """The card of these weights, written beside them: a summary, then parts by their titles."""
    card = weights.with_suffix(".md")
    sections = [f"# {kind}: model card", summary]
    sections += [f"## {title}\n\n{text}" for title, text in parts.items()]
    write_text(card, "\n\n".join(sections) + "\n")
    return card


def read_counts(shards: Path, names: Iterable[str]) -> dict[str, dict[str, Any]]:
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


def _scores(trained: Trained) -> str:
    held = "files" if by_file(trained.split) else "projects"
    lines = [
        "Over subtokens, micro-averaged as the papers' own evaluations count, in per cent; every",
        "method of these parts counts, and one without an answer misses its whole name. Measured",
        f"with these weights as they ship, on {held} of which no method was trained on.",
        "",
        "| part | methods | precision | recall | F1 | whole name right |",
        "|---|---|---|---|---|---|",
    ]
    for part, found in trained.scores.items():
        figures = (found.precision, found.recall, found.f1, found.accuracy)
        cells = " | ".join(f"{100 * figure:.2f}" for figure in figures)
        lines.append(f"| {part} | {found.examples:,} | {cells} |")
    return "\n".join(lines)


def _training(trained: Trained) -> str:
    unread = [sum(c[name] for c in trained.counts.values()) for name in ("unparsable", "too_large")]
    over = sum(len(c.get("over_limit", ())) for c in trained.counts.values())
    whole = "Single files" if by_file(trained.split) else "Whole projects"
    copies = COPIES[trained.duplicates].format(trained.left_out)
    copies += "" if trained.duplicates == "keep" else _ONCE
    return (
        f"{trained.epochs} epochs by `metamorph {shlex.join(trained.command)}`; the weights are "
        "those of the epoch that was best on the validation methods, or of the last.\n\n"
        f"{whole} are held out. {copies}. "
        f"Methods without contexts are left out, {unread[0]} files with a syntax error and "
        f"{unread[1]} of more than 400 kB"
        f"{f', and {over} over the limits on time and memory' if over else ''}. "
        "Of a large project a random part is used, unless `--most-methods` is 0."
    )


def by_file(split: Split) -> bool:
    """Whether single files are held out, not whole projects."""
    return any("/" in name for name in split)


def corpus_table(split: Split, learnt: Mapping[str, int], unit: str, table: Path | None) -> str:
    """The projects of each part with their licences, and how many `unit` of each are learnt."""
    packages = _packages(table)
    lines = [
        f"| project | package | version | licence | part | {unit} trained on |",
        "|" + "---|" * 6,
    ]
    for part in reversed(PARTS):
        for project in projects_in(split, part):
            row = packages.get(project, {})
            facts = [row.get(name, "") for name in ("source_package", "version", "licence")]
            count = learnt.get(project, 0) if part == "train" else 0
            cells = [project, *facts, part, f"{count:,}" if count else ""]
            lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return "\n".join(lines)


def _packages(table: Path | None) -> dict[str, dict[str, str]]:
    """The rows of a tab-separated table with a header, by their `project`."""
    if table is None:
        return {}
    with table.open(encoding="utf-8", newline="") as opened:
        rows = csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["project"]: row for row in rows}
