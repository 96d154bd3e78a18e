"""Identity: nothing is changed, and the model is asked all the same.

A control: where its prediction changes, the model changes its answers by itself.
"""

from collections.abc import Iterator

from metamorph.java.methods import Method
from metamorph.java.sites import Site
from metamorph.transforms._protocol import Choices

CODE = "identity"
NAME = "nothing changed"
PLACES = ("single", "all", "random")
CONTROL = True


def sites(method: Method, choices: Choices) -> Iterator[Site]:
    """The method as it is, once."""
    yield Site(CODE, 0, method.start, ())
