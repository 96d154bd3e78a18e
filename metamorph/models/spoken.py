"""The wrapping of generated text: thoughts, special tokens, fences, answers in parts."""

import re
from collections.abc import Iterable

_THOUGHTS = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)\b[^<>\n]{0,80}>", re.I)
_SPECIAL = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?(?:s|answer)>|<(?:eos|bos|pad|end_of_turn)>")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})[\w+.-]*\s*")


def without_thoughts(text: str) -> str:
    """The text without reasoning blocks and special tokens; what is never closed is a thought.

    Some servers leave out the opening tag, which stands in the model's prompt: what comes before
    a lone closing tag was thought as well.
    """
    kept: list[str] = []
    at, depth = 0, 0
    for tag in _THOUGHTS.finditer(text):
        if depth == 0:
            kept.append(text[at : tag.start()])
        if not tag[1]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        at = tag.end()
    if depth == 0:
        kept.append(text[at:])
    return _SPECIAL.sub("", "".join(kept)).strip()


def fenced(text: str) -> tuple[list[str], str]:
    """The fenced blocks, the last of which may go on to the end, and the text around them."""
    blocks: list[list[str]] = []
    around: list[str] = []
    fence = ""
    for line in text.splitlines():
        match = _FENCE.fullmatch(line)
        if match and fence and match[1].startswith(fence):
            fence = ""
        elif match and not fence:
            fence = match[1]
            blocks.append([])
        elif fence:
            blocks[-1].append(line)
        else:
            around.append(line)
    return ["\n".join(block) for block in blocks], "\n".join(around)


def joined(content: object) -> str:
    """The text of an answer that may come in parts."""
    if isinstance(content, str):
        return content
    parts: Iterable[object] = content if isinstance(content, list) else ()
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))
