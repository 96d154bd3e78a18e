"""`metamorph models`: list the models, show, import, train or serve one."""

import argparse
import sys
from pathlib import Path

from metamorph.cli import _train_nlm
from metamorph.cli._import import add_import, run_import
from metamorph.cli._list import figures, run_list
from metamorph.cli._serve import add_serve, run_serve
from metamorph.errors import UserError

SUMMARY = "list the models, show, import, train or serve one"
_TRAINED = ("code2vec", "code2seq", "nlm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the sub-commands."""
    actions = parser.add_subparsers(
        dest="action", metavar="list|show|import|train|serve", required=True
    )
    actions.add_parser("list", help="the models that --model knows, and how good they are")
    show = actions.add_parser("show", help="a default model's card")
    show.add_argument("name", metavar="NAME", help="code2vec, code2seq, nlm or KIND:FILE")
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
        "--split",
        type=Path,
        metavar="FILE",
        help="lines NAME<TAB>train|valid|test, a project's name or PROJECT/PATH of a file",
    )
    parser.add_argument(
        "--split-by",
        choices=("project", "file"),
        default="project",
        help="without --split: what the seed deals (project)",
    )
    parser.add_argument(
        "--shares",
        type=_shares,
        default="80:10:10",
        metavar="TRAIN:VALID:TEST",
        help="without --split: per cent of projects or files (80:10:10)",
    )
    parser.add_argument(
        "--duplicates",
        choices=("keep", "held-out", "remove"),
        default="held-out",
        help="copies in training: keep all, none of a file held out (the default), "
        "or remove those of each other too",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument(
        "--shards", type=Path, metavar="DIR", help="keep extracted contexts here (OUT/shards)"
    )
    parser.add_argument(
        "--most-methods", type=int, metavar="N", help="of one project; 0: all (3000)"
    )
    parser.add_argument(
        "--table", type=Path, metavar="FILE", help="projects' licences for the model card (TSV)"
    )
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--minutes", type=float, help="stop the training after so long")
    parser.add_argument("--batch", type=int, help="methods, or tokens, a step (256, nlm 2048)")
    parser.add_argument("--width", type=int, help="contexts of a method and step")
    parser.add_argument("--rate", type=float, help="the highest learning rate")
    parser.add_argument("--precision", choices=("float32", "bfloat16"), help="(float32)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="go on from OUT's checkpoint")
    _train_nlm.add_arguments(parser)


def _shares(text: str) -> tuple[int, int]:
    """The per cent for validation and for the test."""
    parts = text.split(":")
    if len(parts) != 3 or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise argparse.ArgumentTypeError(f"{text}: not three per cents like 80:10:10")
    if sum(map(int, parts)) != 100:
        raise argparse.ArgumentTypeError(f"{text}: no 100 per cent together")
    return int(parts[1]), int(parts[2])


def _train(args: argparse.Namespace) -> int:
    _train_nlm.refuse_in_vain(args)
    try:
        from metamorph.training.corpus import Shares
        from metamorph.training.loop import Settings
        from metamorph.training.train import Plan, train
    except ImportError as error:
        if error.name != "torch":
            raise
        raise UserError(
            "training needs PyTorch, which is not installed; pip install 'metamorph-java[train]'"
        ) from None
    if args.model == "nlm":
        _train_nlm.train(args)
        print(args.out, file=sys.stdout)
        return 0
    rate, width = {"code2vec": (2e-3, 100), "code2seq": (2e-3, 60)}[args.model]
    settings = Settings(
        epochs=args.epochs,
        batch=args.batch or 256,
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
        precision=args.precision or "float32",
        most_methods=(3000 if args.most_methods is None else args.most_methods) or None,
        resume=args.resume,
        table=args.table,
        split_by=args.split_by,
        shares=Shares(*args.shares),
        duplicates=args.duplicates,
    )
    train(plan)
    print(args.out, file=sys.stdout)
    return 0
