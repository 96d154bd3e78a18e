"""Names in answers, renamed as a variant's variables were."""

import re
from collections.abc import Mapping

_PLACES = re.compile(
    r"""
    "(?:\\.|[^"\\\n])*"         # a string literal: its words name nothing
    | (?<![\w$])(?<!(?<!\.)\.)  # not within a word, nor a member after one dot
      ([\w$]+)
      (?![\w$(])                # nor a method's name
    """,
    re.VERBOSE,
)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """The text with each variable's old name replaced by its new one, all at once.

    A new name that stands in the text becomes the old one: before the renaming it named nothing,
    and so does the old one after it. Thus distinct answers stay distinct, and the inverse
    renaming leads back.
    """
    swaps = permutation(names)

    def swap(found: re.Match[str]) -> str:
        return swaps.get(found[1], found[0]) if found[1] else found[0]

    return _PLACES.sub(swap, text)


def permutation(names: Mapping[str, str]) -> dict[str, str]:
    """The renaming, made a bijection of all names: the end of each chain leads to its start."""
    before = {new: old for old, new in names.items()}
    swaps = dict(names)
    for end in before.keys() - names.keys():
        start = end
        while start in before:
            start = before[start]
        swaps[end] = start
    return swaps
