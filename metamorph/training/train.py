"""A whole training: corpus, shards, network, loop, shipped weights, model card."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from metamorph.errors import UserError
from metamorph.models import code2seq, code2vec
from metamorph.models.contexts import Style
from metamorph.models.weights import Weights, read_weights, write_weights
from metamorph.training import prepare
from metamorph.training.cards import Trained, by_file, read_counts, write_card
from metamorph.training.code2seq import Code2Seq, Code2SeqSizes
from metamorph.training.code2vec import Code2Vec, Code2VecSizes
from metamorph.training.copies import Duplicates, left_out
from metamorph.training.corpus import (
    PARTS,
    Shares,
    Split,
    SplitBy,
    chosen_split,
    projects_in,
    split_words,
)
from metamorph.training.dataset import Batch
from metamorph.training.export import (
    Answering,
    Tensors,
    code2seq_tensors,
    code2vec_tensors,
    evaluate,
    facts_about,
)
from metamorph.training.loop import Settings, Trainer, option_words
from metamorph.training.naming import Methods
from metamorph.training.precision import Precision
from metamorph.training.scores import Scores
from metamorph.training.shelf import Shelf

CONTEXTS = 200
"""Contexts of a method that are kept, and that the shipped model looks at."""

_SHIPPED: dict[str, Callable[[Weights], Answering]] = {
    "code2vec": code2vec.Code2Vec,
    "code2seq": code2seq.Code2Seq,
}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train, on what, and for how long.

    shards: where extracted contexts are kept, to share them between trainings; most_methods: of
    one project, None for all; split: a file of projects or files and parts, None for a seeded
    split by `split_by` in these shares; duplicates: which copies are learnt from.
    """

    model: Style
    corpus: Path
    split: Path | None
    out: Path
    shards: Path
    settings: Settings
    precision: Precision = "float32"
    most_methods: int | None = 3000
    resume: bool = False
    table: Path | None = None
    split_by: SplitBy = "project"
    shares: Shares = field(default_factory=Shares)
    duplicates: Duplicates = "held-out"

    def command(self) -> list[str]:
        """The command line that repeats this training, its paths left out."""
        settings = self.settings
        words = ["models", "train", "--model", self.model, "--corpus", "CORPUS", "--out", "OUT"]
        words += split_words(self.split, self.split_by, self.shares)
        words += settings.words()
        options = {
            "width": settings.width,
            "precision": self.precision,
            "most-methods": self.most_methods or 0,
            "duplicates": self.duplicates,
        }
        return words + option_words(options)


@dataclass(frozen=True, slots=True)
class Session:
    """A network with its data, about to be trained."""

    network: Code2Vec | Code2Seq
    trainer: Trainer[Batch]
    methods: dict[str, int]
    data: prepare.Code2VecData | None = None

    def tensors(self) -> Tensors:
        """The weights as they ship."""
        if isinstance(self.network, Code2Seq):
            return code2seq_tensors(self.network)
        assert self.data is not None
        return code2vec_tensors(self.network, self.data)

    def sizes(self) -> dict[str, int]:
        """Widths and vocabulary sizes, for the card."""
        network = self.network
        if isinstance(network, Code2Seq):
            words = network.words
            return {
                "embedding of subtokens and targets": network.sizes.embedding,
                "embedding of nodes": network.sizes.node,
                "path LSTM, each direction": network.sizes.lstm,
                "decoder": network.sizes.decoder,
                "subtokens": len(words.subtokens),
                "nodes": len(words.nodes),
                "target subtokens": len(words.targets),
            }
        assert self.data is not None
        return {
            "embedding": network.sizes.embedding,
            "code vector": network.sizes.code,
            "tokens": len(self.data.vocabulary),
            "words of tokens": len(self.data.words),
            "paths": len(self.data.paths),
            "names": len(network.names.names),
        }


def train(plan: Plan) -> None:
    """Train a model, then write its weights and its card into the plan's folder."""
    torch.set_num_threads(1)
    torch.manual_seed(plan.settings.seed)
    shelf = shelf_of(plan)
    shelf.fill()
    plan.out.mkdir(parents=True, exist_ok=True)
    shelf.write_lists(plan.out)
    session = start(plan, shelf)
    session.trainer.begin(resume=plan.resume)
    session.trainer.run()
    finish(plan, shelf, session)


