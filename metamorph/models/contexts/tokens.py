"""Tokens, subtokens and labels, as the official JavaExtractor writes them."""

import re
from functools import lru_cache

from metamorph.java.jdk import BOXES

METHOD_NAME = "METHOD_NAME"
_LONGEST = 50
_KEPT_NUMBERS = frozenset({"0", "1", "32", "64"})
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]")
_NO_LETTER = re.compile(r"[^A-Za-z]")
_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|_|[0-9]|(?<=[A-Z])(?=[A-Z][a-z])|[ \t\n\x0b\f\r]+")
_ESCAPE = re.compile(r"(\\+)u+([0-9a-fA-F]{4})")
CONTROL = "".join(map(chr, range(33)))
_INTEGERS = frozenset({"IntegerLiteralExpr", "IntegerLiteralMinValueExpr"})


def normalize(text: str, default: str) -> str:
    """A text's letters in lower case; without letters its printable rest; without any, default.

    The official pattern for white space is misspelt, so that it removes the text `//s` instead.
    """
    text = text.lower().replace("\\n", "")
    if "//s" in text:
        text = re.sub("//s+", "", text)
    text = text.replace('"', "").replace("'", "").replace(",", "")
    if not text.isascii() or not text.isprintable():
        text = _UNPRINTABLE.sub("", text)
    return _NO_LETTER.sub("", text) or text.replace(" ", "_") or default


@lru_cache(maxsize=1 << 16)
def _subtokens(name: str) -> tuple[str, ...]:
    parts = _SPLIT.split(name.strip(CONTROL))
    found = (normalize(part, "") for part in parts if part)
    return tuple(part for part in found if part)


def subtokens(name: str) -> list[str]:
    """The lower-case parts of a name: getX2HTTPServer_v3 -> get, x, http, server, v."""
    return list(_subtokens(name.replace("|", " ")))


@lru_cache(maxsize=1 << 14)
def method_label(name: str) -> str:
    """What a model should answer for a method of that name: `get|x|http|server|v`."""
    return "|".join(_subtokens(name)) or normalize(name, "BLANK")


def _decoded(match: re.Match[str]) -> str:
    slashes = match[1]
    if len(slashes) % 2 == 0:
        return match[0]
    return slashes[:-1] + chr(int(match[2], 16))


def decode_escapes(text: str) -> str:
    r"""Replace `\uXXXX` by its character, as a Java compiler does before all else."""
    return _ESCAPE.sub(_decoded, text) if "\\u" in text else text


@lru_cache(maxsize=1 << 17)
def whole_token(label: str, text: str, noted: str = "") -> str:
    """A leaf's token for code2vec: one word, at most 50 characters; noted: text with comments."""
    token = normalize(decode_escapes(noted or text), "BLANK")
    if len(token) > _LONGEST:
        return token[:_LONGEST]
    if label == "PrimitiveType":
        return BOXES.get(text, token)
    return BOXES.get(text.partition("<")[0], token) if label == "GenericClass" else token


@lru_cache(maxsize=1 << 17)
def split_token(label: str, text: str, noted: str = "") -> str:
    """A leaf's token for code2seq: subtokens joined by `|`, most integers as `<NUM>`."""
    printed = decode_escapes(noted or text)
    name = text.partition("<")[0] if label == "GenericClass" else printed
    token = "|".join(_subtokens(name.replace("|", " ")))
    if token:
        return token
    token = whole_token(label, text, noted)
    return "<NUM>" if label in _INTEGERS and token not in _KEPT_NUMBERS else token
