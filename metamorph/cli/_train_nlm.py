"""`metamorph models train --model nlm`: what only the language model takes."""

import argparse

from metamorph.cli._model_options import positive
from metamorph.errors import UserError

_OURS = ("context", "size", "vocabulary", "most_tokens")
_OTHERS = ("shards", "most_methods", "width", "precision")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The sizes of the language model."""
    add = parser.add_argument_group("the language model nlm").add_argument
    add("--context", type=positive, metavar="C", help="tokens that it sees (6)")
    add("--size", type=positive, metavar="D", help="of embeddings and hidden layer (128)")
    add("--vocabulary", type=positive, metavar="V", help="tokens that it knows (10000)")
    add("--most-tokens", type=int, metavar="N", help="of one project; 0: all (200000)")


def refuse_in_vain(args: argparse.Namespace) -> None:
    """Raise UserError for an option that the model to be trained has no use for."""
    for name in _OTHERS if args.model == "nlm" else _OURS:
        if getattr(args, name) is not None:
            raise UserError(f"{args.model} takes no --{name.replace('_', '-')}; leave it out")


def train(args: argparse.Namespace) -> None:
    """Train the language model."""
    from metamorph.training.corpus import Shares
    from metamorph.training.loop import Settings
    from metamorph.training.nlm import NlmSizes
    from metamorph.training.nlm_train import NlmPlan
    from metamorph.training.nlm_train import train as train_nlm

    plain = NlmSizes()
    sizes = NlmSizes(
        args.context or plain.context, args.size or plain.size, args.vocabulary or plain.vocabulary
    )
    settings = Settings(
        epochs=args.epochs,
        batch=args.batch or 2048,
        width=0,
        rate=args.rate or 4e-3,
        minutes=args.minutes,
        seed=args.seed,
    )
    most = 200_000 if args.most_tokens is None else args.most_tokens
    train_nlm(
        NlmPlan(
            corpus=args.corpus,
            split=args.split,
            out=args.out,
            settings=settings,
            sizes=sizes,
            most_tokens=most or None,
            resume=args.resume,
            table=args.table,
            split_by=args.split_by,
            shares=Shares(*args.shares),
            duplicates=args.duplicates,
        )
    )
