"""`metamorph transforms`: list the transformations, or explain one."""

import argparse
import difflib
import inspect
from typing import TYPE_CHECKING

from metamorph.errors import UserError

if TYPE_CHECKING:
    from metamorph.transforms._protocol import Transform

SUMMARY = "list the transformations, or explain one with its before and after"

EXAMPLE = b"""\
class Sample {
    int score(int[] marks, int kind) {
        int total = 0;
        int bonus = 10;
        boolean strict = true;
        for (int i = 0; i < marks.length; i++) {
            total += marks[i];
        }
        switch (kind) {
            case 1:
                total = total * 2;
                break;
            default:
                total = total - 1;
                break;
        }
        if (strict) {
            return total;
        }
        return total + bonus;
    }
}
"""
"""A method in which every transformation of the paper finds a site."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("code", metavar="CODE", nargs="?", help="the transformation to explain")


def run(args: argparse.Namespace) -> int:
    """Print the list, or the explanation."""
    from metamorph.transforms import controls, installed, load, origin, parse_codes

    if args.code is None:
        for module in installed():
            line = f"{module.CODE:10}{module.NAME:24}{', '.join(module.PLACES):21}"
            plugin = origin(module.CODE)
            kind = f"plugin of {plugin}" if plugin else ""
            kind = "control" if module.CODE in controls() else kind
            print(f"{line}{kind}".rstrip())
        return 0
    try:
        chosen = list(parse_codes(args.code))
    except ValueError as error:
        raise UserError(str(error)) from error
    print("\n\n".join(_explained(load(code)) for code in chosen))
    return 0


def _explained(module: "Transform") -> str:
    head = f"{module.CODE}, {module.NAME}; places: {', '.join(module.PLACES)}"
    return f"{head}\n\n{inspect.getdoc(module)}\n\n{_example(module)}"


def _example(module: "Transform") -> str:
    """The first variant of the example, as a diff of its lines."""
    import random

    from metamorph.java.methods import methods
    from metamorph.java.sites import Site
    from metamorph.java.source import SourceFile
    from metamorph.java.tree import parse
    from metamorph.java.variants import make_variant
    from metamorph.transforms._protocol import Choices

    file = SourceFile("Sample.java", EXAMPLE)
    method = next(methods(file, parse(EXAMPLE)))
    found = module.sites(method, Choices.for_file(EXAMPLE, random.Random(0)))
    site = next((s for s in found if isinstance(s, Site)), None)
    if site is None:
        return "(the example has no site of it)"
    variant = make_variant(method, [site], "single")
    before, after = EXAMPLE.decode().splitlines(), variant.data.decode().splitlines()
    return "\n".join(difflib.unified_diff(before, after, "before", "after", lineterm="", n=2))
