"""`metamorph evaluate`: how right a model is, with and without copies of its training set."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from metamorph.cli import DONE
from metamorph.cli import _duplicates_options as duplicates_options
from metamorph.cli import _model_options as model_options
from metamorph.cli._output import deliver
from metamorph.cli._telling import Pace, say
from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.duplicates.collections import Collection
    from metamorph.evaluation.evaluate import Evaluated
    from metamorph.evaluation.splits import Split
    from metamorph.models.options import Options
    from metamorph.models.protocol import Model

SUMMARY = "measure how right a model is, with and without copies of its training set"

"""Between two lines of progress."""

_FORMATS = ("table", "json", "csv", "md")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    add = parser.add_argument
    kinds = "a .java file, a folder, an archive, a .jsonl file with code or @LIST"
    add("paths", metavar="TEST", nargs="+", help=f"the test set: {kinds}")
    add("--model", metavar="M", required=True, help=model_options.MODEL_HELP)
    add(
        "--train-corpus",
        metavar="TRAIN",
        action="append",
        required=True,
        help="what the model was trained on; may be given again",
    )
    add(
        "--unbiased-model",
        metavar="M2",
        help="the same kind of model trained on TRAIN without its near-duplicates",
    )
    add("--no-baseline", action="store_true", help="without the nearest-neighbour baseline")
    add("--no-cache", action="store_true", help="ask anew what was asked in earlier runs")
    add("--format", choices=_FORMATS, default="table", help="default: table")
    add("--out", metavar="FILE", type=Path, help="instead of stdout")
    duplicates_options.add_detection(parser)
    model_options.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Find the duplicates, ask the models, write the figures."""
    from metamorph.evaluation import report

    split, found = _evaluated(args)
    for each in found:
        _tell_errors(each)
    if args.format == "json":
        settings = {"task": model_options.task_of(args), "equality": args.equality}
        settings |= duplicates_options.told(args)
        whole = report.as_dict(found, split, settings)
        deliver([json.dumps(whole, indent=1) + "\n"], args.out)
    elif args.format == "csv":
        deliver([report.csv(found)], args.out)
    else:
        deliver((report.table if args.format == "table" else report.md)(found, split), args.out)
    return DONE


def _evaluated(args: argparse.Namespace) -> "tuple[Split, list[Evaluated]]":
    from metamorph.evaluation.evaluate import Evaluation
    from metamorph.models.nearest import of_corpora
    from metamorph.tasks import load as load_task

    options = model_options.options_of(args)
    models = [_model(args, name, options) for name in (args.model, args.unbiased_model) if name]
    split = _split(args)
    task = load_task(options.task, options.equality)
    evaluation = Evaluation(args.paths, split, args.unit, task, _teller())
    found = [evaluation.evaluated(models[0], "model")]
    if not len(found[0].answers.units):
        what = found[0].answers.what.removesuffix("s")
        raise UserError(f"{' '.join(args.paths)}: no {what} to ask about; name another TEST")
    found += [evaluation.evaluated_unbiased(other) for other in models[1:]]
    if not args.no_baseline and found[0].answers.what == "methods":
        found.append(evaluation.evaluated(of_corpora(args.train_corpus, task), "baseline"))
    return split, found


def _model(args: argparse.Namespace, name: str, options: "Options") -> "Model":
    from metamorph.runs.cache import remembering

    model = model_options.model_of(name, options)
    return model if args.no_cache else remembering(model, options)


def _split(args: argparse.Namespace) -> "Split":
    from metamorph.duplicates.clusters import find
    from metamorph.duplicates.collections import combined
    from metamorph.evaluation.splits import split_of

    train, test = _collected(args, args.train_corpus), _collected(args, args.paths)
    if test.lists:
        raise UserError(f"{min(test.lists)}: a token list, nothing to ask about; give sources")
    if train.lists and not args.no_baseline:
        raise UserError(
            f"{min(train.lists)}: a token list has no methods for the baseline; --no-baseline"
        )
    both = combined(train, test)
    duplicates_options.tell_skipped(both.skipped)
    join = duplicates_options.engine(args)
    found = find(both.bags, duplicates_options.limits(args), args.cluster, join)
    return split_of(found, both.units, len(train.units))


def _collected(args: argparse.Namespace, paths: list[str]) -> "Collection":
    from metamorph.duplicates.collections import collect

    collection = collect(paths, duplicates_options.settings(args))
    if not collection.units:
        raise UserError(f"{' '.join(paths)}: no {args.unit} there; name other paths")
    return collection


def _tell_errors(each: "Evaluated") -> None:
    for reason, count in each.answers.errors.items():
        say(f"{each.model}: {count:,} without an answer, {reason}")


def _teller() -> Callable[[str, str], None]:
    """Tells how the asking goes on, now and then."""
    pace = Pace()

    def tell(model: str, done: str) -> None:
        if pace.is_due():
            say(f"{model}: {done}")

    return tell
