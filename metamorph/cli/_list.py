"""`metamorph models list`: the models that `--model` knows; none of them is loaded."""

import argparse
import ast
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metamorph.models import Adapter


def run_list(args: argparse.Namespace) -> int:
    """A line a model: how it is written, what it is, and what is missing for it."""
    from metamorph.models import adapters, plugins

    built_in, plugged = adapters(), plugins()
    width = max(map(len, [*plugged, *(adapter.usage for adapter in built_in.values())]))
    for kind, adapter in built_in.items():
        print(f"{adapter.usage:{width}}  {_about(kind, adapter)}")
    for kind, plugin in plugged.items():
        print(f"{kind:{width}}  plugin of {plugin.origin}")
    return 0


def figures(facts: Mapping[str, Any]) -> str:
    """The scores of a model of ours, from the facts in its weights file."""
    scores = facts.get("scores", {})
    if facts.get("kind") == "nlm":
        name, found = "PPL", [f"{part} {score['PPL']:.1f}" for part, score in scores.items()]
    else:
        name, found = "F1", [f"{part} {100 * score['f1']:.1f}" for part, score in scores.items()]
    return f"{name} {', '.join(found)}" if found else f"{name} not measured"


def _about(kind: str, adapter: "Adapter") -> str:
    """What the adapter's module says of itself, its default weights, the extra it lacks."""
    from metamorph.models.weights import read_facts, shipped

    about = [_first_line(adapter.module)]
    weights = shipped(kind)
    if weights.is_file():
        size = f"{weights.stat().st_size / 1e6:.1f} MB"
        about.append(f"shipped: {figures(read_facts(weights))}, {size}")
    if not all(importlib.util.find_spec(package) for package in adapter.packages):
        about.append(f"not installed: pip install 'metamorph-java[{adapter.extra}]'")
    return "; ".join(about)


def _first_line(module: str) -> str:
    """The first line of a module's docstring, read without running the module."""
    spec = importlib.util.find_spec(module)
    assert spec is not None and spec.origin is not None
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_bytes())) or ""
    return text.partition("\n")[0].rstrip(".")
