"""`metamorph models`: list the models, show, import, train or serve one."""

import argparse
import sys
from pathlib import Path

from metamorph.cli._import import add_import, run_import
from metamorph.cli._list import figures, run_list
from metamorph.cli._serve import add_serve, run_serve
from metamorph.errors import UserError

SUMMARY = "list the models, show, import, train or serve one"
_TRAINED = ("code2vec", "code2seq")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-commands."""
    actions = parser.add_subparsers(
        dest="action", metavar="list|show|import|train|serve", required=True
    )
    actions.add_parser("list", help="the models that --model knows, and how good they are")
    show = actions.add_parser("show", help="a default model's card")
    show.add_argument("name", metavar="NAME", help="code2vec, code2seq or KIND:FILE")
    add_import(actions)
    _add_train(actions.add_parser("train", help="train a model on your own Java"))
    add_serve(actions)


def run(args: argparse.Namespace) -> int:
    """Do what `args.action` says."""
    actions = {
        "list": run_list,
        "show": _show,
        "import": run_import,
        "train": _train,
        "serve": run_serve,
    }
    return actions[args.action](args)


def _show(args: argparse.Namespace) -> int:
    """The card of a default model, the facts in a weights file, or a checkpoint's identity."""
    from metamorph.models import load
    from metamorph.models.checkpoints import is_official
    from metamorph.models.weights import read_weights, shipped

    kind, _, file = args.name.partition(":")
    if kind not in _TRAINED:
        raise UserError(f"{args.name}: no model with weights; one of {', '.join(_TRAINED)}")
    card = shipped(kind).with_suffix(".md")
    if not file and card.is_file():
        print(card.read_text("utf-8"), end="")
        return 0
    if file and is_official(file):
        facts = load(args.name).identity
        print("\n".join([file, *(f"{name} {value}" for name, value in facts.items())]))
        return 0
    weights = read_weights(kind, file)
    print(f"{weights.path}\nsha256 {weights.sha256}\n{figures(weights.facts)}")
    return 0


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", required=True, choices=_TRAINED)
    parser.add_argument(
        "--corpus", required=True, type=Path, metavar="DIR", help="each sub-folder is a project"
    )
    parser.add_argument(
        "--split", type=Path, metavar="FILE", help="lines project<TAB>train|valid|test"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument(
        "--shards", type=Path, metavar="DIR", help="keep extracted contexts here (OUT/shards)"
    )
    parser.add_argument(
        "--most-methods", type=int, default=3000, metavar="N", help="of one project; 0: all"
    )
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="projects' licences for the model card (TSV)"
    )
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--minutes", type=float, help="stop the training after so long")
    parser.add_argument("--batch", type=int, default=256, help="methods a step")
    parser.add_argument("--width", type=int, help="contexts of a method and step")
    parser.add_argument("--rate", type=float, help="the highest learning rate")
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on from OUT's checkpoint")


def _train(args: argparse.Namespace) -> int:
    try:
        from metamorph.training.loop import Settings
        from metamorph.training.train import Plan, train
    except ImportError as error:
        if error.name != "torch":
            raise
        raise UserError(
            "training needs PyTorch, which is not installed; pip install 'metamorph-java[train]'"
        ) from None
    rate, width = {"code2vec": (2e-3, 100), "code2seq": (2e-3, 60)}[args.model]
    settings = Settings(
        epochs=args.epochs,
        batch=args.batch,
        width=args.width or width,
        rate=args.rate or rate,
        minutes=args.minutes,
        seed=args.seed,
    )
    plan = Plan(
        model=args.model,
        corpus=args.corpus,
        split=args.split,
        out=args.out,
        shards=args.shards or args.out / "shards",
        settings=settings,
        precision=args.precision,
        most_methods=args.most_methods or None,
        resume=args.resume,
        table=args.table,
    )
    train(plan)
    print(args.out, file=sys.stdout)
    return 0
