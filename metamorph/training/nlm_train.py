"""A whole training of the language model: corpus, vocabulary, loop, shipped weights, model card."""

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from metamorph.duplicates.lexing import is_identifier
from metamorph.errors import UserError
from metamorph.models.language import COUNTS, measures, sums
from metamorph.models.nlm import NeuralLanguageModel, numbered
from metamorph.models.spelling import Table, table_of
from metamorph.models.weights import packed, quantised, read_weights, write_weights
from metamorph.training.copies import Duplicates, left_out
from metamorph.training.corpus import (
    PARTS,
    Shares,
    Split,
    SplitBy,
    chosen_split,
    files_in,
    split_words,
    write_list,
    write_split,
)
from metamorph.training.loop import Settings, Trainer, option_words
from metamorph.training.nlm import Nlm, NlmSizes, Tokens
from metamorph.training.nlm_cards import TrainedNlm, write_card
from metamorph.training.shards import Ints
from metamorph.training.token_streams import Counts, Reading, Streams, files, read_part

_VALIDATED = 100_000
"""Tokens that each epoch is judged by; more tell no more and take longer than the epoch."""


@dataclass(frozen=True, slots=True)
class NlmPlan:
    """What to train, on what, and for how long; the names are those of the options.

    most_tokens: of a project and part, None for all.
    """

    corpus: Path
    out: Path
    settings: Settings
    sizes: NlmSizes
    split: Path | None = None
    split_by: SplitBy = "project"
    shares: Shares = field(default_factory=Shares)
    most_tokens: int | None = None
    duplicates: Duplicates = "held-out"
    resume: bool = False
    table: Path | None = None

    def command(self) -> list[str]:
        """The command line that repeats this training, its paths left out."""
        words = ["models", "train", "--model", "nlm", "--corpus", "CORPUS", "--out", "OUT"]
        words += split_words(self.split, self.split_by, self.shares) + self.settings.words()
        options = {
            "context": self.sizes.context,
            "size": self.sizes.size,
            "vocabulary": self.sizes.vocabulary,
            "most-tokens": self.most_tokens or 0,
            "duplicates": self.duplicates,
        }
        return words + option_words(options)


@dataclass(frozen=True, slots=True)
class _Material:
    """What is learnt from. counts: of the training files, by project; letters: of rare names."""

    split: Split
    copies: frozenset[str]
    vocabulary: list[bytes]
    train: Ints
    valid: Ints
    counts: Mapping[str, Counts]
    letters: Table


def train(plan: NlmPlan) -> None:
    """Train the model, then write its weights and its card into the plan's folder."""
    torch.set_num_threads(1)
    torch.manual_seed(plan.settings.seed)
    material = _material(plan)
    network = Nlm(len(material.vocabulary) + 1, plan.sizes, plan.settings.seed)
    lessons = Tokens(network, material.train, material.valid, plan.settings.batch)
    trainer = Trainer(network, lessons, plan.settings, plan.out)
    trainer.begin(resume=plan.resume)
    trainer.run()
    trainer.load_best()
    _finish(plan, material, network, trainer.epochs_done)


def _material(plan: NlmPlan) -> _Material:
    """Read the corpus, and write which of its files is in which part."""
    seed = plan.settings.seed
    split = chosen_split(plan.corpus, plan.split, plan.split_by, plan.shares, seed)
    copies = left_out(plan.corpus, split, plan.duplicates)
    streams, counts = read_part(plan.corpus, split, "train", _reading(plan, copies))
    vocabulary = streams.vocabulary(plan.sizes.vocabulary - 1)
    if not vocabulary:
        raise UserError(f"{plan.corpus}: the training files have no tokens")
    numbers = numbered(vocabulary)
    valid, _ = read_part(plan.corpus, split, "valid", _reading(plan))
    plan.out.mkdir(parents=True, exist_ok=True)
    _write_lists(plan, split, copies)
    _say(
        f"{len(streams.flat)} tokens of {len(streams.sizes)} files, {len(copies)} files are left "
        f"out as copies; {len(vocabulary)} tokens are known"
    )
    context = plan.sizes.context
    return _Material(
        split,
        copies,
        vocabulary,
        streams.numbered(numbers, context),
        _sample(valid, seed).numbered(numbers, context),
        counts,
        table_of(name for name in streams.distinct if name not in numbers and is_identifier(name)),
    )


