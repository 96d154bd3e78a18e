"""What test suites use of metamorph; loading it loads neither numpy nor the grammar.

The pytest plugin itself is the module `metamorph_pytest`, which stands beside the package: it is
loaded in every suite, those included that have a package of their own called `metamorph`.
"""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest import MarkDecorator

__all__ = ["metamorph_cases"]


def metamorph_cases(*sources: str | os.PathLike[str], **parameters: object) -> "MarkDecorator":
    """One test item a variant: the test takes it as its argument `case`.

    sources: as `metamorph.run` takes them; parameters: those of the marker `metamorph`.
    """
    import pytest

    return pytest.mark.metamorph(*sources, **parameters)
