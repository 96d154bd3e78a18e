"""The language model's card."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from metamorph.models.weights import hash_of
from metamorph.training.cards import COPIES, by_file, corpus_table, written
from metamorph.training.copies import Duplicates
from metamorph.training.corpus import Split

_CHANGES = """\
The network is the one of Allamanis (2019), section 4.1, after Bengio et al. (2003): the embeddings
of the tokens before, one hidden layer, softmax over the vocabulary; no more than that. Changed:

- tanh in the hidden layer, which with a bias behind it can tell the same as the logistic function.
- In training, of the rarer tokens a sample stands for all in the softmax, weighed up by how many
  it stands for. The scores here, and all that the model answers, are of the whole vocabulary.
- Of a twentieth of the contexts the beginning is hidden in training, so that a method on its own,
  of which nothing is known before, is no surprise in itself.
- A name that is not in the vocabulary surprises by being unknown and by its spelling, which is
  told letter by letter from the one before, as often as they follow each other in the training
  corpus' rare names. The surprise of a method has this, the scores above have not.
- Tables are stored in 8 bits with a scale a row, the other weights in 16 bits."""


@dataclass(frozen=True, slots=True)
class TrainedNlm:
    """What the card tells; as in `cards.Trained`."""

    weights: Path
    split: Split
    sizes: Mapping[str, int]
    counts: Mapping[str, Mapping[str, int]]
    duplicates: Duplicates
    left_out: int
    scores: Mapping[str, Mapping[str, float]]
    command: Sequence[str]
    epochs: int


def write_card(trained: TrainedNlm, table: Path | None) -> Path:
    """Write the card beside the weights; `table` names the projects' packages and licences."""
    learnt = {project: counts["tokens"] for project, counts in trained.counts.items()}
    parts = {
        "Scores": _scores(trained),
        "What was changed": _CHANGES,
        "Sizes": "\n".join(f"- {name}: {size:,}" for name, size in trained.sizes.items()),
        "Training": _training(trained),
        "Corpus": corpus_table(trained.split, learnt, "tokens", table),
    }
    return written(trained.weights, "nlm", _summary(trained, sum(learnt.values())), parts)


def _summary(trained: TrainedNlm, tokens: int) -> str:
    return (
        "Predicts the next token of Java source: how surprising a method is.\n\n"
        f"- File: `{trained.weights.name}`, {trained.weights.stat().st_size:,} bytes\n"
        f"- SHA-256: `{hash_of(trained.weights)}`\n"
        f"- Training tokens: {tokens:,} of {len(trained.counts)} projects"
    )


def _scores(trained: TrainedNlm) -> str:
    held = "files" if by_file(trained.split) else "projects"
    names = ("Acc", "Acc-ID", "MRR", "MRR-ID", "PPL", "PPL-ID")
    lines = [
        "Accuracy in per cent, mean reciprocal rank and perplexity, of all tokens and of",
        "identifiers (ID). A token that is not in the vocabulary counts as wrong in the first two,",
        "and as the unknown token in the third. Measured with these weights as they ship, on",
        f"{held} that were not trained on.",
        "",
        f"| part | tokens | {' | '.join(names)} |",
        "|" + "---|" * 8,
    ]
    for part, found in trained.scores.items():
        cells = [f"{100 * found[name]:.2f}" for name in names[:2]]
        cells += [f"{found[name]:.3f}" for name in names[2:4]]
        cells += [f"{found[name]:.2f}" for name in names[4:]]
        lines.append(f"| {part} | {found['tokens']:,.0f} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _training(trained: TrainedNlm) -> str:
    whole = "Single files" if by_file(trained.split) else "Whole projects"
    large = sum(counts["too_large"] for counts in trained.counts.values())
    return (
        f"{trained.epochs} epochs by `metamorph {shlex.join(trained.command)}`; the weights are "
        "those of the epoch with the least perplexity on the validation files.\n\n"
        f"{whole} are held out. {COPIES[trained.duplicates].format(trained.left_out)}. "
        f"Left out are also {large} files of more than 400 kB. Of a large project a random part is "
        "used, unless `--most-tokens` is 0."
    )