def _write_lists(plan: NlmPlan, split: Split, copies: frozenset[str]) -> None:
    """Write the split, and the files of each part, those that are left out not among them."""
    write_split(split, plan.out / "split.tsv")
    for part in PARTS:
        names = files_in(plan.corpus, split, part)
        kept = (name for name in names if part != "train" or name not in copies)
        write_list(plan.out / f"{part}.txt", plan.corpus, kept)


def _sample(streams: Streams, seed: int) -> Streams:
    """Whole files by chance, until they have tokens enough."""
    order = np.random.default_rng(seed).permutation(len(streams.sizes)).tolist()
    ends = np.cumsum(np.array([0, *streams.sizes], np.int64)).tolist()
    kept = Streams(streams.distinct)
    for number in order:
        kept.flat.extend(streams.flat[ends[number] : ends[number + 1]])
        kept.sizes.append(streams.sizes[number])
        if len(kept.flat) >= _VALIDATED:
            break
    return kept


def _reading(plan: NlmPlan, copies: frozenset[str] = frozenset()) -> Reading:
    return Reading(plan.most_tokens, plan.settings.seed, copies)


def _finish(plan: NlmPlan, material: _Material, network: Nlm, epochs: int) -> Path:
    """Write the weights as they ship, score them in that form, and write the card."""
    path = plan.out / "nlm.safetensors"
    tensors = _tensors(network, material)
    sizes = {name: asdict(plan.sizes)[name] for name in ("size", "vocabulary")}
    facts: dict[str, Any] = {"kind": "nlm", "format": 1, "context": plan.sizes.context}
    facts["sizes"] = sizes
    write_weights(path, tensors, facts)
    model = NeuralLanguageModel(read_weights("nlm", str(path)))
    facts["scores"] = {part: _scores(plan, material.split, part, model) for part in PARTS[1:]}
    write_weights(path, tensors, facts)
    trained = TrainedNlm(
        weights=path,
        split=material.split,
        sizes={"context, c": plan.sizes.context, "size, D = K": plan.sizes.size}
        | {"tokens known, V": len(material.vocabulary) + 1},
        counts={name: found.as_dict() for name, found in material.counts.items()},
        duplicates=plan.duplicates,
        left_out=len(material.copies),
        scores=facts["scores"],
        command=plan.command(),
        epochs=epochs,
    )
    return write_card(trained, plan.table)


def _scores(plan: NlmPlan, split: Split, part: str, model: NeuralLanguageModel) -> dict[str, float]:
    total = np.zeros(2 * len(COUNTS))
    for data, _ in files(plan.corpus, split, part, _reading(plan), {}):
        total += sums(model.token_scores(data))
    found = measures(tuple(total.tolist()))
    _say(f"shipped weights, {part}: " + ", ".join(f"{k} {v:.4g}" for k, v in found.items()))
    return found


def _tensors(network: Nlm, material: _Material) -> dict[str, npt.NDArray[Any]]:
    """What `metamorph.models.nlm` reads."""
    dense = {name: tensor.detach().numpy() for name, tensor in network.dense.items()}
    return {
        **quantised("inputs", dense["inputs"]),
        **quantised("outputs", dense["outputs"]),
        "hidden": dense["hidden"].astype(np.float16),
        "bias": dense["bias"].astype(np.float16),
        "letters": material.letters,
        "token_list": packed(
            [token.decode("utf-8", "surrogateescape") for token in material.vocabulary]
        ),
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