def finish(plan: Plan, shelf: Shelf, session: Session, parts: Sequence[str] = PARTS[1:]) -> Path:
    """Write the best epoch's weights as they ship, score them, and write the card."""
    session.trainer.load_best()
    path = plan.out / f"{plan.model}.safetensors"
    tensors = session.tensors()
    facts = facts_about(session.network, CONTEXTS)
    write_weights(path, tensors, facts)
    model = _SHIPPED[plan.model](read_weights(plan.model, str(path)))
    scores: dict[str, Scores] = {}
    for part in parts:
        scores[part] = evaluate(model, shelf.part(part))
        _say(f"shipped weights, {part}: {scores[part].line()}")
    facts["scores"] = {part: found.as_dict() for part, found in scores.items()}
    write_weights(path, tensors, facts)
    trained = Trained(
        kind=plan.model,
        weights=path,
        split=shelf.split,
        sizes=session.sizes(),
        counts=read_counts(plan.shards, projects_in(shelf.split, "train")),
        duplicates=plan.duplicates,
        left_out=len(shelf.left_out),
        methods=session.methods,
        scores=scores,
        command=plan.command(),
        epochs=session.trainer.epochs_done,
    )
    return write_card(trained, plan.table)


def start(plan: Plan, shelf: Shelf) -> Session:
    """Read the shards, make the vocabularies, and the network with random weights."""
    copies = plan.duplicates == "keep"
    settings = plan.settings
    chosen = prepare.choose(shelf.part("train"), settings.seed, plan.most_methods, copies=copies)
    valid = prepare.everything(shelf.part("valid"))
    count = sum(len(kept) for _, kept in chosen)
    _say(f"{count} methods of {len(chosen)} projects")
    if not count:
        raise UserError(f"{plan.corpus}: the training projects have no methods with contexts")
    if plan.model == "code2vec":
        limits = _limits(shelf.split, prepare.CODE2VEC_LIMITS)
        return _start_code2vec(plan, chosen, valid, limits)
    return _start_code2seq(plan, chosen, valid, _limits(shelf.split, prepare.CODE2SEQ_LIMITS))


def _limits(split: Split, limits: prepare.Limits) -> prepare.Limits:
    """Where files are split, what only one project says helps in its other files."""
    return replace(limits, projects=1) if by_file(split) else limits


def shelf_of(plan: Plan) -> Shelf:
    """The shards that the plan's training reads."""
    seed = plan.settings.seed
    split = chosen_split(plan.corpus, plan.split, plan.split_by, plan.shares, seed)
    copies = left_out(plan.corpus, split, plan.duplicates)
    _say(f"{len(copies)} training files are left out as copies")
    place = (plan.corpus, plan.shards, plan.model)
    return Shelf(*place, split, copies, CONTEXTS, plan.most_methods, seed)


def _start_code2vec(
    plan: Plan, train: prepare.Parts, valid: prepare.Parts, limits: prepare.Limits
) -> Session:
    data = prepare.code2vec_data(train, valid, limits)
    sizes = Code2VecSizes(precision=plan.precision)
    _check(data.names.names, plan, limits)
    rows = len(data.paths) + 1
    network = Code2Vec(data.tokens, rows, data.names, sizes, plan.settings.seed)
    _say(
        f"vocabularies: {len(data.vocabulary)} tokens, {len(data.words)} words, "
        f"{len(data.paths)} paths, {len(data.names.names)} names"
    )
    lessons = Methods(
        network,
        lambda batch, rate: network.step(
            batch, data.whole[batch.members], data.parts[batch.members], rate
        ),
        data.train,
        data.valid,
        plan.settings,
    )
    trainer = Trainer(network, lessons, plan.settings, plan.out)
    return Session(network, trainer, _methods(train), data)


def _start_code2seq(
    plan: Plan, train: prepare.Parts, valid: prepare.Parts, limits: prepare.Limits
) -> Session:
    data = prepare.code2seq_data(train, valid, limits)
    words = data.words
    _check(words.targets, plan, limits)
    sizes = Code2SeqSizes(precision=plan.precision)
    network = Code2Seq(words, sizes, plan.settings.seed)
    _say(
        f"vocabularies: {len(words.subtokens)} subtokens, {len(words.nodes)} nodes, "
        f"{len(words.targets)} targets; {len(words.path_nodes)} distinct paths"
    )
    lessons = Methods(
        network,
        lambda batch, rate: network.step(batch, data.targets[batch.members], rate),
        data.train,
        data.valid,
        plan.settings,
    )
    trainer = Trainer(network, lessons, plan.settings, plan.out)
    return Session(network, trainer, _methods(train))


def _check(targets: Sequence[str], plan: Plan, limits: prepare.Limits) -> None:
    if not targets:
        raise UserError(
            f"{plan.corpus}: too small: no name is seen {limits.least_target} times in "
            f"{limits.projects} training projects"
        )


def _methods(train: prepare.Parts) -> dict[str, int]:
    return {shard.project: len(chosen) for shard, chosen in train}


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
