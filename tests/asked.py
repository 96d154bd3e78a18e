"""Methods as examples, for tests of models."""

from metamorph.java.methods import methods
from metamorph.java.source import SourceFile
from metamorph.java.tree import parse
from metamorph.models.protocol import Example


def examples(source: bytes) -> list[Example]:
    """The methods of a source, each with its name as its id."""
    tree = parse(source)
    return [Example(m.name, tree, m.node) for m in methods(SourceFile("M.java", source), tree)]
