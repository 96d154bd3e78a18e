"""How much copies flatter a language model, the more it can remember: Figure 2 of the paper.

    python benchmarks/capacity.py CORPUS --out OUT [--sizes 8 16 32 64 128] [--seed 0]

CORPUS is a folder whose sub-folders are projects. Its files are dealt by chance, 50:10:40 as in
Allamanis (2019), and a model of each size is trained on the training files, copies among them
(`metamorph models train --model nlm`). Models that OUT has already are taken as they are, and an
interrupted training goes on. Each is then measured as `metamorph evaluate` does. OUT/capacity.csv
and, where matplotlib is there, OUT/capacity.png are the curve; it is printed too.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from metamorph.cli import main as metamorph
from metamorph.duplicates.clusters import find
from metamorph.duplicates.collections import Settings, collect, combined
from metamorph.duplicates.thresholds import Thresholds
from metamorph.evaluation.evaluate import Evaluation
from metamorph.evaluation.figures import Figure
from metamorph.evaluation.splits import COUNTED, CROSS_SET, UNBIASED, Split, split_of
from metamorph.models.nlm import NeuralLanguageModel
from metamorph.models.weights import read_weights
from metamorph.reports.tables import csv_text
from metamorph.tasks import load as load_task

COLUMNS = ("size", "metric", "test_set", "value", "low", "high")
Row = tuple[int, str, str, float | None, float | None, float | None]
Line = tuple[str, str, str, str]

LINES: tuple[Line, ...] = (
    ("Acc", CROSS_SET, "tab:blue", "-"),
    ("Acc", UNBIASED, "black", "-"),
    ("Acc-ID", CROSS_SET, "tab:blue", "--"),
    ("Acc-ID", UNBIASED, "black", "--"),
)


def train(args: argparse.Namespace, size: int) -> Path:
    """The weights of that size, trained where they are not there yet."""
    out: Path = args.out / f"d{size}"
    weights = out / "nlm.safetensors"
    if weights.is_file():
        return weights
    words = ["models", "train", "--model", "nlm", "--corpus", str(args.corpus), "--out", str(out)]
    words += ["--split-by", "file", "--shares", "50:10:40", "--duplicates", "keep"]
    words += ["--most-tokens", str(args.most_tokens), "--size", str(size)]
    words += ["--epochs", str(args.epochs), "--rate", str(args.rate), "--seed", str(args.seed)]
    if metamorph([*words, "--resume"]):
        raise SystemExit(1)
    return weights


def split(out: Path) -> Split:
    """The test sets, by the lists that a training has written."""
    train, test = (collect([f"@{out / part}.txt"], Settings()) for part in ("train", "test"))
    both = combined(train, test)
    return split_of(find(both.bags, Thresholds()), both.units, len(train.units))


def measure(weights: Path, sets: Split) -> list[Figure]:
    """The figures of a model on all test sets."""
    paths = [f"@{weights.parent / 'test.txt'}"]
    evaluation = Evaluation(paths, sets, "file", load_task("surprise"), lambda *_: None)
    model = NeuralLanguageModel(read_weights("nlm", str(weights)))
    return evaluation.evaluated(model, "model").figures


def rows(size: int, figures: Sequence[Figure]) -> list[Row]:
    """A row a figure; the relative difference has the test set `difference`."""
    return [
        (
            size,
            figure.metric,
            figure.condition or "difference",
            figure.estimate.value,
            *(figure.estimate.interval or (None, None)),
        )
        for figure in figures
        if figure.counting == COUNTED
    ]


def draw(found: Sequence[Row], file: Path) -> None:
    """The curve as the paper has it: what lies between the lines is the copies' part."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 3.6), layout="constrained")
    drawn = []
    for metric, place, colour, style in LINES:
        points = [(r[0], 100 * (r[3] or 0)) for r in found if (r[1], r[2]) == (metric, place)]
        x, y = zip(*points, strict=True)
        drawn.append((x, y))
        axes.plot(x, y, style, color=colour, marker="o", ms=3, label=f"{metric}, {place}")
    for above, below in (drawn[:2], drawn[2:]):
        axes.fill_between(above[0], below[1], above[1], color="tab:red", alpha=0.2)
    axes.set_xscale("log", base=2)
    axes.set_xticks(drawn[0][0], [str(size) for size in drawn[0][0]])
    axes.set(xlabel="Model capacity D", ylabel="Token accuracy (%)", ylim=(0, None))
    axes.legend(fontsize="small")
    figure.savefig(file, dpi=150)


def main() -> int:
    """Train what is missing, measure all, write the curve."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 16, 32, 64, 128])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--most-tokens", type=int, default=0, help="of one project; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    weights = {size: train(args, size) for size in sorted(set(args.sizes))}
    sets = split(next(iter(weights.values())).parent)
    found = [row for size, file in weights.items() for row in rows(size, measure(file, sets))]
    text = csv_text(COLUMNS, found)
    (args.out / "capacity.csv").write_text(text, "utf-8")
    try:
        draw(found, args.out / "capacity.png")
    except ModuleNotFoundError as error:
        print(f"no picture: {error}; pip install 'metamorph-java[figures]'", file=sys.stderr)
    print(text, end="")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
