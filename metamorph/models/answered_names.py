"""The method name in an answer: bare, quoted, in code, in JSON or in a sentence.

A name is taken only where the text leaves no choice: two names of equal standing, or prose that
names none, are no answer. Every step is linear in the text, whatever a model writes.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator

from metamorph.java.tree import Tree, parse
from metamorph.models.spoken import fenced
from metamorph.tasks.method_name import MASK

_LONGEST_TEXT = 20_000
_LONGEST_LINE = 400
_LONGEST_NAME = 200

_NAME = r"[^\W\d][\w$]*"
_BARE = re.compile(rf"(?:{_NAME}(?:\.|\#|::))*({_NAME})(?:\([^()\n]*\))?[;.]?")
_MARKS = "`\"'*“”‘’ \t"
_BULLET = re.compile(r"\s*(?:[-*•>]|\d{1,3}[.)])\s+")
_MARKED = re.compile(
    r"(?<![\w`])`([^`\n]{1,200})`(?!`)|\*\*([^*\n]{1,200})\*\*|(?<!\w)\"([^\"\n]{1,200})\"(?!\w)"
    r"|(?<!\w)'([^'\n]{1,200})'(?!\w)|“([^”\n]{1,200})”"
)
_CUE = re.compile(
    r"(?:\bname\b.*\b(?:is|be)|\b(?:named?|call(?:ed)?)(?: it| the method| this method)?"
    r"|\b(?:answer|suggestion)(?: is)?"
    r"|\b(?:suggest|recommend|choose|propose)(?: the name| naming it)?"
    r"|\brename.*\bto|[-=]>|→|[:=])[\s:*_]*",
    re.I,
)
_CUE_AFTER = re.compile(
    r"\s*(?:is|seems|would be|could be|might be|fits)\b[^,;.`]*\bname\b[^`]*", re.I
)
_OTHER_TOPIC = re.compile(
    r"\b(?:not|never|explanation|reason|because|note|returns?|alternat\w*|variable|param\w*|example|where|than|instead)\b"
    r"|n't\b",
    re.I,
)
_NOT = re.compile(r"\b(?:not|never)\b|n't\b", re.I)
_ALSO = re.compile(r"\s*(?:,|/|or|and|,\s?or|,\s?and)\s*(?:maybe|perhaps|even)?\s*", re.I)
_CUED_WORD = re.compile(
    r"\b(?:(?:name|answer|suggestion)\b[^.;]*?(:|\bis\b|\bbe\b)"
    r"|(?:named?|call(?:ed)?)(?: it| the method| this method)?\s)"
    rf"\s*({_NAME})(?:\([^()\n]*\))?[;.]?",
    re.I,
)
_HUMPED = re.compile(r"[a-z\d][A-Z]|[a-z\d]_[a-z\d]")
_KEYS = ("name", "method_name", "methodName", "method", "function_name", "answer", "label")
_WORDS = (
    "abstract assert boolean break byte case catch char class const continue default do double "
    "else enum extends false final finally float for goto if implements import instanceof int "
    "interface long native new null package private protected public return short static "
    "strictfp super switch synchronized this throw throws transient true try void volatile "
    "while"
)
_KEYWORDS = frozenset(_WORDS.split())


def read_name(text: str) -> str:
    """The one method name that the text gives, "" if there is none or a choice."""
    if len(text) > _LONGEST_TEXT:
        return ""
    text = re.sub(r"[ \t]+", " ", text)
    for reading in (_alone, _structured, _fences, _declared, _lines, _cued_marks, _cued_words):
        names = reading(text)
        if names is not None:
            return _only(names)
    return ""


def _only(names: Iterable[str]) -> str:
    """The one name that they are, the masked one and keywords aside."""
    chosen = set(names) - _KEYWORDS - {MASK}
    return chosen.pop() if len(chosen) == 1 else ""


def _alone(text: str) -> list[str] | None:
    """The text is a name, perhaps in quotes or with parentheses."""
    text = text.strip().strip(_MARKS)
    match = _BARE.fullmatch(text) if len(text) <= _LONGEST_NAME else None
    return [match[1]] if match else None


def _structured(text: str) -> list[str] | None:
    """JSON, in a fence or not: an object that names the method, or a list of names."""
    blocks, _ = fenced(text)
    for part in (text, *blocks):
        try:
            value: object = json.loads(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return _first(_code_names(told) for told in _told(value)) or []
        if isinstance(value, list):
            return [name for each in value for name in _code_names(str(each)) or ()]
    return None


def _told(value: dict[str, object]) -> Iterator[str]:
    return (str(value[key]) for key in _KEYS if isinstance(value.get(key), str))


def _fences(text: str) -> list[str] | None:
    """Names and declarations in fenced blocks."""
    found = [name for block in fenced(text)[0] for name in _code_names(block) or ()]
    return found or None


def _declared(text: str) -> list[str] | None:
    """The text is code: methods, or the head of one."""
    if "(" not in text:
        return None
    head = re.split(r"[{;]", text, maxsplit=1)[0]
    return _first(_methods(parse(code.encode("utf-8", "replace"))) for code in (text, head + "{}"))


def _methods(tree: Tree) -> list[str] | None:
    """The names of the methods that are not within another one."""
    if tree.has_error:
        return None
    found, reach = [], 0
    for node, kind in enumerate(tree.kind):
        if kind == "method_declaration" and node >= reach:
            found.append(tree.text(tree.child(node, "name")))
            reach = tree.after[node]
    return found or None


def _lines(text: str) -> list[str] | None:
    """Of several lines, those that are names and nothing else; `Sure` is none of them."""
    lines = [_BULLET.sub("", line, count=1) for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return _alone(lines[0]) if lines else None
    found = [name for line in lines for name in _alone(line) or () if not name[0].isupper()]
    return found or None


def _cued_marks(text: str) -> list[str] | None:
    """Quoted names that stand where a name is announced, and those offered beside them."""
    found = [name for line in _short_lines(text) for name in _cued_in(line)]
    return found or None


def _cued_in(line: str) -> Iterator[str]:
    end, cued = 0, False
    for mark in _MARKED.finditer(line):
        names = _code_names(next(inside for inside in mark.groups() if inside))
        before = line[end : mark.start()]
        cued = (cued and bool(_ALSO.fullmatch(before))) or _announces(line[: mark.start()])
        cued = cued or bool(_CUE_AFTER.fullmatch(line[mark.end() :]))
        if cued:
            yield from names or ()
        end = mark.end()


def _announces(before: str) -> bool:
    """Whether the words before a quoted name announce it."""
    sentence = re.split(r"[.,;!?] ", before)[-1]
    match = _CUE.search(sentence)
    while match and match.end() < len(sentence):
        match = _CUE.search(sentence, match.start() + 1)
    return match is not None and not _OTHER_TOPIC.search(sentence)


def _cued_words(text: str) -> list[str] | None:
    """An unquoted name that ends a line after `name:`; after `is` it must look like a name."""
    found = []
    for line in _short_lines(text):
        match = None if _NOT.search(line) else _last(_CUED_WORD, line)
        if match and (match[1] == ":" or _HUMPED.search(match[2])):
            found.append(match[2])
    return found or None


def _last(pattern: re.Pattern[str], line: str) -> re.Match[str] | None:
    """A match that reaches the end of the line."""
    return next((m for m in pattern.finditer(line) if m.end() == len(line)), None)


def _short_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if len(line) <= _LONGEST_LINE]


def _code_names(code: str) -> list[str] | None:
    return _first(reading(code) for reading in _IN_CODE)


_IN_CODE: tuple[Callable[[str], list[str] | None], ...] = (_alone, _declared, _lines)


def _first(readings: Iterable[list[str] | None]) -> list[str] | None:
    return next((names for names in readings if names), None)
