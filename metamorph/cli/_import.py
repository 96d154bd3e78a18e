"""`metamorph models import`: an official checkpoint checked, and written as one file."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from metamorph.errors import UserError


def add_import(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The sub-command's parser."""
    parser = actions.add_parser(
        "import", help="check an official checkpoint and write it as one file that loads at once"
    )
    parser.add_argument(
        "checkpoint", metavar="KIND:PATH", help="code2vec:PATH or code2seq:PATH, a folder or prefix"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="(NAME.safetensors)")
    parser.add_argument(
        "--precision",
        choices=("float32", "float16"),
        default="float32",
        help="of the large tables; float16 halves the file (float32)",
    )


def run_import(args: argparse.Namespace) -> int:
    """Check, tell what was found, write."""
    kind, _, rest = args.checkpoint.partition(":")
    importer = _IMPORTERS.get(kind)
    if importer is None or not rest:
        known = " or ".join(f"{kind}:PATH" for kind in _IMPORTERS)
        raise UserError(f"{args.checkpoint}: no checkpoint that can be imported; give {known}")
    importer(rest, args)
    return 0


def _code2vec(rest: str, args: argparse.Namespace) -> None:
    from metamorph.models import code2vec_checkpoints as checkpoints

    found = checkpoints.read_released(rest, verify=True)
    checkpoints.check_numbers(found)
    facts: dict[str, Any] = {f"words of {name}": len(words) for name, words in found.words.items()}
    facts["parameters"] = sum(table.size for table in found.tables.values())
    _tell(str(found.path), {**facts, "sha256": found.sha256})
    out = args.out or Path(f"{found.path.name}.safetensors")
    checkpoints.write_imported(found, out, args.precision)
    _written(out, f"code2vec:{out}")


def _code2seq(rest: str, args: argparse.Namespace) -> None:
    from metamorph.models import code2seq_checkpoints as checkpoints

    found = checkpoints.read_released(rest, verify=True)
    facts: dict[str, Any] = checkpoints.sizes(found)
    _tell(str(found.path), {**facts, "sha256": found.sha256})
    out = args.out or Path(f"{found.path.name}.safetensors")
    checkpoints.write_imported(found, out, args.precision)
    _written(out, f"code2seq:{out}")


def _tell(path: str, facts: dict[str, Any]) -> None:
    print(f"{path}: whole and sound")
    for name, value in facts.items():
        print(f"  {name:18} {value:,}" if isinstance(value, int) else f"  {name:18} {value}")


def _written(path: Path, model: str) -> None:
    from metamorph.models.weights import hash_of

    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, sha256 {hash_of(path)}")
    print(f"use it with --model {model}")


_IMPORTERS: dict[str, Callable[[str, argparse.Namespace], None]] = {
    "code2vec": _code2vec,
    "code2seq": _code2seq,
}
