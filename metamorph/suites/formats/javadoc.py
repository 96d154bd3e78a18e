"""What a method's documentation says it does."""

import re

from metamorph.java.methods import Method
from metamorph.suites.records import about

_TAG_LINE = re.compile(r"^\s*@\w+", re.MULTILINE)
_INLINE_TAG = re.compile(r"\{@\w+\s*([^{}]*)\}")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")
_BORDER = re.compile(r"^[ \t]*\*+[ \t]?", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n\s*\n|<p>|<P>")
_WORD = re.compile(r"\w+|[^\w\s]")


def docstring(method: Method) -> str:
    """The corpus' own docstring, or else the Javadoc's first paragraph as plain text, or ""."""
    told = about(method.file).get("docstring")
    if isinstance(told, str):
        return told.strip() if method.index == 0 else ""
    comment = _javadoc(method)
    text = _BORDER.sub("", comment.removeprefix("/**").removesuffix("*/")).strip()
    if tag := _TAG_LINE.search(text):
        text = text[: tag.start()]
    first = _PARAGRAPH.split(text, maxsplit=1)[0]
    return " ".join(_MARKUP.sub(" ", _INLINE_TAG.sub(r"\1", first)).split())


def docstring_tokens(method: Method, text: str) -> list[str]:
    """The corpus' own tokens, or else words and signs."""
    told = about(method.file).get("docstring_tokens")
    return told if isinstance(told, list) else _WORD.findall(text)


def _javadoc(method: Method) -> str:
    """The comment right before a declaration, if it is a Javadoc."""
    tree, node = method.tree, method.node
    parent = tree.parent[node]
    if parent < 0:
        return ""
    before = -1
    for child in tree.children(parent):
        if child == node:
            break
        before = child
    if before < 0 or tree.kind[before] != "block_comment":
        return ""
    text = tree.text(before)
    return text if text.startswith("/**") else ""
